// Tasks from one queue to several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace gradeval {

/// Number of threads meant by `asked` (0: one for each core).
inline std::size_t thread_count(std::size_t asked) noexcept {
    if (asked != 0) return asked;
    const unsigned cores = std::thread::hardware_concurrency();
    return cores == 0 ? 1 : cores;
}

/// Parts small enough that all threads have work to the end and little of a file is in memory at a time,
/// large enough that starting them costs nothing.
inline std::uint64_t choose_part_bytes(std::uint64_t bytes, std::size_t threads) noexcept {
    constexpr std::uint64_t least = 1 << 18;
    constexpr std::uint64_t most = 1 << 22;
    return threads == 1 ? most : std::clamp(bytes / (threads * 8), least, most);
}

/// What the calling thread does between two tasks, at most every twentieth of a second: Python's module asks there for
/// signals (signals.cpp). It may throw.
inline std::atomic<void (*)()> between_tasks{nullptr};

/// Calls work(task) for tasks 0 .. tasks - 1, each once, started in this order; make_worker() gives each
/// thread its `work`. The first exception (by time) stops the queue and is thrown when all threads have
/// ended.
template <class MakeWorker>
void run_parallel(std::size_t tasks, std::size_t threads, MakeWorker&& make_worker) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr thrown;
    std::mutex thrown_mutex;
    const auto loop = [&](bool is_caller) {
        try {
            using Clock = std::chrono::steady_clock;
            auto work = make_worker();
            auto asked = Clock::now();
            for (std::size_t task; (task = next.fetch_add(1)) < tasks;) {
                work(task);
                if (!is_caller || Clock::now() - asked < std::chrono::milliseconds(50)) continue;
                if (const auto ask = between_tasks.load()) ask();
                asked = Clock::now();
            }
        } catch (...) {
            next.store(tasks);
            const std::lock_guard lock(thrown_mutex);
            if (!thrown) thrown = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    others.reserve(std::min(threads, tasks));  // so that nothing is thrown while threads run
    for (std::size_t i = 1; i < threads && i < tasks; ++i) {
        try {
            others.emplace_back(loop, false);
        } catch (const std::system_error&) {
            break;  // the system gives no more threads: fewer do the same work
        }
    }
    loop(true);
    for (std::thread& other : others) other.join();
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace gradeval

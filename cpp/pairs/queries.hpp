// One query after another, by several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "judge/parallel.hpp"
#include "pairs/kernels.hpp"
#include "pairs/lanes.hpp"

namespace gradeval {

/// The tables of query q.
inline Kernel kernel_at(const Kernels& kernels, std::size_t q) noexcept {
    const std::size_t levels = kernels.levels;
    const std::size_t square = levels * levels;
    const std::size_t pairs = kernels.pairs.size() == square ? 0 : q * square;
    return {kernels.own.data() + (kernels.own.size() == levels ? 0 : q * levels),
            kernels.pairs.empty() ? nullptr : kernels.pairs.data() + pairs,
            kernels.weights.data() + kernels.starts[q],
            kernels.share[q],
            kernels.stop.empty() ? nullptr : kernels.stop.data() + (kernels.stop.size() == levels ? 0 : q * levels)};
}

/// Calls work(query, first row, rows) on benches of make_bench() for all queries, by several threads; rows offsets[q] ..
/// offsets[q + 1] are query q.
template <class MakeBench, class Work>
void for_queries(std::span<const std::int64_t> offsets, std::size_t threads, MakeBench make_bench, Work work) {
    constexpr std::size_t at_once = 32;  // queries that a thread takes at a time
    const std::size_t queries = offsets.size() - 1;
    run_parallel((queries + at_once - 1) / at_once, thread_count(threads), [&] {
        return [&, bench = make_bench()](std::size_t task) mutable {
            const std::size_t end = std::min(queries, (task + 1) * at_once);
            vectorise([&]() GRADEVAL_LAMBDA {
                for (std::size_t q = task * at_once; q < end; ++q) {
                    const auto row = static_cast<std::size_t>(offsets[q]);
                    work(bench, q, row, static_cast<std::size_t>(offsets[q + 1]) - row);
                }
            });
        };
    });
}

}  // namespace gradeval

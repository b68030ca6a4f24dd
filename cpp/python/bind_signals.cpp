// gradeval._core: Ctrl-C in long loops, and what the command line does at signals, whatever Python is doing: also where
// compiled code holds its lock.
//
// The handlers call nothing but what POSIX allows in handlers. vfork() is not on its list, but unlike fork() it runs no
// code of other libraries: they are followed by execv() alone.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <thread>

#include "judge/parallel.hpp"
#include "python/bindings.hpp"

#if !defined(_WIN32)
#include <csignal>
#include <ctime>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace gradeval {

using namespace nb::literals;

namespace {

std::thread::id importing;  ///< the main thread, the only one in which Python answers signals

/// Ctrl-C in a long loop of the core: KeyboardInterrupt, or what else the program's handler does.
void answer_signals() {
    if (std::this_thread::get_id() != importing) return;
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void ask_between_tasks() {
    importing = std::this_thread::get_id();
    between_tasks = &answer_signals;
}

}  // namespace

#if defined(_WIN32)

void bind_signals(nb::module_& m) {
    ask_between_tasks();
    m.def("begin_part", [](const nb::bytes&) { return -1; }, "path"_a);
    m.def("part_made", [](int) {}, "part"_a);
    m.def("end_part", [](int) {}, "part"_a);
    m.def("remove_parts", [] {});
    m.def("take_signals", [](const nb::bytes&, int, double) { return false; }, "said"_a, "status"_a, "patience"_a);
    m.def("give_signals_back", [] {});
}

#else

namespace {

// A path is written by who takes the slot, and read by who ends the process.
enum State : int { unused, written, begun, made, removed };
struct Part {
    std::atomic<int> state{unused};
    pid_t owner = 0;  // a forked process inherits the slots, but not the files
    char path[4096];
};
constexpr int parts_at_once = 128;
Part parts[parts_at_once];
std::atomic<bool> ending{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void sleep_a_millisecond() {
    const timespec time{0, 1'000'000};
    nanosleep(&time, nullptr);
}

void remove_tree(const char* path) {
    struct stat there;
    // Another thread may still write into it.
    for (int tries = 0; tries < 3 && lstat(path, &there) == 0; ++tries) {
        char name[] = "rm", options[] = "-rf", end[] = "--";
        char* const words[] = {name, options, end, const_cast<char*>(path), nullptr};
        char* const nothing[] = {nullptr};
        const pid_t child = vfork();
        if (child == 0) {
            execve("/bin/rm", words, nothing);
            execve("/usr/bin/rm", words, nothing);
            _exit(127);
        }
        if (child < 0) return;
        int status;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    }
}

/// Removes what is unfinished, once: the process ends, and no other part is begun.
void remove_all() {
    if (ending.exchange(true)) return;
    const pid_t self = getpid();
    for (Part& part : parts) {
        // Another thread is just making it. (Where it is this one, it does not go on: nothing will be made.)
        for (int wait = 0; wait < 100 && part.state == begun && part.owner == self; ++wait) sleep_a_millisecond();
        int state = part.state;
        if ((state != begun && state != made) || part.owner != self) continue;
        if (!part.state.compare_exchange_strong(state, removed)) continue;
        struct stat there;
        if (lstat(part.path, &there) != 0) continue;
        if (S_ISDIR(there.st_mode)) {
            remove_tree(part.path);
        } else {
            unlink(part.path);
        }
    }
}

constexpr char show_cursor[] = "\x1b[?25h";  // progress bars hide it

void write_all(const char* text, std::size_t size) { [[maybe_unused]] const auto written = write(2, text, size); }

void clean_up() {
    if (isatty(2)) write_all(show_cursor, sizeof(show_cursor) - 1);
    remove_all();
}

/// SIGTERM and SIGHUP: the process dies by the signal, as if there were no handler.
void die_by(int number) {
    const int error = errno;
    clean_up();
    struct sigaction fatal {};
    fatal.sa_handler = SIG_DFL;
    sigaction(number, &fatal, nullptr);
    raise(number);  // takes effect when this handler returns
    errno = error;
}

constexpr std::size_t most_said = 256;
struct Interruption {
    char said[most_said];
    std::size_t size = 0;
    int status = 1;
    itimerval patience{};
    std::atomic<bool> pending{false};
};
Interruption interruption;
pid_t taken_by = 0;

constexpr int numbers[] = {SIGTERM, SIGHUP, SIGINT, SIGALRM};
constexpr std::size_t interrupting = 2, waking = 3;
struct sigaction before[4];
bool taken[4];

/// SIGINT: Python raises KeyboardInterrupt as soon as it can. Where it cannot for long, the process ends.
void interrupt(int number) {
    if (taken[waking] && getpid() == taken_by && !interruption.pending.exchange(true)) {
        setitimer(ITIMER_REAL, &interruption.patience, nullptr);
    }
    before[interrupting].sa_handler(number);
}

/// SIGALRM: patience has ended.
void end_interrupted(int) {
    if (getpid() != taken_by) return;
    write_all(interruption.said, interruption.size);
    clean_up();
    _exit(interruption.status);
}

bool take(std::size_t place, void (*handler)(int)) {
    if (sigaction(numbers[place], nullptr, &before[place]) != 0) return false;
    const bool by_default = before[place].sa_handler == SIG_DFL && (before[place].sa_flags & SA_SIGINFO) == 0;
    // Python's own handler of SIGINT is kept and called.
    const bool of_python = numbers[place] == SIGINT && before[place].sa_handler != SIG_DFL &&
                           before[place].sa_handler != SIG_IGN && (before[place].sa_flags & SA_SIGINFO) == 0;
    if (!(numbers[place] == SIGINT ? of_python : by_default)) return false;
    struct sigaction ours {};
    ours.sa_handler = handler;
    ours.sa_flags = before[place].sa_flags & ~static_cast<int>(SA_RESETHAND);
    sigemptyset(&ours.sa_mask);
    for (const int number : numbers) sigaddset(&ours.sa_mask, number);
    taken[place] = sigaction(numbers[place], &ours, nullptr) == 0;
    return taken[place];
}

void give_back(std::size_t place, void (*handler)(int)) {
    struct sigaction now;
    if (!taken[place] || sigaction(numbers[place], nullptr, &now) != 0) return;
    taken[place] = false;
    if (now.sa_handler == handler) sigaction(numbers[place], &before[place], nullptr);
}

int begin_part(const nb::bytes& path) {
    if (path.size() >= sizeof(Part::path)) return -1;  // no system opens such a path
    for (int number = 0; number < parts_at_once; ++number) {
        Part& part = parts[number];
        int state = unused;
        if (!part.state.compare_exchange_strong(state, written)) continue;
        std::memcpy(part.path, path.c_str(), path.size());
        part.path[path.size()] = 0;
        part.owner = getpid();
        part.state = begun;
        if (ending) {  // the process ends: what would be made now might stay
            const nb::gil_scoped_release free_threads;
            for (;;) pause();
        }
        return number;
    }
    return -1;  // so many at once that the others stay behind after a signal
}

void part_made(int number) {
    int state = begun;
    if (number >= 0 && number < parts_at_once) parts[number].state.compare_exchange_strong(state, made);
}

void end_part(int number) {
    if (number < 0 || number >= parts_at_once) return;
    for (int state : {begun, made}) {
        if (parts[number].state.compare_exchange_strong(state, unused)) return;
    }
}

void give_signals_back() {
    give_back(0, die_by);
    give_back(1, die_by);
    give_back(interrupting, interrupt);
    if (interruption.pending.exchange(false)) {
        constexpr itimerval never{};
        setitimer(ITIMER_REAL, &never, nullptr);
    }
    give_back(waking, end_interrupted);
}

bool take_signals(const nb::bytes& said, int status, double patience) {
    interruption.size = std::min(said.size(), most_said);
    std::memcpy(interruption.said, said.c_str(), interruption.size);
    interruption.status = status;
    interruption.patience = {};
    interruption.patience.it_value.tv_sec = static_cast<time_t>(patience);
    interruption.patience.it_value.tv_usec =
        static_cast<suseconds_t>((patience - static_cast<double>(static_cast<time_t>(patience))) * 1e6);
    taken_by = getpid();
    take(waking, end_interrupted);
    const bool terminated = take(0, die_by), hung_up = take(1, die_by), interrupted = take(interrupting, interrupt);
    return terminated || hung_up || interrupted;
}

}  // namespace

void bind_signals(nb::module_& m) {
    ask_between_tasks();
    m.def("begin_part", &begin_part, "path"_a);
    m.def("part_made", &part_made, "part"_a);
    m.def("end_part", &end_part, "part"_a);
    m.def("remove_parts", &remove_all, nb::call_guard<nb::gil_scoped_release>());
    m.def("take_signals", &take_signals, "said"_a, "status"_a, "patience"_a);
    m.def("give_signals_back", &give_signals_back);
}

#endif

}  // namespace gradeval

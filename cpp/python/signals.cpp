// gradeval._core: Ctrl-C in long loops of the core.
#include <nanobind/nanobind.h>

#include <thread>

#include "judge/parallel.hpp"
#include "python/bindings.hpp"

namespace gradeval {

namespace {

std::thread::id importing;  ///< the main thread, the only one in which Python answers signals

/// Ctrl-C in a long loop of the core: KeyboardInterrupt, or what else the program's handler does.
void answer_signals() {
    if (std::this_thread::get_id() != importing) return;
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

void answer_signals_between_tasks() {
    importing = std::this_thread::get_id();
    between_tasks = &answer_signals;
}

}  // namespace gradeval

// gradeval._core.read_file
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "judge/parallel.hpp"
#include "python/bindings.hpp"
#include "python/from_python.hpp"
#include "text/file.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

/// All bytes of an open file, read by several threads: filling new memory is most of the work.
nb::bytes read_file(int descriptor, nb::str where, std::size_t threads) {
    const std::string name = name_of(where);
    const Stamp before = File::stamp_of_descriptor(descriptor, name);
    const auto data = nb::steal<nb::bytes>(
        PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(before.size)));
    if (!data.is_valid()) nb::raise_python_error();
    char* const into = PyBytes_AsString(data.ptr());
    {
        const nb::gil_scoped_release free_threads;
        constexpr std::uint64_t step = 1 << 22;
        const std::uint64_t steps = before.size / step + 1;
        run_parallel(steps, steps == 1 ? 1 : thread_count(threads), [&] {
            return [&](std::size_t i) {
                const std::uint64_t begin = i * step;
                File::read_range(descriptor, {begin, std::min(before.size, begin + step)}, into + begin, name);
            };
        });
    }
    if (!(File::stamp_of_descriptor(descriptor, name) == before)) throw File::file_changed(name);
    return data;
}

}  // namespace

void bind_files(nb::module_& m) {
    m.def("read_file", &read_file, "descriptor"_a, "where"_a, "threads"_a = 0);
}

}  // namespace gradeval

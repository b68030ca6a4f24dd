// gradeval._core.Letor
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>

#include "letor/letor.hpp"
#include "python/bindings.hpp"
#include "python/columns_from_python.hpp"
#include "python/from_python.hpp"
#include "python/to_python.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

Letor letor_of_bytes(nb::handle data, nb::str where, nb::object sizes, std::uint64_t width,
                     std::size_t threads, std::uint64_t part_bytes) {
    const Buffer buffer(data);
    const std::string name = name_of(where);
    const bool mapped = buffer.is_mapped_file();
    LetorOptions options;
    options.width = width;
    options.threads = threads;
    options.part_bytes = part_bytes;
    Vector<std::int64_t> array;
    if (!sizes.is_none()) {
        array = nb::cast<Vector<std::int64_t>>(sizes, false);
        options.sizes = {array.data(), array.shape(0)};
        options.sized = true;
    }
    const nb::gil_scoped_release free_threads;
    return read_letor(buffer.bytes(), name, options, mapped);
}

/// A NumPy array over memory of a Letor, to be written to as well: it is the caller's alone.
template <class T>
auto own(T* values, nb::handle owner, std::initializer_list<std::size_t> shape) {
    return nb::ndarray<nb::numpy, T>(values, shape, owner);
}

}  // namespace

void bind_letor(nb::module_& m) {
    nb::class_<Letor>(m, "Letor")
        .def_static("of_bytes", &letor_of_bytes, "data"_a, "where"_a, "sizes"_a = nb::none(), "width"_a = 0,
                    "threads"_a = 0, "part_bytes"_a = 0)
        .def_prop_ro("X",
                     [](nb::handle_t<Letor> self) {
                         Letor& letor = nb::cast<Letor&>(self);
                         return own(letor.table.get(), self, {letor.shape.rows, letor.shape.width});
                     })
        .def_prop_ro("grades",
                     [](nb::handle_t<Letor> self) {
                         Letor& letor = nb::cast<Letor&>(self);
                         return own(letor.grades.data(), self, {letor.grades.size()});
                     })
        .def_prop_ro("offsets",
                     [](nb::handle_t<Letor> self) { return view(nb::cast<Letor&>(self).offsets, self); })
        .def_prop_ro(
            "documents",
            [](nb::handle_t<Letor> self) {
                Letor& letor = nb::cast<Letor&>(self);
                const auto* const bytes = reinterpret_cast<const std::uint8_t*>(letor.documents.data());
                return nb::make_tuple(view(letor.ends, self), nb::ndarray<nb::numpy, const std::uint8_t>(
                                                                  bytes, {letor.documents.size()}, self));
            })
        .def_ro("queries", &Letor::queries)
        .def_prop_ro("first", [](const Letor& letor) { return letor.shape.first; });
}

}  // namespace gradeval

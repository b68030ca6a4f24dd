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

namespace gradeval {

using namespace nb::literals;

namespace {

/// Reads the text that open_text() gives; it is called without the GIL.
template <class OpenText>
Letor letor_of_text(OpenText&& open_text, nb::object sizes, std::uint64_t width, std::size_t threads,
                    std::uint64_t part_bytes) {
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
    return read_letor(open_text(), options);
}

Letor letor_of_bytes(nb::handle data, nb::str where, nb::object sizes, std::uint64_t width,
                     std::size_t threads, std::uint64_t part_bytes, std::uint64_t lines_before) {
    const Buffer buffer(data);
    const std::string name = name_of(where);
    return letor_of_text([&] { return Text(buffer.bytes(), name, lines_before); }, sizes, width, threads, part_bytes);
}

Letor letor_of_file(nb::bytes path, nb::str where, nb::object sizes, std::uint64_t width, std::size_t threads,
                    std::uint64_t part_bytes) {
    const std::string file = path_of(path);
    const std::string name = name_of(where);
    return letor_of_text([&] { return Text(File(file, name), name); }, sizes, width, threads, part_bytes);
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
                    "threads"_a = 0, "part_bytes"_a = 0, "lines_before"_a = 0)
        .def_static("of_file", &letor_of_file, "path"_a, "where"_a, "sizes"_a = nb::none(), "width"_a = 0,
                    "threads"_a = 0, "part_bytes"_a = 0)
        .def_prop_ro("X",
                     [](nb::handle_t<Letor> self) -> nb::object {
                         Letor& letor = nb::cast<Letor&>(self);
                         const std::initializer_list<std::size_t> shape = {letor.shape.rows, letor.shape.width};
                         if (letor.wide) return nb::cast(own(letor.numbers<double>(), self, shape));
                         return nb::cast(own(letor.numbers<float>(), self, shape));
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
        .def_prop_ro("sample",
                     [](nb::handle_t<Letor> self) {
                         Letor& letor = nb::cast<Letor&>(self);
                         const std::size_t width = letor.shape.width;
                         return own(letor.sample.data(), self, {width == 0 ? 0 : letor.sample.size() / width, width});
                     })
        .def_ro("largest", &Letor::largest)
        .def_ro("of_feature", &Letor::of_feature)
        .def_prop_ro("first", [](const Letor& letor) { return letor.shape.first; });
}

}  // namespace gradeval

// gradeval._core.nest_values: a table of values as dictionaries
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>

#include "python/bindings.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Sets dictionary[key] = value, or throws what Python raised.
void set(nb::handle dictionary, nb::handle key, nb::handle value) {
    if (PyDict_SetItem(dictionary.ptr(), key.ptr(), value.ptr()) != 0) nb::raise_python_error();
}

/// {row: {column: value}}. Every inner dictionary begins as a copy of one that has all columns, so that none has to grow.
nb::dict nest_values(const Table& values, const nb::list& rows, const nb::list& columns) {
    const nb::tuple row_names(rows);  // whatever another thread does to the lists meanwhile
    const nb::tuple names(columns);
    if (row_names.size() != values.shape(0) || names.size() != values.shape(1)) {
        throw nb::value_error("one name for each row and each column of the values");
    }
    nb::dict pattern;
    for (const nb::handle name : names) set(pattern, name, nb::none());
    nb::dict nested;
    const double* value = values.data();
    for (const nb::handle row : row_names) {
        const nb::object inner = nb::steal(PyDict_Copy(pattern.ptr()));
        if (!inner.is_valid()) nb::raise_python_error();
        for (const nb::handle name : names) set(inner, name, nb::float_(*value++));
        set(nested, row, inner);
    }
    return nested;
}

}  // namespace

void bind_values(nb::module_& m) { m.def("nest_values", &nest_values, "values"_a, "rows"_a, "columns"_a); }

}  // namespace gradeval

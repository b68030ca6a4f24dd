// What the core has, as Python objects.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace gradeval {

namespace nb = nanobind;

inline nb::str text(std::string_view view) { return nb::str(view.data(), view.size()); }

/// A read-only NumPy array over memory of `owner`.
template <class T>
auto view(const std::vector<T>& values, nb::handle owner, std::initializer_list<std::size_t> shape) {
    return nb::ndarray<nb::numpy, const T>(values.data(), shape, owner);
}
template <class T>
auto view(const std::vector<T>& values, nb::handle owner) {
    return view(values, owner, {values.size()});
}

}  // namespace gradeval

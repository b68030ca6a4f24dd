// The parts of the module, each bound in its own file, and what they share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/lines.hpp"
#include "judge/survey.hpp"

namespace gradeval {

namespace nb = nanobind;

/// A run and, once somebody asked for its lines, where they stand.
struct PyLines {
    explicit PyLines(Lines given) : lines(std::move(given)) {}

    const Survey& survey() {
        if (!surveyed) {
            std::unique_ptr<Survey> made;
            {
                const nb::gil_scoped_release free_threads;
                made = std::make_unique<Survey>(lines.survey());
            }
            if (!surveyed) surveyed = std::move(made);  // another thread may have been faster
        }
        return *surveyed;
    }

    Lines lines;
    std::unique_ptr<Survey> surveyed;
};

/// What the core has, as Python objects.
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

void bind_files(nb::module_& m);
void bind_pools(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_judge(nb::module_& m);
void bind_letor(nb::module_& m);
void bind_pairs(nb::module_& m);

}  // namespace gradeval

// The parts of the module, each bound in its own file.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>

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

void bind_pools(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_judge(nb::module_& m);
void bind_letor(nb::module_& m);
void bind_pairs(nb::module_& m);

}  // namespace gradeval

// gradeval._core.sum_down_to, running_sums, largest_from
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>

#include "python/bindings.hpp"
#include "sums/sums.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

template <class T>
using Rows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Term, class Sum>
void sum_rows(Rows<const Term> terms, Rows<const double> ranks, Rows<const double> depths, Rows<Sum> totals) {
    const std::size_t rows = terms.shape(0);
    const std::size_t width = terms.shape(1);
    const bool shared = ranks.shape(0) == 1;
    if ((!shared && ranks.shape(0) != rows) || ranks.shape(1) != width || depths.shape(1) != rows || totals.shape(1) != rows ||
        totals.shape(0) != depths.shape(0)) {
        throw nb::value_error("terms must be [row, j], ranks [row or 1, j], depths and totals [depth, row]");
    }
    const nb::gil_scoped_release free_threads;
    sum_down_to(terms.data(), ranks.data(), depths.data(), rows, width, depths.shape(0), shared,
                totals.data());
}

void demand_same_shape(bool same) {
    if (!same) throw nb::value_error("both arrays need the same shape");
}

template <class Term, class Sum>
void running_sums_of(Rows<const Term> terms, Rows<Sum> sums) {
    demand_same_shape(terms.shape(0) == sums.shape(0) && terms.shape(1) == sums.shape(1));
    const nb::gil_scoped_release free_threads;
    running_sums(terms.data(), terms.shape(0), terms.shape(1), sums.data());
}

void largest_from_each(Rows<const double> values, Rows<double> largest) {
    demand_same_shape(values.shape(0) == largest.shape(0) && values.shape(1) == largest.shape(1));
    const nb::gil_scoped_release free_threads;
    largest_from(values.data(), values.shape(0), values.shape(1), largest.data());
}

}  // namespace

void bind_sums(nb::module_& m) {
    const auto bind = [&m](auto function) {
        m.def("sum_down_to", function, "terms"_a.noconvert(), "ranks"_a.noconvert(), "depths"_a.noconvert(),
              "totals"_a.noconvert());
    };
    bind(&sum_rows<double, double>);
    bind(&sum_rows<bool, std::int64_t>);
    m.def("running_sums", &running_sums_of<double, double>, "terms"_a.noconvert(), "sums"_a.noconvert());
    m.def("running_sums", &running_sums_of<bool, std::int32_t>, "terms"_a.noconvert(), "sums"_a.noconvert());
    m.def("largest_from", &largest_from_each, "values"_a.noconvert(), "largest"_a.noconvert());
}

}  // namespace gradeval

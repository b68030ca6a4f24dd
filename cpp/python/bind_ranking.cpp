// gradeval._core: documents in order, as rectangles, and sums over them
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>

#include "python/bindings.hpp"
#include "ranking/packed.hpp"
#include "ranking/rectangle.hpp"
#include "ranking/sums.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

template <class T>
using Values = nb::ndarray<T, nb::c_contig, nb::device::cpu>;  // [..., j], any number of axes

void demand(bool holds, const char* what) {
    if (!holds) throw nb::value_error(what);
}

template <class Array>
std::size_t width_of(const Array& values) {
    demand(values.ndim() > 0, "an axis of documents is needed");
    return values.shape(values.ndim() - 1);
}

template <class One, class Other>
void demand_same_shape(const One& one, const Other& other) {
    bool same = one.ndim() == other.ndim();
    for (std::size_t axis = 0; same && axis < one.ndim(); ++axis) same = one.shape(axis) == other.shape(axis);
    demand(same, "both arrays need the same shape");
}

template <class Term, class Sum>
void running_sums_of(Values<const Term> terms, Values<Sum> sums) {
    demand_same_shape(terms, sums);
    const std::size_t width = width_of(terms);
    const nb::gil_scoped_release free_threads;
    if (width > 0) running_sums(terms.data(), terms.size() / width, width, sums.data());
}

void largest_from_each(Values<const double> values, Values<double> largest) {
    demand_same_shape(values, largest);
    const std::size_t width = width_of(values);
    const nb::gil_scoped_release free_threads;
    if (width > 0) largest_from(values.data(), values.size() / width, width, largest.data());
}

template <class Term, class Sum>
void sum_each_down_to(Values<const Term> terms, Values<const double> ranks, Values<const double> depths,
                      Values<Sum> totals) {
    demand_same_shape(depths, totals);
    const std::size_t width = width_of(terms);
    const std::size_t rows = width > 0 ? terms.size() / width : totals.size();
    demand(width_of(ranks) == width && (ranks.size() == terms.size() || ranks.size() == width),
           "ranks must be those of the terms, or [j] for all");
    demand(rows > 0 ? totals.size() % rows == 0 : totals.size() == 0, "depths must end with the axes of the rankings");
    const bool shared = ranks.size() == width;
    const nb::gil_scoped_release free_threads;
    if (rows > 0) {
        sum_down_to(terms.data(), ranks.data(), depths.data(), rows, width, totals.size() / rows, shared,
                    totals.data());
    }
}

void pack(Values<const double> scores, Values<std::int64_t> packed) {
    demand_same_shape(scores, packed);
    const std::size_t width = width_of(scores);
    const nb::gil_scoped_release free_threads;
    if (width > 0) pack_places(scores.data(), scores.size() / width, width, packed.data());
}

bool unpack(Values<const std::int64_t> packed, Values<const double> scores, Values<std::int32_t> order) {
    demand_same_shape(packed, scores);
    demand_same_shape(packed, order);
    const std::size_t width = width_of(packed);
    const nb::gil_scoped_release free_threads;
    return width == 0 || unpack_places(packed.data(), scores.data(), packed.size() / width, width, order.data());
}

void take(Values<const double> values, Values<const std::int32_t> order, Values<double> ranked) {
    demand_same_shape(values, order);
    demand_same_shape(values, ranked);
    const std::size_t width = width_of(values);
    const nb::gil_scoped_release free_threads;
    demand(width == 0 || take_in_order(values.data(), order.data(), values.size() / width, width, ranked.data()),
           "an order holds the places of documents");
}

void count(Values<const std::int64_t> level, Values<std::int64_t> counts) {
    const std::size_t width = width_of(level);
    const std::size_t levels = width_of(counts);
    const std::size_t rows = levels > 0 ? counts.size() / levels : 0;
    demand(rows * width == level.size(), "level and counts need the same rows");
    const nb::gil_scoped_release free_threads;
    demand(count_levels(level.data(), rows, width, levels, counts.data()), "a level is an index into counts");
}

/// Fills grades, ranks, judged and documents [row, j] of rows that begin and end at these documents.
void lay_out_rows(Values<const double> rank, Values<const std::int32_t> document, Values<const double> grade,
                  Values<const bool> is_judged, Values<const std::int64_t> begin, Values<const std::int64_t> end,
                  Values<const std::int64_t> first, Values<double> grades, Values<double> ranks, Values<bool> judged,
                  Values<std::int32_t> documents) {
    demand(rank.size() == document.size() && grade.size() == is_judged.size(), "entries of the same number");
    demand(begin.size() == end.size() && begin.size() == first.size(), "begin, end and first need one entry a row");
    demand_same_shape(grades, ranks);
    demand_same_shape(grades, judged);
    demand_same_shape(grades, documents);
    const Rectangle rectangle{grades.data(), ranks.data(), judged.data(), documents.data(), width_of(grades)};
    demand(begin.size() * rectangle.width == grades.size(), "a rectangle needs one row for each begin");
    const RowsOfDocuments given{rank.data(),  document.data(),  document.size(),
                                grade.data(), is_judged.data(), grade.size()};
    const nb::gil_scoped_release free_threads;
    for (std::size_t row = 0; row < begin.size(); ++row) {
        demand(lay_out(given, {begin.data()[row], end.data()[row], first.data()[row]}, rectangle, row),
               "rows must lie inside the documents, and these inside the pools");
    }
}

}  // namespace

void bind_ranking(nb::module_& m) {
    m.def("pack_places", &pack, "scores"_a.noconvert(), "packed"_a.noconvert());
    m.def("unpack_places", &unpack, "packed"_a.noconvert(), "scores"_a.noconvert(), "order"_a.noconvert());
    m.def("count_levels", &count, "level"_a.noconvert(), "counts"_a.noconvert());
    m.def("lay_out_rows", &lay_out_rows, "rank"_a.noconvert(), "document"_a.noconvert(), "grade"_a.noconvert(),
          "is_judged"_a.noconvert(), "begin"_a.noconvert(), "end"_a.noconvert(), "first"_a.noconvert(),
          "grades"_a.noconvert(), "ranks"_a.noconvert(), "judged"_a.noconvert(), "documents"_a.noconvert());
    m.def("take_in_order", &take, "values"_a.noconvert(), "order"_a.noconvert(), "ranked"_a.noconvert());
    const auto bind = [&m](auto function) {
        m.def("sum_down_to", function, "terms"_a.noconvert(), "ranks"_a.noconvert(), "depths"_a.noconvert(),
              "totals"_a.noconvert());
    };
    bind(&sum_each_down_to<double, double>);
    bind(&sum_each_down_to<bool, std::int64_t>);
    m.def("running_sums", &running_sums_of<double, double>, "terms"_a.noconvert(), "sums"_a.noconvert());
    m.def("running_sums", &running_sums_of<bool, std::int32_t>, "terms"_a.noconvert(), "sums"_a.noconvert());
    m.def("largest_from", &largest_from_each, "values"_a.noconvert(), "largest"_a.noconvert());
}

}  // namespace gradeval

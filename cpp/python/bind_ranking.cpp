// gradeval._core: documents in order, as rectangles, and sums over them
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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

/// Sums down to depths of what terms_of(values of a row, its ranks, width) gives for each row; None: of the whole row.
template <class Value, class Sum, class TermsOf>
void sum_each(const Values<const Value>& values, const Values<const double>& ranks,
              const std::optional<Values<const double>>& depths, const Values<Sum>& totals, TermsOf&& terms_of) {
    const std::size_t width = width_of(values);
    const std::size_t rows = width > 0 ? values.size() / width : totals.size();
    demand(width_of(ranks) == width && (ranks.size() == values.size() || ranks.size() == width),
           "ranks must have the shape of the terms, or [j] for all");
    if (depths) demand_same_shape(*depths, totals);
    demand(rows > 0 ? totals.size() % rows == 0 && (depths || totals.size() == rows) : totals.size() == 0,
           "depths must end with the axes of the rankings");
    const std::size_t step = ranks.size() == width ? 0 : width;  // 0: all rows have the same ranks
    const nb::gil_scoped_release free_threads;
    std::vector<Sum> running;
    for (std::size_t row = 0; row < rows; ++row) {
        const auto terms = terms_of(values.data() + row * width, ranks.data() + row * step, width);
        if (depths) {
            sum_down_to(terms, depths->data() + row, totals.size() / rows, rows, running, totals.data() + row);
        } else {
            totals.data()[row] = sum_all<Sum>(terms);
        }
    }
}

template <class Term, class Sum>
void sum_each_down_to(Values<const Term> terms, Values<const double> ranks, std::optional<Values<const double>> depths,
                      Values<Sum> totals) {
    sum_each(terms, ranks, depths, totals, [](const Term* own, const double* own_ranks, std::size_t width) {
        return Terms<Term>{own, own_ranks, width};
    });
}

void sum_precision_down_to(Values<const bool> hits, Values<const double> ranks,
                           std::optional<Values<const double>> depths, Values<double> totals) {
    PrecisionAtHits precision(width_of(hits));
    sum_each(hits, ranks, depths, totals, [&](const bool* own, const double* own_ranks, std::size_t width) {
        return precision.of(own, own_ranks, width);
    });
}

/// The terms are the values, each times the entry of a table at its rank.
void sum_weighted_down_to(Values<const double> values, Values<const double> ranks,
                          std::optional<Values<const double>> depths, Values<double> totals,
                          Values<const double> table) {
    demand(table.size() > 0, "a table needs an entry");
    const ByRank weight(table.data(), table.size());
    std::vector<double> terms(width_of(values));
    sum_each(values, ranks, depths, totals, [&](const double* own, const double* own_ranks, std::size_t width) {
        for (std::size_t j = 0; j < width; ++j) terms[j] = own[j] * weight[own_ranks[j]];
        return Terms<double>{terms.data(), own_ranks, width};
    });
}

void look_up_each(Values<const double> table, Values<const double> ranks, Values<double> entries) {
    demand(table.size() > 0, "a table needs an entry");
    demand_same_shape(ranks, entries);
    const nb::gil_scoped_release free_threads;
    const ByRank by_rank(table.data(), table.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) entries.data()[i] = by_rank[ranks.data()[i]];
}

using Numbers = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;  // of any of the types that with_numbers() knows

/// Calls use(pointer to the numbers), whatever their type.
template <class Use>
auto with_numbers(const Numbers& numbers, Use&& use) {
    const auto is = [type = numbers.dtype()]<class T>(T) { return type == nb::dtype<T>(); };
    const auto as = [&]<class T>(T) { return use(static_cast<const T*>(numbers.data())); };
    if (is(double{})) return as(double{});
    if (is(float{})) return as(float{});
    if (is(std::int64_t{})) return as(std::int64_t{});
    if (is(std::int32_t{})) return as(std::int32_t{});
    if (is(std::int16_t{})) return as(std::int16_t{});
    if (is(std::int8_t{})) return as(std::int8_t{});
    throw nb::type_error("numbers of another type");
}

/// The same for scores, which are floating-point numbers.
template <class Use>
auto with_scores(const Numbers& scores, Use&& use) {
    if (scores.dtype() == nb::dtype<double>()) return use(static_cast<const double*>(scores.data()));
    if (scores.dtype() == nb::dtype<float>()) return use(static_cast<const float*>(scores.data()));
    throw nb::type_error("scores of another type");
}

bool pack(Numbers scores, Values<std::int64_t> packed) {
    demand_same_shape(scores, packed);
    const std::size_t width = width_of(scores);
    const nb::gil_scoped_release free_threads;
    return width == 0 || with_scores(scores, [&](auto* from) {
        return pack_places(from, scores.size() / width, width, packed.data());
    });
}

bool unpack(Values<std::int64_t> packed, Numbers scores, Numbers grades, Values<std::int32_t> order) {
    demand_same_shape(packed, scores);
    demand_same_shape(packed, grades);
    demand_same_shape(packed, order);
    const std::size_t width = width_of(packed);
    const nb::gil_scoped_release free_threads;
    if (width == 0) return true;
    return with_scores(scores, [&](auto* score) {
        return with_numbers(grades, [&](auto* grade) {
            return unpack_places(packed.data(), score, grade, packed.size() / width, width, order.data());
        });
    });
}

void take(Numbers values, Values<const std::int32_t> order, Values<double> ranked) {
    demand_same_shape(values, order);
    demand_same_shape(values, ranked);
    const std::size_t width = width_of(values);
    const nb::gil_scoped_release free_threads;
    const bool inside = width == 0 || with_numbers(values, [&](auto* from) {
        return take_in_order(from, order.data(), values.size() / width, width, ranked.data());
    });
    demand(inside, "an order holds the places of documents");
}

std::ptrdiff_t count(Numbers grades, std::optional<Values<const bool>> there, Values<std::int64_t> counts) {
    if (there) demand_same_shape(grades, *there);
    const std::size_t width = width_of(grades);
    const std::size_t levels = width_of(counts);
    const std::size_t rows = levels > 0 ? counts.size() / levels : 0;
    demand(rows * width == grades.size(), "grades and counts need the same rows");
    const nb::gil_scoped_release free_threads;
    return with_numbers(grades, [&](auto* from) {
        return count_levels(from, there ? there->data() : nullptr, rows, width, levels, counts.data());
    });
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
    m.def("unpack_places", &unpack, "packed"_a.noconvert(), "scores"_a.noconvert(), "grades"_a.noconvert(),
          "order"_a.noconvert());
    m.def("count_levels", &count, "grades"_a.noconvert(), "there"_a.noconvert().none(), "counts"_a.noconvert());
    m.def("lay_out_rows", &lay_out_rows, "rank"_a.noconvert(), "document"_a.noconvert(), "grade"_a.noconvert(),
          "is_judged"_a.noconvert(), "begin"_a.noconvert(), "end"_a.noconvert(), "first"_a.noconvert(),
          "grades"_a.noconvert(), "ranks"_a.noconvert(), "judged"_a.noconvert(), "documents"_a.noconvert());
    m.def("take_in_order", &take, "values"_a.noconvert(), "order"_a.noconvert(), "ranked"_a.noconvert());
    const auto bind = [&m](auto function) {
        m.def("sum_down_to", function, "terms"_a.noconvert(), "ranks"_a.noconvert(), "depths"_a.noconvert().none(),
              "totals"_a.noconvert());
    };
    bind(&sum_each_down_to<double, double>);
    bind(&sum_each_down_to<bool, std::int64_t>);
    m.def("sum_precision_down_to", &sum_precision_down_to, "hits"_a.noconvert(), "ranks"_a.noconvert(),
          "depths"_a.noconvert().none(), "totals"_a.noconvert());
    m.def("sum_weighted_down_to", &sum_weighted_down_to, "values"_a.noconvert(), "ranks"_a.noconvert(),
          "depths"_a.noconvert().none(), "totals"_a.noconvert(), "table"_a.noconvert());
    m.def("look_up", &look_up_each, "table"_a.noconvert(), "ranks"_a.noconvert(), "entries"_a.noconvert());
    m.def("running_sums", &running_sums_of<double, double>, "terms"_a.noconvert(), "sums"_a.noconvert());
    m.def("running_sums", &running_sums_of<bool, std::int32_t>, "terms"_a.noconvert(), "sums"_a.noconvert());
    m.def("largest_from", &largest_from_each, "values"_a.noconvert(), "largest"_a.noconvert());
}

}  // namespace gradeval

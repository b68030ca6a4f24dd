// Sums over the documents of rankings: down to each document, or to several depths at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace gradeval {

/// sums[row, j] = terms[row, 0] + ... + terms[row, j], added in this order.
template <class Term, class Sum>
void running_sums(const Term* terms, std::size_t rows, std::size_t width, Sum* sums) {
    for (std::size_t row = 0; row < rows; ++row) {
        Sum total{};
        for (std::size_t j = 0; j < width; ++j) *sums++ = total += static_cast<Sum>(*terms++);
    }
}

/// largest[row, j] = the largest of values[row, j], values[row, j + 1] and so on to the end of the row.
inline void largest_from(const double* values, std::size_t rows, std::size_t width, double* largest) {
    for (std::size_t row = 0; row < rows; ++row, values += width, largest += width) {
        if (width == 0) continue;
        double best = values[width - 1];
        for (std::size_t j = width; j-- > 0;) largest[j] = best = std::max(best, values[j]);
    }
}

/// The index of a grade among the levels 0, 1, 2 and so on; their number where it is none of them.
template <class Grade>
std::size_t level_of(Grade grade, std::size_t levels) noexcept {
    if constexpr (std::is_floating_point_v<Grade>) {
        if (!(grade >= 0 && grade < static_cast<Grade>(levels))) return levels;
        const auto level = static_cast<std::size_t>(grade);
        return static_cast<Grade>(level) == grade ? level : levels;
    } else {
        return std::min(static_cast<std::size_t>(grade), levels);  // negative ones become the largest of all
    }
}

/// counts[row, level] = how often the grade `level` occurs in the row; negative ones are not counted. False where another
/// grade is none of the levels 0, 1, 2 and so on.
template <class Grade>
bool count_levels(const Grade* grades, std::size_t rows, std::size_t width, std::size_t levels, std::int64_t* counts) {
    // Neighbours are counted apart, so that none waits for the counter of the one before; all others in one more place.
    std::vector<std::int64_t> even(levels + 1);
    std::vector<std::int64_t> odd(levels + 1);
    for (std::size_t row = 0; row < rows; ++row, grades += width, counts += levels) {
        std::fill(even.begin(), even.end(), 0);
        std::fill(odd.begin(), odd.end(), 0);
        for (std::size_t j = 0; j + 1 < width; j += 2) {
            ++even[level_of(grades[j], levels)];
            ++odd[level_of(grades[j + 1], levels)];
        }
        if (width % 2 != 0) ++even[level_of(grades[width - 1], levels)];
        const auto negative = [](Grade grade) { return grade < Grade{}; };
        const std::int64_t others = even[levels] + odd[levels];
        if (others != 0 && others != std::count_if(grades, grades + width, negative)) return false;
        for (std::size_t level = 0; level < levels; ++level) counts[level] = even[level] + odd[level];
    }
    return true;
}

/// The terms of a row, asked for one after the other.
template <class Term>
struct GivenTerms {
    const Term* terms;
    Term operator()(std::size_t j) { return terms[j]; }
};

/// The precision at each relevant document, and 0 at others: the relevant documents so far, divided by the rank.
struct PrecisionAtHits {
    const bool* hits;
    const double* ranks;
    double found = 0;
    double operator()(std::size_t j) {
        found += hits[j] ? 1.0 : 0.0;
        const double precision = found / ranks[j];
        return hits[j] ? precision : 0.0;
    }
};

/// totals[depth] = the sum of the terms of a row over the documents at ranks[j] <= depths[depth]; entries of both are
/// `stride` apart. Ranks ascend. Terms are added one by one from the top, each once, however many depths there are: the
/// sum down to a depth is the same to the last bit whatever other depths or documents further down there are.
template <class Sum, class Terms>
void sum_down_to(Terms next, const double* ranks, std::size_t width, const double* depths, std::size_t count,
                 std::size_t stride, std::vector<Sum>& running, Sum* totals) {
    running.resize(width + 1);  // of the first documents of the row
    running[0] = Sum{};
    std::size_t known = 0;  // documents that are summed
    std::size_t above = 0;  // documents down to the depth; depths mostly ascend
    for (std::size_t at = 0; at < count * stride; at += stride) {
        const double depth = depths[at];
        while (above < width && ranks[above] <= depth) {
            if (above == known) {
                running[known + 1] = running[known] + static_cast<Sum>(next(known));
                ++known;
            }
            ++above;
        }
        while (above > 0 && !(ranks[above - 1] <= depth)) --above;
        totals[at] = running[above];
    }
}

/// The sum of all terms of a row, added one by one from the top.
template <class Sum, class Terms>
Sum sum_all(Terms next, std::size_t width) {
    Sum total{};
    for (std::size_t j = 0; j < width; ++j) total += static_cast<Sum>(next(j));
    return total;
}

}  // namespace gradeval

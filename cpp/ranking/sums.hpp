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

/// Numbers by rank; beyond the end of the table, its last one.
class ByRank {
  public:
    ByRank(const double* table, std::size_t length) : table_(table), last_(static_cast<double>(length - 1)) {}

    double operator[](double rank) const noexcept {
        return table_[static_cast<std::size_t>(rank >= 0 && rank < last_ ? rank : last_)];
    }

  private:
    const double* table_;
    double last_;
};

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

/// counts[row, level] = how often the grade `level` occurs in the row among the documents that are there (null: all are).
/// Returns the highest level that occurs, 0 where none does, and -1 where a grade is none of the levels 0, 1, 2 and so on.
template <class Grade>
std::ptrdiff_t count_levels(const Grade* grades, const bool* there, std::size_t rows, std::size_t width,
                            std::size_t levels, std::int64_t* counts) {
    // Neighbours are counted apart, so that none waits for the counter of the one before. Behind the levels: grades that are
    // none, and documents that are not there.
    std::vector<std::int64_t> even(levels + 2);
    std::vector<std::int64_t> odd(levels + 2);
    std::vector<std::int64_t> all(levels);
    for (std::size_t row = 0; row < rows; ++row, grades += width, counts += levels) {
        std::fill(even.begin(), even.end(), 0);
        std::fill(odd.begin(), odd.end(), 0);
        const auto place = [&](std::size_t j) {
            return there == nullptr || there[row * width + j] ? level_of(grades[j], levels) : levels + 1;
        };
        for (std::size_t j = 0; j + 1 < width; j += 2) {
            ++even[place(j)];
            ++odd[place(j + 1)];
        }
        if (width % 2 != 0) ++even[place(width - 1)];
        if (even[levels] + odd[levels] != 0) return -1;
        for (std::size_t level = 0; level < levels; ++level) all[level] |= counts[level] = even[level] + odd[level];
    }
    std::size_t top = levels;
    while (top > 1 && all[top - 1] == 0) --top;
    return static_cast<std::ptrdiff_t>(top) - 1;
}

/// Documents of a row in the order of their ranks, and what each adds to a sum.
template <class Term>
struct Terms {
    const Term* terms;
    const double* ranks;
    std::size_t count;
};

/// The precisions at the relevant documents of a row: k / (rank of the k-th of them).
class PrecisionAtHits {
  public:
    explicit PrecisionAtHits(std::size_t width) : ranks_(width + 1), terms_(width) {}

    Terms<double> of(const bool* hits, const double* ranks, std::size_t width) {
        double* const of_hits = ranks_.data();
        double* const terms = terms_.data();
        std::int32_t found = 0;
        for (std::size_t j = 0; j < width; ++j) {  // no branch depends on the hits: it would often be mispredicted
            of_hits[found] = ranks[j];
            found += static_cast<std::int32_t>(hits[j]);
        }
        for (std::int32_t k = 0; k < found; ++k) terms[k] = (k + 1) / of_hits[k];
        return {terms, of_hits, static_cast<std::size_t>(found)};
    }

  private:
    std::vector<double> ranks_;
    std::vector<double> terms_;
};

/// totals[depth] = the sum of the terms of a row down to ranks[j] <= depths[depth]; entries of both are `stride` apart.
/// Ranks ascend. Terms are added one by one from the top, each once, however many depths there are: the sum down to a depth
/// is the same to the last bit whatever other depths or documents further down there are.
template <class Term, class Sum>
void sum_down_to(const Terms<Term>& row, const double* depths, std::size_t count, std::size_t stride,
                 std::vector<Sum>& running, Sum* totals) {
    running.resize(row.count + 1);  // of the first documents of the row
    running[0] = Sum{};
    std::size_t known = 0;  // documents that are summed
    std::size_t above = 0;  // documents down to the depth; depths mostly ascend
    for (std::size_t at = 0; at < count * stride; at += stride) {
        const double depth = depths[at];
        while (above < row.count && row.ranks[above] <= depth) {
            if (above == known) {
                running[known + 1] = running[known] + static_cast<Sum>(row.terms[known]);
                ++known;
            }
            ++above;
        }
        while (above > 0 && !(row.ranks[above - 1] <= depth)) --above;
        totals[at] = running[above];
    }
}

/// The sum of all terms of a row, added one by one from the top.
template <class Sum, class Term>
Sum sum_all(const Terms<Term>& row) {
    Sum total{};
    for (std::size_t j = 0; j < row.count; ++j) total += static_cast<Sum>(row.terms[j]);
    return total;
}

}  // namespace gradeval

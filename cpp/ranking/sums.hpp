// Sums over the documents of rankings: down to each document, or to several depths at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// counts[row, level] = how often level[row, j] occurs in the row; -1 is not counted. False where there is another number
/// that is no level.
inline bool count_levels(const std::int64_t* level, std::size_t rows, std::size_t width, std::size_t levels,
                         std::int64_t* counts) {
    std::fill(counts, counts + rows * levels, 0);
    for (std::size_t row = 0; row < rows; ++row, counts += levels) {
        for (std::size_t j = 0; j < width; ++j) {
            const std::int64_t one = *level++;
            if (one == -1) continue;
            if (static_cast<std::uint64_t>(one) >= levels) return false;
            ++counts[one];
        }
    }
    return true;
}

/// totals[depth, row] = the sum of terms[row, j] over the documents at ranks[row, j] <= depths[depth, row].
/// Ranks ascend in each row; `shared`: all rows have those of the first. Terms are added one by one from the top, each once, however many depths there are: the sum
/// down to a depth is the same to the last bit whatever other depths, rows or documents further down there are.
template <class Term, class Sum>
void sum_down_to(const Term* terms, const double* ranks, const double* depths, std::size_t rows, std::size_t width,
                 std::size_t count, bool shared, Sum* totals) {
    std::vector<Sum> running(width + 1);  // of the first documents of the row
    running[0] = Sum{};
    for (std::size_t row = 0; row < rows; ++row, terms += width, ranks += shared ? 0 : width) {
        std::size_t known = 0;  // documents that are summed
        std::size_t above = 0;  // documents down to the depth; depths mostly ascend
        for (std::size_t at = row; at < count * rows; at += rows) {
            const double depth = depths[at];
            while (above < width && ranks[above] <= depth) {
                if (above == known) {
                    running[known + 1] = running[known] + static_cast<Sum>(terms[known]);
                    ++known;
                }
                ++above;
            }
            while (above > 0 && !(ranks[above - 1] <= depth)) --above;
            totals[at] = running[above];
        }
    }
}

}  // namespace gradeval

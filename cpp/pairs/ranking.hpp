// The documents of a query in the order of their scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pairs/lanes.hpp"

namespace gradeval {

/// Whether all numbers are finite.
GRADEVAL_INLINE bool are_finite(std::span<const double> values) noexcept {
    double sum = 0.0;
    for (const double value : values) sum += value * 0.0;
    return sum == 0.0;
}

/// Where the documents end, in an order of their scores, that have the score of the one at `first`.
GRADEVAL_INLINE std::size_t end_of_tie(std::span<const std::uint32_t> order, std::span<const double> scores,
                                       std::size_t first) {
    std::size_t end = first + 1;
    while (end < order.size() && scores[order[end]] == scores[order[first]]) ++end;
    return end;
}

/// Whether some documents, in an order of their scores, have equal ones.
GRADEVAL_INLINE bool have_ties(std::span<const std::uint32_t> order, std::span<const double> scores) {
    bool equal = false;
    for (std::size_t r = 1; r < order.size(); ++r) equal |= scores[order[r]] == scores[order[r - 1]];
    return equal;
}

/// Ranks documents by their scores, best first, equal ones in the given order; keeps its memory.
class Ranking {
  public:
    /// Scores must be finite.
    GRADEVAL_INLINE void rank(std::span<const double> scores) {
        order_.resize(scores.size());
        if (scores.size() <= countable) {
            count_better(scores, [&](std::size_t rank, std::size_t i) GRADEVAL_LAMBDA {
                order_[rank] = static_cast<std::uint32_t>(i);
            });
        } else {
            sort(scores);
        }
    }

    /// Puts documents of equal scores into the order of chance(document), the lowest first.
    template <class Chance>
    GRADEVAL_INLINE void order_ties(std::span<const double> scores, Chance&& chance) {
        for (std::size_t first = 0; first < order_.size();) {
            const std::size_t end = end_of_tie(order_, scores, first);
            const std::size_t count = end - first;
            if (count > 1) {
                items_.resize(count);
                chances_.resize(count);
                for (std::size_t i = 0; i < count; ++i) {
                    chances_[i] = -chance(order_[first + i]);
                    items_[i] = {chances_[i], order_[first + i]};
                }
                if (count <= countable) {
                    count_better(chances_, [&](std::size_t rank, std::size_t i) GRADEVAL_LAMBDA {
                        order_[first + rank] = items_[i].document;
                    });
                } else {
                    sort_items();
                    for (std::size_t i = 0; i < count; ++i) order_[first + i] = items_[i].document;
                }
            }
            first = end;
        }
    }

    /// The documents, best first.
    std::span<const std::uint32_t> order() const noexcept { return order_; }

  private:
    static constexpr std::size_t countable = 192;  ///< up to so many documents counting is faster than sorting
    struct Item {
        double score;
        std::uint32_t document;
    };

    /// place(rank, i) of each score: its rank is the number of those that are better, or equal and before it.
    template <class Place>
    GRADEVAL_INLINE static void count_better(std::span<const double> scores, Place&& place) {
        const std::size_t n = scores.size();
        for (std::size_t i = 0; i < n; ++i) {
            const double score = scores[i];
            std::int64_t better = 0;
            for (std::size_t j = 0; j < i; ++j) better += scores[j] >= score;
            for (std::size_t j = i + 1; j < n; ++j) better += scores[j] > score;
            place(static_cast<std::size_t>(better), i);
        }
    }

    void sort(std::span<const double> scores) {
        items_.resize(scores.size());
        for (std::uint32_t i = 0; i < scores.size(); ++i) items_[i] = {scores[i], i};
        sort_items();
        for (std::size_t r = 0; r < items_.size(); ++r) order_[r] = items_[r].document;
    }

    void sort_items() {
        std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
            return a.score > b.score || (a.score == b.score && a.document < b.document);
        });
    }

    std::vector<Item> items_;
    std::vector<double> chances_;
    std::vector<std::uint32_t> order_;
};

}  // namespace gradeval

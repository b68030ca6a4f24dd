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

/// Ranks documents by their scores, best first, equal ones in the given order; keeps its memory.
class Ranking {
  public:
    /// Scores must be finite.
    GRADEVAL_INLINE void rank(std::span<const double> scores) {
        order_.resize(scores.size());
        if (scores.size() <= countable) {
            count_better(scores);
        } else {
            sort(scores);
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

    /// A document's rank is the number of those that are better, or equal and before it.
    GRADEVAL_INLINE void count_better(std::span<const double> scores) {
        const std::size_t n = scores.size();
        for (std::size_t i = 0; i < n; ++i) {
            const double score = scores[i];
            std::int64_t better = 0;
            for (std::size_t j = 0; j < i; ++j) better += scores[j] >= score;
            for (std::size_t j = i + 1; j < n; ++j) better += scores[j] > score;
            order_[static_cast<std::size_t>(better)] = static_cast<std::uint32_t>(i);
        }
    }

    void sort(std::span<const double> scores) {
        items_.resize(scores.size());
        for (std::uint32_t i = 0; i < scores.size(); ++i) items_[i] = {scores[i], i};
        std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
            return a.score > b.score || (a.score == b.score && a.document < b.document);
        });
        for (std::size_t r = 0; r < items_.size(); ++r) order_[r] = items_[r].document;
    }

    std::vector<Item> items_;
    std::vector<std::uint32_t> order_;
};

}  // namespace gradeval

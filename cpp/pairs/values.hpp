// The values of a measure for rankings by scores, by its kernel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pairs/kernels.hpp"
#include "pairs/lanes.hpp"
#include "pairs/ranking.hpp"

namespace gradeval {

/// Works out one query after another; keeps its memory.
class ValueBench {
  public:
    explicit ValueBench(std::size_t levels) : levels_(levels), gain_(levels) {}

    /// The measure for the documents of a query in the order of their scores, none of which is NaN. See PairKernel.value
    /// and CascadeKernel.value in kernels/.
    GRADEVAL_INLINE double work(std::span<const double> scores, const std::int32_t* level, const Kernel& kernel) {
        if (kernel.share == 0.0) return 0.0;
        ranking_.rank(scores);
        return of_order(ranking_.order(), level, kernel);
    }

    /// The same for documents in an order.
    GRADEVAL_INLINE double of_order(std::span<const std::uint32_t> order, const std::int32_t* level, const Kernel& kernel) {
        std::copy_n(kernel.own, levels_, gain_.begin());  // by level, with what the documents above bring
        double value = 0.0;
        double arrived = 1.0;
        for (std::size_t r = 0; r < order.size(); ++r) {
            const auto x = static_cast<std::size_t>(level[order[r]]);
            value += arrived * kernel.weights[r] * gain_[x];
            if (kernel.stop != nullptr) arrived *= 1.0 - kernel.stop[x];
            for (std::size_t y = 0; kernel.pairs != nullptr && y < levels_; ++y) gain_[y] += kernel.pairs[x * levels_ + y];
        }
        return value * kernel.share;
    }

  private:
    std::size_t levels_;
    Ranking ranking_;
    std::vector<double> gain_;
};

}  // namespace gradeval

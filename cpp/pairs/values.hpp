// The values of a measure for rankings by scores, by its kernel: means over the orders of documents of equal scores.
#pragma once

#include <algorithm>
#include <cmath>
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
    explicit ValueBench(std::size_t levels) : levels_(levels), gain_(levels), within_(levels) {}

    /// The measure for the documents of a query in the order of their scores, none of which is NaN, each order of equal
    /// ones equally likely. See PairKernel.value and CascadeKernel.value in kernels/, and kernels/tied.py.
    GRADEVAL_INLINE double work(std::span<const double> scores, const std::int32_t* level, const Kernel& kernel) {
        if (kernel.share == 0.0) return 0.0;
        ranking_.rank(scores);
        return of_order(ranking_.order(), scores, level, kernel);
    }

    /// The same for documents in one order of their scores.
    GRADEVAL_INLINE double of_order(std::span<const std::uint32_t> order, std::span<const double> scores,
                                    const std::int32_t* level, const Kernel& kernel) {
        std::copy_n(kernel.own, levels_, gain_.begin());  // by level, with what the documents above bring
        double arrived = 1.0;
        double value = 0.0;
        if (!have_ties(order, scores)) {
            for (std::size_t r = 0; r < order.size(); ++r) value += add(order[r], r, level, kernel, arrived);
            return value * kernel.share;
        }
        for (std::size_t r = 0; r < order.size();) {
            const std::size_t end = end_of_tie(order, scores, r);
            if (end == r + 1) {
                value += add(order[r], r, level, kernel, arrived);
            } else if (kernel.stop == nullptr) {
                value += tied_sum(order.subspan(r, end - r), level, kernel, r);
            } else {
                value += arrived * tied_cascade(order.subspan(r, end - r), level, kernel, r);
                arrived *= passing_;
            }
            r = end;
        }
        return value * kernel.share;
    }

  private:
    static constexpr double NEGLIGIBLE = 1e-15;  ///< a share of a sum that is about its rounding

    /// What a document is worth at a rank; then gain_ has what it brings, and arrived is the probability of passing it.
    GRADEVAL_INLINE double add(std::uint32_t document, std::size_t rank, const std::int32_t* level, const Kernel& kernel,
                               double& arrived) {
        const auto x = static_cast<std::size_t>(level[document]);
        const double worth = arrived * kernel.weights[rank] * gain_[x];
        if (kernel.stop != nullptr) arrived *= 1.0 - kernel.stop[x];
        for (std::size_t y = 0; kernel.pairs != nullptr && y < levels_; ++y) gain_[y] += kernel.pairs[x * levels_ + y];
        return worth;
    }

    /// What tied documents are worth that take the ranks from `first` on: each is at every rank with the same
    /// probability, and of two one is above the other likewise. Afterwards gain_ has what they bring. See expect_sum in
    /// kernels/tied.py.
    GRADEVAL_INLINE double tied_sum(std::span<const std::uint32_t> tied, const std::int32_t* level, const Kernel& kernel,
                                    std::size_t first) {
        double mass = 0.0;    // the sum of the weights
        double moment = 0.0;  // each times how many of the tied are above it
        double credit = 0.0;
        for (std::size_t k = 0; k < tied.size(); ++k) {
            mass += kernel.weights[first + k];
            moment += kernel.weights[first + k] * static_cast<double>(k);
            credit += gain_[static_cast<std::size_t>(level[tied[k]])];
        }
        const auto count = static_cast<double>(tied.size());
        const double alone = credit * mass / count;
        if (kernel.pairs == nullptr) return alone;
        double mutual = 0.0;  // what each brings to each other
        for (std::size_t y = 0; y < levels_; ++y) within_[y] = 0.0;
        for (const std::uint32_t document : tied) {
            const double* const pairs = kernel.pairs + static_cast<std::size_t>(level[document]) * levels_;
            mutual -= pairs[level[document]];
            for (std::size_t y = 0; y < levels_; ++y) within_[y] += pairs[y];
        }
        for (const std::uint32_t document : tied) mutual += within_[static_cast<std::size_t>(level[document])];
        for (std::size_t y = 0; y < levels_; ++y) gain_[y] += within_[y];
        return alone + mutual * moment / (count * (count - 1.0));
    }

    /// The same for a user of a cascade who has reached the first of the tied; passing_ is then the probability of passing
    /// all of them. With p_k the mean, over all sets of k of n documents, of the probability of passing them, and v_k that
    /// of the same times what another of the n is worth, one document more, which stops with probability q and is worth o,
    /// makes of them
    ///     v_k <- ((n - k) v_k + k (1 - q) v_(k-1) + o p_k) / (n + 1),    p_k <- ((n + 1 - k) p_k + k (1 - q) p_(k-1)) / (n + 1):
    /// no number is a difference. Those who stop nobody and are worth nothing come first: until then p_k = 1, v_k = 0.
    GRADEVAL_INLINE double tied_cascade(std::span<const std::uint32_t> tied, const std::int32_t* level, const Kernel& kernel,
                                        std::size_t first) {
        const std::size_t terms = count_terms(tied, level, kernel, first);
        for (std::size_t k = ramp_.size(); k < terms + 1; ++k) ramp_.push_back(static_cast<double>(k));
        for (std::vector<double>* each : {&passed_, &next_passed_}) each->assign(terms + 1, 1.0);
        for (std::vector<double>* each : {&worth_, &next_worth_}) each->assign(terms + 1, 0.0);
        passing_ = 1.0;
        std::size_t n = 0;
        for (const std::uint32_t document : tied) {
            const auto x = static_cast<std::size_t>(level[document]);
            n += kernel.stop[x] == 0.0 && kernel.own[x] == 0.0;
        }
        for (const std::uint32_t document : tied) {
            const auto x = static_cast<std::size_t>(level[document]);
            if (kernel.stop[x] == 0.0 && kernel.own[x] == 0.0) continue;
            passing_ *= 1.0 - kernel.stop[x];
            add_to_tie(std::min(terms, n + 1), static_cast<double>(n), 1.0 - kernel.stop[x], kernel.own[x]);
            if (n + 1 < terms) next_passed_[n + 1] = (1.0 - kernel.stop[x]) * passed_[n];
            std::swap(passed_, next_passed_);
            std::swap(worth_, next_worth_);
            ++n;
        }
        double value = 0.0;
        for (std::size_t k = 0; k < terms; ++k) value += kernel.weights[first + k] * worth_[k];
        return value;
    }

    /// The next p_k and v_k, k below `end`, for a document more than n.
    GRADEVAL_INLINE void add_to_tie(std::size_t end, double n, double pass, double own) {
        const double share = 1.0 / (n + 1.0);
        const double* const k = ramp_.data();
        const double* const passed = passed_.data();
        const double* const worth = worth_.data();
        double* const next_passed = next_passed_.data();
        double* const next_worth = next_worth_.data();
        if (end > 0) next_worth[0] = (n * worth[0] + own) * share;
        for (std::size_t i = 1; i < end; ++i) {
            next_worth[i] = ((n - k[i]) * worth[i] + k[i] * pass * worth[i - 1] + own * passed[i]) * share;
            next_passed[i] = ((n + 1.0 - k[i]) * passed[i] + k[i] * pass * passed[i - 1]) * share;
        }
    }

    /// How many ranks of tied documents are worth something: v_k is at most the largest worth times (1 - q)^k, with q the
    /// mean of the probabilities to stop, without the largest of them.
    std::size_t count_terms(std::span<const std::uint32_t> tied, const std::int32_t* level, const Kernel& kernel,
                            std::size_t first) const {
        std::size_t terms = tied.size();
        while (terms > 0 && kernel.weights[first + terms - 1] == 0.0) --terms;
        constexpr std::size_t few = 32;
        if (terms <= few) return terms;
        double sum = 0.0;
        double most = 0.0;
        for (const std::uint32_t document : tied) {
            const double stop = kernel.stop[static_cast<std::size_t>(level[document])];
            sum += stop;
            most = std::max(most, stop);
        }
        const double mean = std::min((sum - most) / static_cast<double>(tied.size() - 1), 0.999);
        if (!(mean > 1e-9)) return terms;
        const double enough = std::ceil(std::log(NEGLIGIBLE * mean) / std::log1p(-mean)) + 1.0;
        return enough < static_cast<double>(terms) ? static_cast<std::size_t>(enough) : terms;
    }

    std::size_t levels_;
    Ranking ranking_;
    std::vector<double> gain_, within_, ramp_, passed_, worth_, next_passed_, next_worth_;
    double passing_ = 1.0;  ///< all documents of the last tie
};

}  // namespace gradeval

// LambdaRank's gradients: pairs of documents, each weighted by what their exchange does to a measure.
//
// Index spaces. Each array here is indexed by one of them, and its name or a comment says by which.
//   document     place of a document in its query, in the caller's order: scores, level, gradient, powers_
//   rank         place in the order by score, best first, from 0: level_, member_, weights
//   member       place when the ranked documents are laid out level by level, best rank first in each level:
//                score_, power_, rank_, gradient_, hessian_, here_, between_, importance_; member_[rank] leads from ranks to members
//   level        one of the levels of the collection: kernels.own, kernels.pairs, place_
//   local level  one of the levels that occur in the query, ascending: own_, pairs_, begin_;
//                place_[level] leads from levels to local levels, present_[local level] back,
//                level_[rank] is the local level of a ranked document, and the members of local level x are
//                begin_[x] .. begin_[x + 1]. So the members of lower levels are 0 .. begin_[x]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pairs/draws.hpp"
#include "pairs/kernels.hpp"
#include "pairs/lanes.hpp"
#include "pairs/queries.hpp"
#include "pairs/ranking.hpp"
#include "pairs/values.hpp"

namespace gradeval {

struct LambdaOptions {
    double sigma = 1.0;
    std::size_t truncation = 0;  ///< only pairs with one of so many first documents; 0: all pairs
    bool normalise = false;      ///< as LightGBM's lambdarank_norm
    std::size_t threads = 0;
    /// By the distance of two ranks, what it adds to the weight of a pair, for each unit that the documents differ in
    /// `own` (NDCG-Loss2++); empty: nothing.
    std::span<const double> distance;
    /// By row, what the weights of the pairs are multiplied by in which its document is the better one; empty: 1.
    std::span<const double> importance;
    DrawOptions draws;  ///< weights are their mean over rankings drawn around the scores; its seed orders equal scores
};

/// Where results go: gradient [document], and where they are wanted hessian [document], the loss, and the measure.
struct LambdaResult {
    double* gradient;
    double* hessian;  ///< or nullptr
    double* loss;     ///< or nullptr
    double* value;    ///< of the ranking by the scores; or nullptr
};

/// Works out one query after another, Lanes of pairs at a time; keeps its memory.
template <class Lanes>
class LambdaBench {
    static constexpr std::size_t LANES = lanes_in<Lanes>;

  public:
    LambdaBench(const Kernels& kernels, const LambdaOptions& options)
        : levels_(kernels.levels), cascade_(!kernels.stop.empty()), options_(options), noise_(options.draws),
          values_(kernels.levels), place_(kernels.levels) {}

    /// Gradient, hessian and loss by the scores of a query, whose documents have the given levels; not numbers where a
    /// score is not finite.
    GRADEVAL_INLINE void work(std::span<const double> scores, const std::int32_t* level, const Kernel& kernel,
                              const double* importance, const LambdaResult& result) {
        fill(result, scores.size(), 0.0);
        if (kernel.share == 0.0) return;
        if (!are_finite(scores)) return fill(result, scores.size(), std::numeric_limits<double>::quiet_NaN());
        if (result.value != nullptr) {
            ranking_.rank(scores);
            *result.value = values_.of_order(ranking_.order(), scores, level, kernel);
        }
        if (!gather_levels(level, scores.size())) return;
        localise(kernel);
        raise(scores);
        loss_ = result.loss;
        const std::size_t draws = options_.draws.count;
        double total = 0.0;
        if (draws > 0) noise_.take(scores, level);
        for (std::size_t draw = 0; draw < std::max<std::size_t>(draws, 1); ++draw) {
            const std::span<const double> ranked = draws > 0 ? noise_.draw(scores, draw) : scores;
            if (draws > 0 || result.value == nullptr) ranking_.rank(ranked);
            if (have_ties(ranking_.order(), ranked)) order_ties_by_chance(ranking_, ranked, level, options_.draws.seed);
            total += add_ranking(scores, level, kernel, importance, result);
        }
        const double part = draws > 0 ? 1.0 / static_cast<double>(draws) : 1.0;
        total *= part;
        const double factor = (options_.normalise && total > 0.0 ? std::log2(1.0 + total) / total : 1.0) * part;
        for (std::size_t i = 0; i < scores.size(); ++i) result.gradient[i] *= factor * options_.sigma;
        for (std::size_t i = 0; i < scores.size() && result.hessian != nullptr; ++i)
            result.hessian[i] *= factor * options_.sigma * options_.sigma;
        if (loss_ != nullptr) *loss_ *= part;
    }

  private:
    static void fill(const LambdaResult& result, std::size_t n, double value) {
        std::fill_n(result.gradient, n, value);
        if (result.hessian != nullptr) std::fill_n(result.hessian, n, value);
        if (result.loss != nullptr) *result.loss = value;
        if (result.value != nullptr) *result.value = value;
    }

    /// Numbers the levels that occur, ascending; whether there are two.
    bool gather_levels(const std::int32_t* level, std::size_t n) {
        std::fill(place_.begin(), place_.end(), 0u);
        for (std::size_t i = 0; i < n; ++i) place_[static_cast<std::size_t>(level[i])] = 1;
        present_.clear();
        for (std::size_t l = 0; l < levels_; ++l) {
            if (place_[l] == 0) continue;
            place_[l] = static_cast<std::uint32_t>(present_.size());
            present_.push_back(l);
        }
        return present_.size() > 1;
    }

    /// powers_[document] = exp(sigma (its score - a middle one)), unless the scores are too wide apart for it.
    GRADEVAL_INLINE void raise(std::span<const double> scores) {
        const auto [worst, best] = std::minmax_element(scores.begin(), scores.end());
        spread_ = *best != *worst;
        wide_ = !(options_.sigma * (*best - *worst) < 1200.0);
        powers_.assign(whole_lanes<Lanes>(scores.size()), 0.0);
        if (wide_) return;
        const double middle = *best / 2 + *worst / 2;
        for (std::size_t i = 0; i < scores.size(); ++i) powers_[i] = options_.sigma * (scores[i] - middle);
        for (std::size_t i = 0; i < scores.size(); i += LANES) store(exp_of(load<Lanes>(&powers_[i])), &powers_[i]);
    }

    /// Adds the pairs in the order of ranking_ to the results, without constant factors; returns twice the sum of
    /// their lambdas.
    GRADEVAL_INLINE double add_ranking(std::span<const double> scores, const std::int32_t* level, const Kernel& kernel,
                                       const double* importance, const LambdaResult& result) {
        lay_out(scores, level);
        importance_.assign(importance == nullptr ? 0 : score_.size(), 1.0);
        for (std::size_t r = 0; r < scores.size() && importance != nullptr; ++r)
            importance_[member_[r]] = importance[ranking_.order()[r]];
        if (!cascade_) sum_up(kernel);
        const double total = result.hessian == nullptr ? all_pairs<false>(kernel) : all_pairs<true>(kernel);
        const auto order = ranking_.order();
        for (std::size_t r = 0; r < scores.size(); ++r) {
            result.gradient[order[r]] += gradient_[member_[r]];
            if (result.hessian != nullptr) result.hessian[order[r]] += hessian_[member_[r]];
        }
        return total;
    }

    /// Lays out the members of each level together, best rank first: member_[r] is where the document of rank r stands
    /// there.
    GRADEVAL_INLINE void lay_out(std::span<const double> scores, const std::int32_t* level) {
        const std::size_t n = scores.size();
        const std::size_t long_enough = whole_lanes<Lanes>(n) + LANES;
        const auto order = ranking_.order();
        level_.resize(n);
        begin_.assign(present_.size() + 1, 0);
        for (std::size_t r = 0; r < n; ++r) {
            level_[r] = place_[static_cast<std::size_t>(level[order[r]])];
            ++begin_[level_[r] + 1];
        }
        for (std::size_t l = 0; l < present_.size(); ++l) begin_[l + 1] += begin_[l];
        next_.assign(begin_.begin(), begin_.end() - 1);
        member_.resize(n);
        rank_.resize(n);
        score_.assign(long_enough, 0.0);
        power_.assign(long_enough, 1.0);
        for (std::size_t r = 0; r < n; ++r) {
            member_[r] = next_[level_[r]]++;
            rank_[member_[r]] = r;
            score_[member_[r]] = scores[order[r]];
            power_[member_[r]] = powers_[order[r]];
        }
        next_.assign(begin_.begin(), begin_.end() - 1);
        lambda_.resize(long_enough);
        gradient_.assign(long_enough, 0.0);
        hessian_.assign(long_enough, 0.0);
    }

    /// The tables for the levels that occur.
    void localise(const Kernel& kernel) {
        const std::size_t k = present_.size();
        own_.resize(k);
        for (std::size_t l = 0; l < k; ++l) own_[l] = kernel.own[present_[l]];
        stop_.resize(k);
        for (std::size_t l = 0; l < k && cascade_; ++l) stop_[l] = kernel.stop[present_[l]];
        if (kernel.pairs == nullptr) return;
        pairs_.resize(k * k);
        for (std::size_t x = 0; x < k; ++x)
            for (std::size_t y = 0; y < k; ++y)
                pairs_[x * k + y] = kernel.pairs[present_[x] * levels_ + present_[y]];
    }

    /// up_[y][member] and down_[x][member]: exchanging the documents x at rank a and y at rank b > a changes the
    /// measure by (up[y][a] + down[x][b]) / N. See PairKernel.swap_terms in kernels/pairs.py for the sums.
    GRADEVAL_INLINE void sum_up(const Kernel& kernel) {
        const std::size_t k = present_.size();
        const std::size_t n = level_.size();
        wide_row_ = whole_lanes<Lanes>(n) + LANES;
        up_.resize(k * wide_row_);
        down_.resize(k * wide_row_);
        above_.assign(k, 0.0);
        below_.assign(k, 0.0);
        for (std::size_t r = 0; r < n; ++r) {
            const std::size_t x = level_[r];
            const double w = kernel.weights[r];
            double* const up = up_.data() + member_[r];
            double* const down = down_.data() + member_[r];
            for (std::size_t y = 0; y < k; ++y) up[y * wide_row_] = down[y * wide_row_] = w * (own_[y] - own_[x]);
            if (kernel.pairs == nullptr) continue;
            for (std::size_t y = 0; y < k; ++y) {
                const double credit = above_[y] - above_[x];
                const double debit = below_[y] - below_[x];
                up[y * wide_row_] += w * credit - debit - w * (pairs_[y * k + x] - pairs_[x * k + x]);
                down[y * wide_row_] += w * (credit + pairs_[x * k + y] - pairs_[y * k + y]) - debit;
            }
            for (std::size_t y = 0; y < k; ++y) {
                above_[y] += pairs_[x * k + y];
                below_[y] += w * pairs_[y * k + x];
            }
        }
    }

    /// Adds up all pairs; returns twice the sum of their lambdas.
    template <bool curved>
    GRADEVAL_INLINE double all_pairs(const Kernel& kernel) {
        const std::size_t n = level_.size();
        std::size_t top = options_.truncation == 0 ? n : std::min(options_.truncation, n);
        // Nothing changes where both documents stand beyond the last rank that is worth anything.
        while (options_.distance.empty() && top > 0 && kernel.weights[top - 1] == 0.0) --top;
        const double total = cascade_ ? pairs_below<curved>(kernel, top) : pairs_of_better<curved>(kernel, top);
        return 2 * options_.sigma * total;
    }

    /// Each document with all documents of lower levels, above or below it. next_[y] counts the documents of level y
    /// above it, up to rank `top`.
    template <bool curved>
    GRADEVAL_INLINE double pairs_of_better(const Kernel& kernel, std::size_t top) {
        double total = 0.0;
        for (std::size_t a = 0; a < level_.size(); ++a) {
            const std::size_t x = level_[a];
            if (a < top) {
                for (std::size_t y = 0; y < x; ++y) {
                    weigh_above(a, y, begin_[y], kernel.share);
                    weigh(next_[y], begin_[y + 1], up_[y * wide_row_ + member_[a]], &down_[x * wide_row_],
                          next_[y], kernel.share);
                    add_distances(a, begin_[y], begin_[y + 1], begin_[y], own_[x] - own_[y], kernel.share);
                }
                if (x > 0) total += add_pairs<curved>(member_[a], 0, begin_[x], true);
                ++next_[x];
            } else {
                for (std::size_t y = 0; y < x; ++y) {
                    if (next_[y] == begin_[y]) continue;
                    weigh_above(a, y, 0, kernel.share);
                    add_distances(a, begin_[y], next_[y], 0, own_[x] - own_[y], kernel.share);
                    total += add_pairs<curved>(member_[a], begin_[y], next_[y] - begin_[y], true);
                }
            }
        }
        return total;
    }

    /// The weights of the pairs of the document at rank a with the documents of level y above it, from lambda_[to] on.
    GRADEVAL_INLINE void weigh_above(std::size_t a, std::size_t y, std::size_t to, double share) {
        weigh(begin_[y], next_[y], down_[y * wide_row_ + member_[a]], &up_[level_[a] * wide_row_], to, share);
    }

    /// lambda_[to ..] = |base + change[member]| share for some members; what follows is overwritten.
    GRADEVAL_INLINE void weigh(std::size_t first, std::size_t end, double base, const double* change, std::size_t to,
                               double share) {
        for (std::size_t i = 0; first + i < end; i += LANES)
            store(size_of(load<Lanes>(change + first + i) + base) * share, &lambda_[to + i]);
    }

    /// What the distances of ranks add to lambda_[to ..]; the two levels are `apart` in what a document brings by
    /// itself.
    void add_distances(std::size_t a, std::size_t first, std::size_t end, std::size_t to, double apart, double share) {
        if (options_.distance.empty()) return;
        for (std::size_t i = 0; first + i < end; ++i) {
            const std::size_t other = rank_[first + i];
            lambda_[to + i] += options_.distance[other < a ? a - other : other - a] * std::abs(apart) * share;
        }
    }

    /// Each document of a cascade with those below it, from rank `top` upwards. Exchanging the document at rank a, which
    /// the user reaches with the probability arrived, and the one at rank b below it changes the cascade by
    ///     arrived (w_a (own_b - own_a) - (stop_b - stop_a) between + here ((1 - stop_b) own_a - (1 - stop_a) own_b)),
    /// where of a user who has passed a, between is what the documents between the two are worth, and here the
    /// probability of reaching b times w_b; see CascadeKernel.swaps in kernels/cascade.py. One rank higher,
    ///     between <- w_a own_a + (1 - stop_a) between,    here <- (1 - stop_a) here.
    template <bool curved>
    GRADEVAL_INLINE double pairs_below(const Kernel& kernel, std::size_t top) {
        reach_down(kernel, top);
        double total = 0.0;
        for (std::size_t a = top; a-- > 0;) {
            const std::size_t x = level_[a];
            const double weight = kernel.weights[a];
            for (std::size_t y = 0; y < present_.size() && arrived_[a] > 0.0; ++y) {
                if (y == x || next_[y] == begin_[y + 1]) continue;
                const double factor = arrived_[a] * kernel.share;
                const double at_once = factor * weight * (own_[y] - own_[x]);
                const double by_between = factor * (stop_[y] - stop_[x]);
                const double by_here = factor * ((1.0 - stop_[y]) * own_[x] - (1.0 - stop_[x]) * own_[y]);
                for (std::size_t i = next_[y], to = 0; i < begin_[y + 1]; i += LANES, to += LANES)
                    store(size_of(at_once - load<Lanes>(&between_[i]) * by_between + load<Lanes>(&here_[i]) * by_here),
                          &lambda_[to]);
                total += add_pairs<curved>(member_[a], next_[y], begin_[y + 1] - next_[y], x > y);
            }
            for (std::size_t y = 0; y < present_.size(); ++y)
                pass(next_[y], begin_[y + 1], weight * own_[x], 1.0 - stop_[x]);
            --next_[x];
            between_[member_[a]] = 0.0;
            here_[member_[a]] = weight;
        }
        return total;
    }

    /// between_ and here_ of some members for a rank higher, whose document is worth so much and is passed with so much
    /// probability. (What follows the members is left as it is.)
    GRADEVAL_INLINE void pass(std::size_t first, std::size_t end, double worth, double passing) {
        std::size_t i = first;
        for (; i + LANES <= end; i += LANES) {
            store(worth + passing * load<Lanes>(&between_[i]), &between_[i]);
            store(passing * load<Lanes>(&here_[i]), &here_[i]);
        }
        for (; i < end; ++i) {
            between_[i] = worth + passing * between_[i];
            here_[i] *= passing;
        }
    }

    /// arrived_ down to rank `top`; between_ and here_ of the documents below it, for one who has passed rank top - 1;
    /// and next_[y], the first of level y below it.
    GRADEVAL_INLINE void reach_down(const Kernel& kernel, std::size_t top) {
        const std::size_t n = level_.size();
        arrived_.resize(top);
        between_.assign(whole_lanes<Lanes>(n) + LANES, 0.0);
        here_.assign(whole_lanes<Lanes>(n) + LANES, 0.0);
        double arrived = 1.0;
        for (std::size_t r = 0; r < top; ++r) {
            arrived_[r] = arrived;
            arrived *= 1.0 - stop_[level_[r]];
            ++next_[level_[r]];
        }
        double passed = 1.0;
        double worth = 0.0;
        for (std::size_t r = top; r < n; ++r) {
            between_[member_[r]] = worth;
            here_[member_[r]] = kernel.weights[r] * passed;
            worth += here_[member_[r]] * own_[level_[r]];
            passed *= 1.0 - stop_[level_[r]];
        }
    }

    /// Adds the pairs of member `a` and `count` members from `first` on, whose weights are in lambda_, to gradient,
    /// hessian and loss. The lambda of a pair is the size of its gradient, which raises the better document and lowers
    /// the other; factors of sigma come at the end. Returns the sum of the lambdas.
    template <bool curved>
    GRADEVAL_INLINE double add_pairs(std::size_t a, std::size_t first, std::size_t count, bool better) {
        for (std::size_t i = 0; i < count && !importance_.empty(); i += LANES)
            store(load<Lanes>(&lambda_[i]) * (better ? all_lanes<Lanes>(importance_[a]) : load<Lanes>(&importance_[first + i])),
                  &lambda_[i]);
        store(Lanes{}, &lambda_[count]);  // LANES at a time, the last ones may be of no pair
        if (options_.normalise && spread_) {
            for (std::size_t i = 0; i < count; i += LANES)
                store(load<Lanes>(&lambda_[i]) / (0.01 + size_of(score_[a] - load<Lanes>(&score_[first + i]))), &lambda_[i]);
        }
        if (loss_ != nullptr) *loss_ += sum_losses(a, first, count, better);
        return better ? add_in_direction<curved, true>(a, first, count) : add_in_direction<curved, false>(a, first, count);
    }

    template <bool curved, bool better>
    GRADEVAL_INLINE double add_in_direction(std::size_t a, std::size_t first, std::size_t count) {
        if (wide_) return add_wide<curved, better>(a, first, count);
        Lanes sum{};
        Lanes bend{};
        const double mine = power_[a];
        for (std::size_t i = 0; i < count; i += LANES) {
            // rho = 1 / (1 + exp(sigma (better score - other score))) is a quotient of powers, worked out once for
            // each document, unless the scores lie so far apart that these overflow.
            const Lanes power = load<Lanes>(&power_[first + i]);
            const Lanes inverse = 1.0 / (mine + power);
            const Lanes rho = better ? power * inverse : mine * inverse;
            add_lanes<curved, better>(first + i, load<Lanes>(&lambda_[i]) * rho, better ? mine * inverse : power * inverse, sum,
                                      bend);
        }
        return take<curved, better>(a, sum_of(sum), sum_of(bend));
    }

    template <bool curved, bool better>
    GRADEVAL_INLINE double add_wide(std::size_t a, std::size_t first, std::size_t count) {
        Lanes sum{};
        Lanes bend{};
        for (std::size_t i = 0; i < count; i += LANES) {
            const Lanes ahead = ahead_of<better>(a, first + i);
            const Lanes power = exp_of(-size_of(ahead));  // of what is at least 0, so that nothing overflows
            const Lanes small = power / (1.0 + power);
            const Lanes large = 1.0 / (1.0 + power);
            add_lanes<curved, better>(first + i, load<Lanes>(&lambda_[i]) * choose(ahead > 0.0, small, large),
                                      choose(ahead > 0.0, large, small), sum, bend);
        }
        return take<curved, better>(a, sum_of(sum), sum_of(bend));
    }

    /// sigma times by how much the better document is ahead, for some members.
    template <bool better>
    GRADEVAL_INLINE Lanes ahead_of(std::size_t a, std::size_t first) {
        const Lanes ahead = options_.sigma * (score_[a] - load<Lanes>(&score_[first]));
        return better ? ahead : -ahead;
    }

    /// The lambdas of some pairs, 1 - rho of which is `other`.
    template <bool curved, bool better>
    GRADEVAL_INLINE void add_lanes(std::size_t member, Lanes lambda, Lanes other, Lanes& sum, Lanes& bend) {
        double* const gradient = &gradient_[member];  // the loss falls as the better document rises
        store(better ? load<Lanes>(gradient) + lambda : load<Lanes>(gradient) - lambda, gradient);
        sum += lambda;
        if constexpr (curved) {
            const Lanes curvature = lambda * other;
            store(load<Lanes>(&hessian_[member]) + curvature, &hessian_[member]);
            bend += curvature;
        }
    }

    template <bool curved, bool better>
    GRADEVAL_INLINE double take(std::size_t a, double sum, double bend) {
        gradient_[a] -= better ? sum : -sum;
        if constexpr (curved) hessian_[a] += bend;
        return sum;
    }

    /// The sum of weights times log(1 + exp(-ahead)), which is max(-ahead, 0) + log(1 + exp(-|ahead|)).
    GRADEVAL_INLINE double sum_losses(std::size_t a, std::size_t first, std::size_t count, bool better) {
        Lanes sum{};
        for (std::size_t i = 0; i < count; i += LANES) {
            const Lanes ahead = better ? ahead_of<true>(a, first + i) : ahead_of<false>(a, first + i);
            sum += load<Lanes>(&lambda_[i]) * (larger(-ahead, Lanes{}) + log_one_plus(exp_of(-size_of(ahead))));
        }
        return sum_of(sum);
    }

    std::size_t levels_;
    bool cascade_;
    LambdaOptions options_;
    Noise<Lanes> noise_;
    ValueBench values_;
    bool wide_ = false;    ///< too far apart for powers_
    bool spread_ = false;  ///< not all scores are equal
    double* loss_ = nullptr;
    std::size_t wide_row_ = 0;  ///< the length of a row of up_ and down_
    Ranking ranking_;
    std::vector<std::uint32_t> place_;
    std::vector<std::size_t> present_, begin_, next_, level_, member_, rank_;
    std::vector<double> own_, stop_, pairs_, above_, below_, arrived_;
    Doubles up_, down_, here_, between_, powers_, score_, power_, importance_, lambda_, gradient_, hessian_;
};

/// Gradients, and where they are wanted hessians, losses and values, of LambdaRank for all queries.
inline void lambda_gradients(std::span<const double> scores, std::span<const std::int32_t> level,
                             std::span<const std::int64_t> offsets, const Kernels& kernels,
                             const LambdaOptions& options, const LambdaResult& result) {
    for_queries(
        offsets, options.threads, [&](auto lanes) { return LambdaBench<typename decltype(lanes)::type>(kernels, options); },
        [&](auto& bench, std::size_t q, std::size_t row, std::size_t size) GRADEVAL_LAMBDA {
            const LambdaResult here{result.gradient + row, result.hessian == nullptr ? nullptr : result.hessian + row,
                                    result.loss == nullptr ? nullptr : result.loss + q,
                                    result.value == nullptr ? nullptr : result.value + q};
            const double* const importance = options.importance.empty() ? nullptr : options.importance.data() + row;
            bench.work(scores.subspan(row, size), level.data() + row, kernel_at(kernels, q), importance, here);
        });
}

}  // namespace gradeval

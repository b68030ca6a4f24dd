// LambdaRank's gradients: pairs of documents, each weighted by what their exchange does to a measure.
//
// Index spaces. Each array here is indexed by one of them, and its name or a comment says by which.
//   document     place of a document among those of its query, as the caller gave them: scores, level, gradient
//   rank         place in the order by score, best first, from 0: items_, level_, member_, weights
//   member       place when the ranked documents are laid out level by level, best rank first in each level:
//                score_, lambda_, curvature_, near_, gradient_, hessian_; member_[rank] leads from ranks to members
//   level        one of the levels of the collection: kernels.own, kernels.pairs, place_
//   local level  one of the levels that occur in the query, ascending: own_, pairs_, begin_;
//                place_[level] leads from levels to local levels, present_[local level] back,
//                level_[rank] is the local level of a ranked document, and the members of local level x are
//                begin_[x] .. begin_[x + 1]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "judge/parallel.hpp"
#include "pairs/kernels.hpp"

namespace gradeval {

struct LambdaOptions {
    double sigma = 1.0;
    std::size_t truncation = 0;  ///< only pairs with one of so many first documents; 0: all pairs
    bool normalise = false;      ///< as LightGBM's lambdarank_norm
    std::size_t threads = 0;
    /// By the distance of two ranks, what it adds to the weight of a pair, for each unit that the documents differ in
    /// `own` (NDCG-Loss2++); empty: nothing.
    std::span<const double> distance;
};

/// Works out one query after another; keeps its memory.
class LambdaBench {
  public:
    LambdaBench(const Kernels& kernels, const LambdaOptions& options)
        : levels_(kernels.levels), cascade_(!kernels.stop.empty()), options_(options), place_(kernels.levels) {}

    /// Gradient and hessian of the loss by the scores of a query, whose documents have the given levels.
    void work(std::span<const double> scores, const std::int32_t* level, const Kernel& kernel, double* gradient,
              double* hessian) {
        const std::size_t n = scores.size();
        std::fill_n(gradient, n, 0.0);
        std::fill_n(hessian, n, 0.0);
        if (kernel.share == 0.0 || !gather_levels(level, n)) return;
        rank(scores, level);
        localise(kernel);
        if (cascade_) {
            row_.resize(n);
        } else {
            sum_up(kernel);
        }
        lambda_.resize(n);
        curvature_.resize(n);
        near_.resize(n);
        gradient_.assign(n, 0.0);
        hessian_.assign(n, 0.0);
        const double total = all_pairs(kernel);
        const double factor =
            options_.normalise && total > 0.0 ? std::log2(1.0 + total) / total : 1.0;
        for (std::size_t r = 0; r < n; ++r) {
            gradient[items_[r].document] = gradient_[member_[r]] * factor;
            hessian[items_[r].document] = hessian_[member_[r]] * factor;
        }
    }

  private:
    struct Item {
        double score;
        std::uint32_t document;
    };

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

    /// Ranks the documents, equal scores in the given order, and lays out the members of each level together, best
    /// rank first: member_[r] is where the document of rank r stands there.
    void rank(std::span<const double> scores, const std::int32_t* level) {
        const std::size_t n = scores.size();
        items_.resize(n);
        for (std::uint32_t i = 0; i < n; ++i) items_[i] = {scores[i], i};
        std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
            return a.score > b.score || (a.score == b.score && a.document < b.document);
        });
        level_.resize(n);
        begin_.assign(present_.size() + 1, 0);
        for (std::size_t r = 0; r < n; ++r) {
            level_[r] = place_[static_cast<std::size_t>(level[items_[r].document])];
            ++begin_[level_[r] + 1];
        }
        for (std::size_t l = 0; l < present_.size(); ++l) begin_[l + 1] += begin_[l];
        next_.assign(begin_.begin(), begin_.end() - 1);
        member_.resize(n);
        score_.resize(n);
        for (std::size_t r = 0; r < n; ++r) {
            member_[r] = next_[level_[r]]++;
            score_[member_[r]] = items_[r].score;
        }
        next_.assign(begin_.begin(), begin_.end() - 1);
        const double middle = (items_.front().score + items_.back().score) / 2;
        wide_ = !(options_.sigma * (items_.front().score - items_.back().score) < 1200.0);
        power_.resize(n);
        for (std::size_t i = 0; i < n && !wide_; ++i) power_[i] = std::exp(options_.sigma * (score_[i] - middle));
        spread_ = items_.front().score != items_.back().score;
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

    /// up_[r][y] and down_[x][member]: exchanging the documents x at rank a and y at rank b > a changes the measure by
    /// (up[a][y] + down[x][b]) / N. See PairKernel.swap_terms in kernels/pairs.py for the sums.
    void sum_up(const Kernel& kernel) {
        const std::size_t k = present_.size();
        const std::size_t n = level_.size();
        up_.resize(n * k);
        down_.resize(k * n);
        above_.assign(k, 0.0);
        below_.assign(k, 0.0);
        for (std::size_t r = 0; r < n; ++r) {
            const std::size_t x = level_[r];
            const double w = kernel.weights[r];
            for (std::size_t y = 0; y < k; ++y) {
                const double rise = own_[y] - own_[x];
                double& up = up_[r * k + y];
                double& down = down_[y * n + member_[r]];
                up = down = w * rise;
                if (kernel.pairs == nullptr) continue;
                const double credit = above_[y] - above_[x];
                const double debit = below_[y] - below_[x];
                up += w * credit - debit - w * (pairs_[y * k + x] - pairs_[x * k + x]);
                down += w * (credit + pairs_[x * k + y] - pairs_[y * k + y]) - debit;
            }
            if (kernel.pairs == nullptr) continue;
            for (std::size_t y = 0; y < k; ++y) {
                above_[y] += pairs_[x * k + y];
                below_[y] += w * pairs_[y * k + x];
            }
        }
    }

    /// Adds up all pairs; returns twice the sum of their lambdas.
    double all_pairs(const Kernel& kernel) {
        const std::size_t k = present_.size();
        const std::size_t n = level_.size();
        const std::size_t top = options_.truncation == 0 ? n : std::min(options_.truncation, n);
        double total = 0.0;
        double arrived = 1.0;
        for (std::size_t a = 0; a < top; ++a) {
            const std::size_t x = level_[a];
            if (cascade_) exchange_in_cascade(kernel, a, arrived);
            for (std::size_t b = a + 1; b < n && !options_.distance.empty(); ++b)
                near_[member_[b]] = options_.distance[b - a];
            for (std::size_t y = 0; y < k; ++y) {
                if (y == x || next_[y] == begin_[y + 1]) continue;
                const double base = cascade_ ? 0.0 : up_[a * k + y];
                const double* const change = cascade_ ? row_.data() : down_.data() + x * n;
                const double apart = std::abs(own_[y] - own_[x]);
                total += add_pairs(member_[a], y, base, change, x > y, kernel.share, apart);
            }
            ++next_[x];
            if (cascade_) arrived *= 1.0 - stop_[x];
        }
        return 2 * total;
    }

    /// row_[member]: the change of a cascade by exchanging the document at rank a, which the user reaches with the
    /// probability `arrived`, for each below it. See CascadeKernel.swaps in kernels/cascade.py.
    void exchange_in_cascade(const Kernel& kernel, std::size_t a, double arrived) {
        const double own_a = own_[level_[a]];
        const double stop_a = stop_[level_[a]];
        const double weight = kernel.weights[a];
        double passed = 1.0;
        double between = 0.0;  // what the documents between a and b are worth to a user who has passed a
        for (std::size_t b = a + 1; b < level_.size(); ++b) {
            const double own_b = own_[level_[b]];
            const double stop_b = stop_[level_[b]];
            const double here = kernel.weights[b] * passed;
            const double exchanged = (1.0 - stop_b) * own_a - (1.0 - stop_a) * own_b;
            row_[member_[b]] =
                arrived * (weight * (own_b - own_a) - (stop_b - stop_a) * between + here * exchanged);
            between += here * own_b;
            passed *= 1.0 - stop_b;
        }
    }

    /// Adds the pairs of member `a` and the members of level y below it to gradient and hessian. The lambda
    /// of a pair is the size of its gradient, which raises the better document and lowers the other. `apart` is how far
    /// the two levels differ in what a document brings by itself.
    /// Returns the sum of the lambdas.
    double add_pairs(std::size_t a, std::size_t y, double base, const double* change, bool better, double share,
                     double apart) {
        const std::size_t first = next_[y];
        const std::size_t count = begin_[y + 1] - first;
        const double* const delta = change + first;
        const double* const score = score_.data() + first;
        const double* const power = power_.data() + first;
        double* const lambda = lambda_.data();
        double* const curvature = curvature_.data();
        const double mine = power_[a];
        const double sigma = options_.sigma;
        for (std::size_t i = 0; i < count; ++i) lambda[i] = std::abs(base + delta[i]) * share;
        if (!options_.distance.empty()) {
            const double* const near = near_.data() + first;
            for (std::size_t i = 0; i < count; ++i) lambda[i] += near[i] * apart * share;
        }
        if (options_.normalise && spread_) {
            for (std::size_t i = 0; i < count; ++i) lambda[i] /= 0.01 + std::abs(score_[a] - score[i]);
        }
        // rho = 1 / (1 + exp(sigma (better score - other score))) is a quotient of powers, worked out once for each
        // document, unless the scores lie so far apart that these overflow.
        if (wide_) {
            for (std::size_t i = 0; i < count; ++i) {
                const double ahead = better ? score_[a] - score[i] : score[i] - score_[a];
                const double rho = 1.0 / (1.0 + std::exp(sigma * ahead));
                lambda[i] *= sigma * rho;
                curvature[i] = lambda[i] * sigma * (1.0 - rho);
            }
        } else if (better) {
            for (std::size_t i = 0; i < count; ++i) {
                const double inverse = 1.0 / (mine + power[i]);
                lambda[i] *= sigma * (power[i] * inverse);
                curvature[i] = lambda[i] * sigma * (mine * inverse);
            }
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                const double inverse = 1.0 / (mine + power[i]);
                lambda[i] *= sigma * (mine * inverse);
                curvature[i] = lambda[i] * sigma * (power[i] * inverse);
            }
        }
        const double sign = better ? 1.0 : -1.0;  // the loss falls as the better document rises
        double* const gradient = gradient_.data() + first;
        double* const hessian = hessian_.data() + first;
        for (std::size_t i = 0; i < count; ++i) gradient[i] += sign * lambda[i];
        for (std::size_t i = 0; i < count; ++i) hessian[i] += curvature[i];
        const double sum = sum_of(lambda, count);
        gradient_[a] -= sign * sum;
        hessian_[a] += sum_of(curvature, count);
        return sum;
    }

    /// A sum whose additions need not wait for each other.
    static double sum_of(const double* values, std::size_t count) noexcept {
        double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
        std::size_t i = 0;
        for (; i + 4 <= count; i += 4) {
            s0 += values[i];
            s1 += values[i + 1];
            s2 += values[i + 2];
            s3 += values[i + 3];
        }
        for (; i < count; ++i) s0 += values[i];
        return (s0 + s1) + (s2 + s3);
    }

    std::size_t levels_;
    bool cascade_;
    LambdaOptions options_;
    bool wide_ = false;    ///< too far apart for power_
    bool spread_ = false;  ///< not all scores are equal
    std::vector<std::uint32_t> place_;
    std::vector<std::size_t> present_, begin_, next_, level_, member_;
    std::vector<Item> items_;
    std::vector<double> own_, stop_, pairs_, up_, down_, above_, below_, row_, score_, power_, lambda_, curvature_, near_,
        gradient_,
        hessian_;
};

/// Gradients and hessians of LambdaRank's loss for all queries; rows offsets[q] .. offsets[q + 1] are query q.
inline void lambda_gradients(std::span<const double> scores, std::span<const std::int32_t> level,
                             std::span<const std::int64_t> offsets, const Kernels& kernels,
                             const LambdaOptions& options, double* gradient, double* hessian) {
    constexpr std::size_t at_once = 32;  // queries that a thread takes at a time
    const std::size_t queries = offsets.size() - 1;
    const bool one_own = kernels.own.size() == kernels.levels;
    const bool one_stop = kernels.stop.size() == kernels.levels;
    const bool one_pairs = kernels.pairs.size() == kernels.levels * kernels.levels;
    run_parallel((queries + at_once - 1) / at_once, thread_count(options.threads), [&] {
        return [&, bench = LambdaBench(kernels, options)](std::size_t task) mutable {
            const std::size_t end = std::min(queries, (task + 1) * at_once);
            for (std::size_t q = task * at_once; q < end; ++q) {
                const auto row = static_cast<std::size_t>(offsets[q]);
                const auto size = static_cast<std::size_t>(offsets[q + 1]) - row;
                const std::size_t wide = kernels.levels * kernels.levels;
                const Kernel kernel{
                    kernels.own.data() + (one_own ? 0 : q * kernels.levels),
                    kernels.pairs.empty() ? nullptr : kernels.pairs.data() + (one_pairs ? 0 : q * wide),
                    kernels.weights.data() + kernels.starts[q], kernels.share[q],
                    kernels.stop.empty() ? nullptr : kernels.stop.data() + (one_stop ? 0 : q * kernels.levels)};
                bench.work(scores.subspan(row, size), level.data() + row, kernel, gradient + row, hessian + row);
            }
        };
    });
}

}  // namespace gradeval

// Measures of uncertain scores: each document meets all others, and is ranked above each with some probability.
//
// A column is a document that contributes to the measure; some columns are worked on at a time. For each document
// m of the query, chances_ holds the probabilities that m is above the columns, densities_ the derivatives of
// chances_ by the score of m, and slopes_ the derivatives of the columns' values by chances_. ltr/objectives/soft_kernels.py has the
// formulas, and the same by tensors.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "pairs/kernels.hpp"
#include "pairs/lanes.hpp"
#include "pairs/ranking.hpp"

namespace gradeval {

/// How contests are won, and what a document is worth by the documents above it.
struct ContestOptions {
    double scale = 1.0;     ///< of the difference of two scores: the standard deviation, or 1 / the steepness
    bool logistic = false;  ///< the probability is the logistic function of the difference; else the normal one
    std::span<const double> shifts;   ///< of the score of a column, which is there once for each,
    std::span<const double> chances;  ///< with these weights
    /// What ranks are worth as a sum of exponentials, sum_k coefficients[query or 1][k] bases[k]^(rank - 1); or empty.
    std::span<const double> bases;
    std::span<const double> coefficients;
    std::size_t ranks = 0;     ///< else by the distribution over so many ranks; 0: at the expected rank,
    bool logarithmic = false;  ///< which is worth 1 / log2(1 + rank); else by interpolation of 1 / the weights
};

/// Works out one query after another, Lanes of columns at a time; keeps its memory.
template <class Lanes>
class ContestBench {
    static constexpr std::size_t LANES = lanes_in<Lanes>;

  public:
    ContestBench(std::size_t levels, const ContestOptions& options)
        : levels_(levels), options_(options) {}

    /// The value of a query and its gradient by the scores; not numbers where a score is not finite.
    GRADEVAL_INLINE void work(std::span<const double> scores, const std::int32_t* level, const Kernel& kernel,
                              std::size_t query, double* value, double* gradient) {
        const std::size_t n = scores.size();
        const bool finite = are_finite(scores);
        *value = finite ? 0.0 : std::numeric_limits<double>::quiet_NaN();
        std::fill_n(gradient, n, *value);
        if (kernel.share == 0.0 || !finite) return;
        lay_out(scores, level);
        gather_columns(kernel);
        if (options_.logistic && n > 0) raise();
        const LaneSpan<Lanes> flows = flows_.assign(n);
        gradient_.assign(n, 0.0);
        double total = 0.0;
        for (std::size_t first = 0; first < columns_.size(); first += LANES) {
            take_columns(first, kernel);
            options_.logistic ? meet_logistic() : meet_gaussian();
            Flow flow{densities_.span(), flows, {}};
            total += sum_of(weigh(kernel, query, flow) * chance_);
            for (std::size_t i = 0; i < count_; ++i) gradient_[document_[i]] -= flow.own[i];
        }
        *value = total * kernel.share;
        for (std::size_t m = 0; m < n; ++m) gradient[given_[m]] = (gradient_[m] + sum_of(flows[m])) * kernel.share;
    }

  private:
    /// Adds to the gradient what the documents that are above the columns bring, by the derivatives of what the columns
    /// are worth, each times steepness_.
    struct Flow {
        LaneSpan<Lanes> densities;
        LaneSpan<Lanes> flows;
        Lanes own;  ///< what the columns lose

        GRADEVAL_INLINE void add(std::size_t m, const Lanes& slope) {
            const Lanes flow = slope * densities[m];
            flows.add(m, flow);
            own += flow;
        }
    };

    static constexpr double TINY = 1e-30;  ///< replaces a factor of 0 in a product that is later divided by it

    struct Column {
        std::size_t document, level;
        double shift, chance;
    };

    /// The documents level by level: score_of_, survival_ and given_, where they are among those that are given.
    void lay_out(std::span<const double> scores, const std::int32_t* level) {
        const std::size_t n = scores.size();
        begin_.assign(levels_ + 1, 0);
        for (std::size_t i = 0; i < n; ++i) ++begin_[static_cast<std::size_t>(level[i]) + 1];
        for (std::size_t x = 0; x < levels_; ++x) begin_[x + 1] += begin_[x];
        next_.assign(begin_.begin(), begin_.end() - 1);
        given_.resize(n);
        scores_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t m = next_[static_cast<std::size_t>(level[i])]++;
            given_[m] = i;
            scores_[m] = scores[i];
        }
    }

    /// The powers of logistic contests.
    GRADEVAL_INLINE void raise() {
        const auto [least, most] = std::minmax_element(scores_.begin(), scores_.end());
        middle_ = *least / 2 + *most / 2;
        const double inverse = 1.0 / options_.scale;
        wide_ = !((*most - *least) * inverse < 1200.0);
        scores_.resize(whole_lanes<Lanes>(given_.size()), middle_);
        powers_.resize(scores_.size());
        for (std::size_t m = 0; m < powers_.size() && !wide_; m += LANES)
            store(exp_of((load<Lanes>(&scores_[m]) - middle_) * inverse), &powers_[m]);
        scores_.resize(given_.size());
    }

    /// The documents that contribute: all of a level, if its documents bring or gain something.
    void gather_columns(const Kernel& kernel) {
        columns_.clear();
        for (std::size_t y = 0; y < levels_; ++y) {
            bool contributes = kernel.own[y] != 0.0;
            for (std::size_t x = 0; kernel.pairs != nullptr && x < levels_; ++x)
                contributes = contributes || kernel.pairs[x * levels_ + y] != 0.0;
            for (std::size_t m = begin_[y]; contributes && m < begin_[y + 1]; ++m)
                for (std::size_t j = 0; j < options_.shifts.size(); ++j)
                    columns_.push_back({m, y, options_.shifts[j], options_.chances[j]});
        }
    }

    /// Some columns; where there are fewer, the others contribute nothing.
    void take_columns(std::size_t first, const Kernel& kernel) {
        std::array<double, LANES> score{}, own{}, chance{};
        const LaneSpan<Lanes> pairs = pairs_.assign(levels_);
        count_ = std::min(LANES, columns_.size() - first);
        for (std::size_t i = 0; i < count_; ++i) {
            const Column& column = columns_[first + i];
            document_[i] = column.document;
            score[i] = scores_[column.document] + column.shift;
            own[i] = kernel.own[column.level];
            chance[i] = column.chance;
            for (std::size_t x = 0; kernel.pairs != nullptr && x < levels_; ++x)
                pairs.at(x, i) = kernel.pairs[x * levels_ + column.level];
        }
        score_ = load<Lanes>(score.data());
        own_ = load<Lanes>(own.data());
        chance_ = load<Lanes>(chance.data());
    }

    GRADEVAL_INLINE void meet_gaussian() {
        const std::size_t n = scores_.size();
        const double* const scores = scores_.data();
        const LaneSpan<Lanes> chances = chances_.resize(n);
        const LaneSpan<Lanes> densities = densities_.resize(n);
        const double root = std::sqrt(std::numbers::log2e);  // exp(-(z / root)^2) = 2^(-z^2)
        const double inverse = root / (options_.scale * std::numbers::sqrt2);
        steepness_ = chance_ / (options_.scale * std::sqrt(2.0 * std::numbers::pi));
        const Lanes own_score = score_;
        for (std::size_t m = 0; m < n; ++m) {
            const Lanes z = (scores[m] - own_score) * inverse;
            const Lanes far = smaller(size_of(z), all_lanes<Lanes>(31.0));  // beyond it, probabilities are 0 or 1
            const Lanes power = exp2_of(-(far * far));
            const Lanes tail = 0.5 * power * scaled_tail(far * (1.0 / root));
            chances.set(m, choose(z > 0.0, 1.0 - tail, tail));
            densities.set(m, power);
        }
        leave_themselves_out(chances, densities);
    }

    GRADEVAL_INLINE void meet_logistic() {
        const std::size_t n = scores_.size();
        const double* const scores = scores_.data();
        const LaneSpan<Lanes> chances = chances_.resize(n);
        const LaneSpan<Lanes> densities = densities_.resize(n);
        const double inverse = 1.0 / options_.scale;
        steepness_ = chance_ * inverse;
        const Lanes own_score = score_;
        // A quotient of powers, worked out once for each document, unless the scores lie so far apart that these
        // overflow.
        const double* const powers = powers_.data();
        const Lanes own_power = exp_of((own_score - middle_) * inverse);
        for (std::size_t m = 0; m < n && !wide_; ++m) {
            const Lanes parts = 1.0 / (powers[m] + own_power);
            const Lanes chance = powers[m] * parts;
            chances.set(m, chance);
            densities.set(m, chance * (own_power * parts));
        }
        for (std::size_t m = 0; m < n && wide_; ++m) {
            const Lanes z = (scores[m] - own_score) * inverse;
            const Lanes power = exp_of(-size_of(z));
            const Lanes large = 1.0 / (1.0 + power);
            const Lanes small = power * large;
            chances.set(m, choose(z > 0.0, large, small));
            densities.set(m, large * small);
        }
        leave_themselves_out(chances, densities);
    }

    void leave_themselves_out(LaneSpan<Lanes> chances, LaneSpan<Lanes> densities) {
        for (std::size_t i = 0; i < count_; ++i)
            chances.at(document_[i], i) = densities.at(document_[i], i) = 0.0;
    }

    /// exp(x^2) erfc(x) for x >= 0, to 2e-17 of its size up to 6.5; beyond it exp(-x^2) is next to nothing. A rational
    /// function, fitted in many digits.
    GRADEVAL_INLINE static Lanes scaled_tail(const Lanes& x) {
        constexpr double above[] = {1.0,
                                    1.8816423263108571635,
                                    1.7644881735882949771,
                                    1.0390176403857176376,
                                    0.41467397658388677143,
                                    0.11421014069921888674,
                                    0.021187536720489293084,
                                    0.0024296777585761374771,
                                    0.00013306229642965595683};
        constexpr double below[] = {1.0,
                                    3.0100214934063738955,
                                    4.1609337192575716217,
                                    3.47635984952222286,
                                    1.9406893192641824651,
                                    0.75364800323434782221,
                                    0.20458556294979128041,
                                    0.037671848410335577453,
                                    0.0043064919036005501678,
                                    0.00023584677642956487679};
        return polynomial(above, x) / polynomial(below, x);
    }

    /// What the columns are worth; its derivatives flow.
    GRADEVAL_INLINE Lanes weigh(const Kernel& kernel, std::size_t query, Flow& flow) {
        if (options_.ranks != 0) return by_distribution(kernel, flow);
        if (options_.bases.empty()) return at_expected_ranks(kernel, flow);
        const std::size_t count = options_.bases.size();
        const double* const coefficients =
            options_.coefficients.data() + (options_.coefficients.size() == count ? 0 : query * count);
        const bool vanishes = *std::min_element(options_.bases.begin(), options_.bases.end()) == 0.0;
        if (kernel.pairs == nullptr && kernel.stop == nullptr && !vanishes)
            return by_exponentials<false>(kernel, coefficients, flow);
        return by_exponentials<true>(kernel, coefficients, flow);
    }

    /// The expected credit times the worth of the expected rank. See SoftKernel.at_expected_ranks.
    GRADEVAL_INLINE Lanes at_expected_ranks(const Kernel& kernel, Flow& flow) {
        const std::size_t n = scores_.size();
        const LaneSpan<Lanes> chances = chances_.span();
        const LaneSpan<Lanes> pairs = pairs_.span();
        Lanes rank = all_lanes<Lanes>(1.0);
        Lanes credit = own_;
        for (std::size_t x = 0; x < levels_; ++x) {
            Lanes above{};
            for (std::size_t m = begin_[x]; m < begin_[x + 1]; ++m) above += chances[m];
            rank += above;
            credit += pairs[x] * above;
        }
        std::array<double, LANES> weights{}, drops{};
        for (std::size_t i = 0; i < count_; ++i) {
            if (options_.logarithmic) {
                weights[i] = 1.0 / std::log2(1.0 + rank[i]);
                drops[i] = -weights[i] * weights[i] / ((1.0 + rank[i]) * std::numbers::ln2);
            } else {
                const auto low = std::min(static_cast<std::size_t>(rank[i]), std::max<std::size_t>(1, n - 1));
                const double first = 1.0 / kernel.weights[low - 1];
                const double step = n == 1 ? 0.0 : 1.0 / kernel.weights[low] - first;
                weights[i] = 1.0 / (first + step * (rank[i] - static_cast<double>(low)));
                drops[i] = -step * weights[i] * weights[i];
            }
        }
        const Lanes weight = load<Lanes>(weights.data());
        const Lanes drop = credit * load<Lanes>(drops.data());
        for (std::size_t x = 0; x < levels_; ++x) {
            const Lanes slope = (pairs[x] * weight + drop) * steepness_;
            for (std::size_t m = begin_[x]; m < begin_[x + 1]; ++m) flow.add(m, slope);
        }
        return credit * weight;
    }

    /// own E[w(rank)], by the distribution of the rank over the first ranks. Documents are added one by one
    /// to the set that may be above; the derivatives undo these steps in the opposite order. See ByDistribution.
    GRADEVAL_INLINE Lanes by_distribution(const Kernel& kernel, Flow& flow) {
        const std::size_t n = scores_.size();
        const std::size_t ranks = std::min(options_.ranks, n);
        const double* const weights = kernel.weights;
        const LaneSpan<Lanes> chances = chances_.span();
        const LaneSpan<Lanes> before = before_.resize(n * ranks);
        const LaneSpan<Lanes> now = now_.assign(ranks + 1);
        now.set(0, all_lanes<Lanes>(1.0));
        for (std::size_t m = 0; m < n; ++m) {
            const Lanes chance = chances[m];
            const Lanes other = 1.0 - chance;
            Lanes fewer{};  // one document less is above
            for (std::size_t r = 0; r < ranks; ++r) {
                const Lanes same = now[r];
                before.set(m * ranks + r, same);
                now.set(r, same * other + fewer * chance);
                fewer = same;
            }
        }
        Lanes worth{};
        for (std::size_t r = 0; r < ranks; ++r) {
            worth += now[r] * weights[r];
            now.set(r, steepness_ * own_ * weights[r]);
        }
        for (std::size_t m = n; m-- > 0;) {
            const Lanes chance = chances[m];
            Lanes slope{};
            Lanes here = now[0];
            for (std::size_t r = 0; r < ranks; ++r) {
                const Lanes next = now[r + 1];  // nothing at the last
                const Lanes step = next - here;
                slope += before[m * ranks + r] * step;
                now.set(r, here + chance * step);
                here = next;
            }
            flow.add(m, slope);
        }
        return worth * own_;
    }

    /// sum_k c_k prod_m F_m (own + sum_m pairs_m chance_m t_k / F_m) with F_m = 1 - chance_m (1 - t_k survival_m). See
    /// ByExponentials. Four exponentials at a time, whose fractions are added before they are divided.
    template <bool general>
    GRADEVAL_INLINE Lanes by_exponentials(const Kernel& kernel, const double* coefficients, Flow& flow) {
        constexpr std::size_t together = 4;
        const LaneSpan<Lanes> chances = chances_.span();
        const LaneSpan<Lanes> pairs = pairs_.span();
        const LaneSpan<Lanes> slopes = slopes_.assign(scores_.size());
        const bool paired = general && kernel.pairs != nullptr;
        Lanes value{};
        for (std::size_t first = 0; first < options_.bases.size(); first += together) {
            double base[together] = {1.0, 1.0, 1.0, 1.0};
            Lanes passed[together] = {};
            Lanes worth[together] = {own_, own_, own_, own_};
            for (std::size_t k = 0; k < together && first + k < options_.bases.size(); ++k) {
                base[k] = options_.bases[first + k];
                passed[k] = all_lanes<Lanes>(coefficients[first + k]);
            }
            for (std::size_t x = 0; x < levels_; ++x) {
                const double survival = general && kernel.stop != nullptr ? 1.0 - kernel.stop[x] : 1.0;
                for (std::size_t m = begin_[x]; m < begin_[x + 1]; ++m) {
                    const Lanes chance = chances[m];
                    for (std::size_t k = 0; k < together; ++k) {
                        const Lanes left = remain<general>(chance, 1.0 - base[k] * survival);
                        passed[k] *= left;
                        if (paired) worth[k] += pairs[x] * chance * base[k] / left;
                    }
                }
            }
            for (std::size_t k = 0; k < together; ++k) {
                value += passed[k] * worth[k];
                worth[k] *= passed[k];
            }
            for (std::size_t x = 0; x < levels_; ++x) {
                const double survival = general && kernel.stop != nullptr ? 1.0 - kernel.stop[x] : 1.0;
                Lanes rise[together];
                for (std::size_t k = 0; k < together; ++k) rise[k] = worth[k] * (base[k] * survival - 1.0);
                for (std::size_t m = begin_[x]; m < begin_[x + 1]; ++m) {
                    const Lanes chance = chances[m];
                    Lanes left[together];
                    Lanes slope[together];
                    for (std::size_t k = 0; k < together; ++k) {
                        left[k] = remain<general>(chance, 1.0 - base[k] * survival);
                        slope[k] = rise[k];
                        if (paired) slope[k] += pairs[x] * passed[k] * base[k] / left[k];
                    }
                    const Lanes some = left[0] * left[1];
                    const Lanes others = left[2] * left[3];
                    slopes.add(m, ((slope[0] * left[1] + slope[1] * left[0]) * others +
                                   (slope[2] * left[3] + slope[3] * left[2]) * some) /
                                      (some * others));
                }
            }
        }
        for (std::size_t m = 0; m < scores_.size(); ++m) flow.add(m, slopes[m] * steepness_);
        return value;
    }

    template <bool general>
    GRADEVAL_INLINE static Lanes remain(const Lanes& chance, double lost) {
        const Lanes left = 1.0 - chance * lost;
        return general ? larger(left, all_lanes<Lanes>(TINY)) : left;
    }

    std::size_t levels_;
    ContestOptions options_;
    std::vector<std::size_t> begin_, next_, given_;  ///< the documents of level x are begin_[x] .. begin_[x + 1]
    std::vector<double> scores_, gradient_, powers_;
    double middle_ = 0.0;
    bool wide_ = false;  ///< too far apart for powers_
    std::vector<Column> columns_;
    std::size_t count_ = 0;                      ///< of the columns that are worked on
    std::array<std::size_t, LANES> document_{};  ///< which they are
    Lanes score_{}, own_{}, chance_{};           ///< of these columns
    Lanes steepness_{};  ///< their chances times what all densities are multiplied by
    LaneArray<Lanes> chances_, densities_, slopes_, flows_;
    LaneArray<Lanes> pairs_;        ///< by level above
    LaneArray<Lanes> before_, now_;  ///< before_[document][rank], now_[rank]
};

}  // namespace gradeval

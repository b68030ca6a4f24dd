// Rankings drawn around the scores of a query, by random numbers that only the query and a seed decide.
//
// Engines tell an objective neither which tree nor which query it is, and a query may be on any machine. So the
// numbers come from what they are drawn for: SplitMix64, whose state is counted, begins at a hash of the seed and of the
// scores and levels of the query's documents in their order.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>

#include "pairs/lanes.hpp"
#include "pairs/ranking.hpp"

namespace gradeval {

struct DrawOptions {
    std::size_t count = 0;  ///< of rankings; 0: the present one alone
    bool gaussian = false;  ///< noise by the normal distribution, else by Gumbel's
    double spread = 1.0;    ///< what noise is multiplied by
    std::uint64_t seed = 0;
};

inline constexpr std::uint64_t STEP = 0x9E3779B97F4A7C15;

/// The output of SplitMix64 in a state (Steele, Lea & Flood, 2014).
GRADEVAL_INLINE std::uint64_t mix(std::uint64_t state) noexcept {
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
    return state ^ (state >> 31);
}

/// Number (row, place) of those that follow from a key, between 0 and 1, neither of them: one of 2^52 in the middle of as
/// many intervals.
GRADEVAL_INLINE double uniform_of(std::uint64_t key, std::size_t row, std::size_t place) noexcept {
    const std::uint64_t counter = (static_cast<std::uint64_t>(row) << 32) + place + 1;
    const std::uint64_t word = mix(key + counter * STEP);
    return std::bit_cast<double>((word >> 12) | 0x3FF0000000000000) - (1.0 - 0x1p-53);
}

/// What a document adds to the hash of its query.
GRADEVAL_INLINE std::uint64_t hash_of(std::uint64_t value, std::int32_t level, std::size_t place) noexcept {
    return mix(mix(value) + ((static_cast<std::uint64_t>(level) << 32) + place + 1) * STEP);
}

/// Puts documents of equal scores into an order by chance, which the seed, the levels and the ranks of the query decide,
/// and no rounding of scores.
GRADEVAL_INLINE void order_ties_by_chance(Ranking& ranking, std::span<const double> scores, const std::int32_t* level,
                                          std::uint64_t seed) {
    const auto order = ranking.order();
    std::uint64_t key = seed;
    for (std::size_t first = 0; first < order.size();) {
        const std::size_t end = end_of_tie(order, scores, first);
        for (std::size_t r = first; r < end; ++r) key += hash_of(first, level[order[r]], order[r]);
        first = end;
    }
    key = mix(key);
    ranking.order_ties(scores, [&](std::size_t place) GRADEVAL_LAMBDA { return uniform_of(key, 0, place); });
}

/// Adds noise to the scores of a query; keeps its memory.
template <class V>
class Noise {
  public:
    explicit Noise(const DrawOptions& options) : options_(options) {}

    /// Takes the query with these scores and levels. Scores count in single precision: engines that sum them up in
    /// another order then draw the same.
    GRADEVAL_INLINE void take(std::span<const double> scores, const std::int32_t* level) {
        key_ = options_.seed;
        for (std::size_t i = 0; i < scores.size(); ++i) {
            const std::uint64_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(scores[i]) + 0.0f);
            key_ += hash_of(bits, level[i], i);
        }
        key_ = mix(key_);
        uniform_.resize(whole_lanes<V>(scores.size()));
        drawn_.resize(whole_lanes<V>(scores.size()));
    }

    /// The scores with noise for ranking number `draw`, from 0.
    GRADEVAL_INLINE std::span<const double> draw(std::span<const double> scores, std::size_t draw) {
        const std::size_t n = scores.size();
        for (std::size_t i = 0; i < n; ++i) uniform_[i] = uniform(2 * draw, i);
        if (options_.gaussian) {
            for (std::size_t i = 0; i < n; ++i)  // Box and Muller
                drawn_[i] = std::sqrt(-2.0 * std::log(uniform_[i])) *
                            std::cos(2.0 * std::numbers::pi * uniform(2 * draw + 1, i));
        } else {
            for (std::size_t i = n; i < uniform_.size(); ++i) uniform_[i] = 0.5;
            for (std::size_t i = 0; i < n; i += lanes_in<V>) store(-log_of(-log_of(load<V>(&uniform_[i]))), &drawn_[i]);
        }
        for (std::size_t i = 0; i < n; ++i) drawn_[i] = scores[i] + options_.spread * drawn_[i];
        return {drawn_.data(), n};
    }

  private:
    GRADEVAL_INLINE double uniform(std::size_t row, std::size_t place) const noexcept {
        return uniform_of(key_, row, place);
    }

    DrawOptions options_;
    std::uint64_t key_ = 0;
    Doubles uniform_, drawn_;
};

}  // namespace gradeval

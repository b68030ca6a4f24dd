// The ranks that a run gives next to its scores.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runs/line.hpp"

namespace gradeval {

/// Stands for a rank that is not given, or is no whole number.
inline constexpr std::uint32_t no_rank = 0xFFFFFFFF;

/// A rank given as a number.
inline std::uint32_t whole_rank(double given) noexcept {
    return given >= 0 && given < no_rank && given == std::floor(given) ? static_cast<std::uint32_t>(given) : no_rank;
}

/// How often the score of a topic's lines rises from one rank to the next: there ranks and scores contradict each other.
/// Lines of one rank go by their scores. Where a line has no rank, ranks say nothing. `falling`: do the scores fall from
/// line to line, or tie?
template <class Source>
std::uint32_t count_contradictions(const Source& source, std::span<const Line> lines, bool falling) {
    if (falling) {  // and ranks rise, or tie: as most runs are
        std::uint32_t before = 0;
        std::size_t rising = 0;
        for (; rising < lines.size(); ++rising) {
            const std::uint32_t rank = source.rank_of(lines[rising]);
            if (rank < before) break;
            before = rank;
        }
        if (rising == lines.size()) return 0;
    }
    std::vector<std::pair<std::uint32_t, double>> ranked;  // rank and score, negative: both ascend
    ranked.reserve(lines.size());
    for (const Line& line : lines) {
        const std::uint32_t rank = source.rank_of(line);
        if (rank == no_rank) return 0;
        ranked.emplace_back(rank, -line.score);
    }
    if (!std::is_sorted(ranked.begin(), ranked.end())) std::sort(ranked.begin(), ranked.end());
    std::uint32_t count = 0;
    for (std::size_t i = 1; i < ranked.size(); ++i) count += ranked[i].second < ranked[i - 1].second;
    return count;
}

}  // namespace gradeval

// The order of a topic's lines: score descending, ties by document id descending or by place.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runs/line.hpp"

namespace gradeval {

enum class Ties {
    docid,          ///< scores as double, then document id descending by bytes (trec_eval 10)
    docid_float32,  ///< the same with scores in single precision (trec_eval up to 9.0.8)
    order,          ///< scores as double; equal scores stay as they come
};

/// A number that grows as the score falls; equal for equal scores (-0.0 and 0.0 are).
inline std::uint64_t falling_key(double score, Ties ties) noexcept {
    if (ties == Ties::docid_float32) score = static_cast<double>(static_cast<float>(score));
    const auto bits = std::bit_cast<std::uint64_t>(score + 0.0);
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    return (bits & sign) != 0 ? bits : ~(bits | sign);
}

/// Whether a stands before b among equal scores.
inline bool id_before(const Line& a, const Line& b) noexcept { return a.document() > b.document(); }

/// Ranks of lines with the same score, from 1.
struct TiedRanks {
    std::int32_t first;
    std::int32_t last;
};

/// Orders the lines of one topic; keeps its memory from topic to topic.
class Ranker {
  public:
    struct Item {
        std::uint64_t key;
        std::uint32_t line;
    };

    /// Ranks the lines. Afterwards line_at(r) is the index of the line at rank r + 1, and tied() the number
    /// of lines that share their score with another; groups() are these lines.
    void rank(std::span<const Line> lines, Ties ties) {
        tied_ = 0;
        groups_.clear();
        falling_ = true;
        items_.resize(lines.size());
        bool strict = true;
        for (std::uint32_t i = 0; i < lines.size(); ++i) {
            items_[i] = {falling_key(lines[i].score, ties), i};
            if (i == 0 || items_[i].key > items_[i - 1].key) continue;
            strict = false;
            falling_ = falling_ && items_[i].key == items_[i - 1].key;
        }
        if (strict) return;
        if (!falling_) sort_by_key(lines);
        settle_ties(lines, ties);
    }

    std::uint32_t line_at(std::size_t rank) const noexcept { return items_[rank].line; }
    std::uint32_t tied() const noexcept { return tied_; }
    /// The ranks of equal scores, two or more each, best first.
    std::span<const TiedRanks> groups() const noexcept { return groups_; }
    /// Did the lines come with falling scores, or equal ones?
    bool falling() const noexcept { return falling_; }

  private:
    /// Sorts by key, then line: scores spread well over their range, so counting them into about as many buckets as
    /// there are lines leaves little to compare. (Sorting by bits would not do so:
    /// the bits of 0 are far from the bits of any other score.)
    void sort_by_key(std::span<const Line> lines) {
        const auto [least, most] = std::minmax_element(
            lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.score < b.score; });
        const double highest = most->score;
        const double range = highest - least->score;
        const auto buckets = static_cast<double>(std::bit_ceil(items_.size()));
        const double factor = range > 0 && std::isfinite(range) && std::isfinite(buckets / range) ? buckets / range : 0.0;
        const auto bucket = [&](const Item& item) {  // each step keeps the order, so that no rounding can break it
            return factor > 0 ? static_cast<std::size_t>((highest - lines[item.line].score) * factor) : 0;
        };
        ends_.assign(factor > 0 ? static_cast<std::size_t>(range * factor) + 1 : 1, 0);
        for (const Item& item : items_) ++ends_[bucket(item)];
        std::uint32_t begin = 0;
        for (std::uint32_t& end : ends_) begin += std::exchange(end, begin);  // now where each bucket begins
        scattered_.resize(items_.size());
        for (const Item& item : items_) scattered_[ends_[bucket(item)]++] = item;
        items_.swap(scattered_);
        std::uint32_t from = 0;
        for (const std::uint32_t end : ends_) {
            if (end - from > 1) {
                std::sort(items_.begin() + from, items_.begin() + end, [](const Item& a, const Item& b) {
                    return a.key != b.key ? a.key < b.key : a.line < b.line;
                });
            }
            from = end;
        }
    }

    void settle_ties(std::span<const Line> lines, Ties ties) {
        const auto before = [&](const Item& a, const Item& b) {
            return id_before(lines[a.line], lines[b.line]);
        };
        for (auto begin = items_.begin(); begin != items_.end();) {
            auto end = begin + 1;
            while (end != items_.end() && end->key == begin->key) ++end;
            if (end - begin > 1) {
                tied_ += static_cast<std::uint32_t>(end - begin);
                groups_.push_back({static_cast<std::int32_t>(begin - items_.begin()) + 1,
                                   static_cast<std::int32_t>(end - items_.begin())});
                if (ties != Ties::order && !std::is_sorted(begin, end, before)) std::sort(begin, end, before);
            }
            begin = end;
        }
    }

    std::vector<Item> items_;
    std::vector<Item> scattered_;
    std::vector<std::uint32_t> ends_;  // of buckets
    std::vector<TiedRanks> groups_;
    std::uint32_t tied_ = 0;
    bool falling_ = true;
};

}  // namespace gradeval

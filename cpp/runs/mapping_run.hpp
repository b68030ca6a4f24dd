// A run from a mapping of mappings, copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runs/line.hpp"
#include "runs/ranks.hpp"
#include "text/arena.hpp"
#include "text/bytes.hpp"
#include "text/error.hpp"
#include "text/text.hpp"
#include "text/utf8.hpp"

namespace gradeval {

/// Lines of a mapping, topic by topic. Positions are ordinals of topics.
class MappingRun {
  public:
    struct Opening {};

    explicit MappingRun(std::string where) : where_(std::move(where)) {}

    /// A topic of which about `size` lines are expected.
    void add_topic(std::string_view topic, std::size_t size) {
        if (lines_.size() + size > lines_.capacity()) lines_.reserve(std::max(2 * lines_.capacity(), lines_.size() + size));
        topics_.push_back({arena_.keep(topic), {lines_.size(), lines_.size()}});
    }
    void add_line(std::string_view document, double score) {
        const std::string_view id = arena_.keep(document);
        lines_.emplace_back(id.data(), score, hash_of(id), static_cast<std::uint32_t>(id.size()),
                            static_cast<std::uint32_t>(lines_.size()));
        topics_.back().lines.end = lines_.size();
    }

    /// The ranks of all lines, in their order.
    void give_ranks(std::span<const double> ranks) { ranks_.assign(ranks.begin(), ranks.end()); }
    std::span<const double> ranks() const noexcept { return ranks_; }
    std::size_t count_lines() const noexcept { return lines_.size(); }

    Opening open() const { return {}; }

    std::vector<Range> parts(const Opening&, std::uint64_t part_bytes) const {
        std::vector<Range> ranges;
        std::uint64_t begin = 0;
        std::uint64_t held = 0;
        for (std::uint64_t t = 0; t < topics_.size(); ++t) {
            held += topics_[t].lines.size() * sizeof(Line);
            if (held < part_bytes) continue;
            ranges.push_back({begin, t + 1});
            begin = t + 1;
            held = 0;
        }
        if (begin < topics_.size()) ranges.push_back({begin, topics_.size()});
        return ranges;
    }

    template <class Sink>
    void scan(const Opening&, std::span<const Range> ranges, Window&, std::vector<Line>&, Skipped&, Sink&& sink) const {
        const std::span<const Line> all(lines_);
        for (const Range& range : ranges) {
            for (std::uint64_t t = range.begin; t < range.end; ++t) {
                const auto& [topic, lines] = topics_[t];
                sink(topic, all.subspan(lines.begin, lines.size()), Range{t, t + 1});
            }
        }
    }

    /// Calls each(topic, lines) for all topics, in order.
    template <class Each>
    void for_each_topic(Each&& each) const {
        const std::span<const Line> all(lines_);
        for (const auto& [topic, lines] : topics_) each(topic, all.subspan(lines.begin, lines.size()));
    }

    Failure duplicate(std::string_view topic, const Line&, const Line& second, const Window&) const {
        return {0,
                "document " + in_quotes(second.document()) + " of topic " + excerpt(topic) + " is given twice; " +
                    once_in_run};
    }

    /// The rank that a line gives next to its score.
    std::uint32_t rank_of(const Line& line) const noexcept {
        return ranks_.empty() ? no_rank : whole_rank(ranks_[line.place]);
    }

    void hold(Range, Window&) const noexcept {}
    void let_go(Window&) const noexcept {}

    InputError error(const Failure& failure) const { return InputError(where_ + ": " + failure.text); }
    const std::string& where() const noexcept { return where_; }
    std::uint64_t size() const noexcept { return lines_.size() * sizeof(Line); }

  private:
    struct Topic {
        std::string_view name;
        Range lines;
    };
    Arena arena_;
    std::vector<Topic> topics_;
    std::vector<Line> lines_;
    std::vector<double> ranks_;  // none, or one for each line
    std::string where_;
};

}  // namespace gradeval

// A run as columns of a table, looked at in place.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runs/column.hpp"
#include "runs/line.hpp"
#include "runs/ranks.hpp"
#include "text/bytes.hpp"
#include "text/error.hpp"
#include "text/text.hpp"

namespace gradeval {

/// Lines as rows of a table whose columns their owner keeps alive. Positions are rows.
class ColumnRun {
  public:
    struct Opening {};

    /// The columns must be sound and of one length; `ranks` is empty where there are none.
    ColumnRun(StringColumn topics, StringColumn documents, std::span<const double> scores,
              std::span<const double> ranks, std::string where)
        : topics_(topics), documents_(documents), scores_(scores), ranks_(ranks), where_(std::move(where)) {}

    Opening open() const { return {}; }

    std::vector<Range> parts(const Opening&, std::uint64_t part_bytes) const {
        std::vector<Range> ranges;
        const std::uint64_t rows = scores_.size();
        const std::uint64_t step = part_bytes / sizeof(Line) + 1;
        for (std::uint64_t begin = 0; begin < rows;) {
            std::uint64_t end = begin + std::min(step, rows - begin);
            while (end < rows && topics_[end] == topics_[end - 1]) ++end;
            ranges.push_back({begin, end});
            begin = end;
        }
        return ranges;
    }

    template <class Sink>
    void scan(const Opening&, std::span<const Range> ranges, Window&, std::vector<Line>& lines, Skipped&,
              Sink&& sink) const {
        for (const Range& range : ranges) scan_range(range, lines, sink);
    }

    Failure duplicate(std::string_view topic, const Line& first, const Line& second, const Window&) const {
        return {second.place,
                "document " + in_quotes(second.document()) + " of topic " + excerpt(topic) +
                    " was already given in ",
                first.place, std::string("; ") + once_in_run};
    }

    /// The rank that a line gives next to its score.
    std::uint32_t rank_of(const Line& line) const noexcept {
        return ranks_.empty() ? no_rank : whole_rank(ranks_[line.place]);
    }

    void hold(Range, Window&) const noexcept {}
    void let_go(Window&) const noexcept {}

    InputError error(const Failure& failure) const { return error_in_rows(where_, failure); }
    std::uint64_t size() const noexcept { return scores_.size() * sizeof(Line); }

  private:
    template <class Sink>
    void scan_range(Range range, std::vector<Line>& lines, Sink&& sink) const {
        lines.clear();
        std::uint64_t group = range.begin;
        const auto hand_over = [&](std::uint64_t end) {
            if (end > group) sink(topics_[group], std::span<const Line>(lines), Range{group, end});
            lines.clear();
            group = end;
        };
        for (std::uint64_t row = range.begin; row < range.end; ++row) {
            if (row > group && topics_[row] != topics_[group]) hand_over(row);
            try {
                lines.push_back(line(row, row == group));
            } catch (const Failure&) {
                hand_over(row);
                throw;
            }
        }
        hand_over(range.end);
    }

    /// Throws a Failure.
    Line line(std::uint64_t row, bool new_topic) const {
        const std::string_view document = documents_[row];
        if (new_topic) require_utf8_in_row(row, topics_[row], "topic");
        require_utf8_in_row(row, document, "document");
        if (!std::isfinite(scores_[row]))
            throw not_finite(row, scores_[row], "score", topics_[row], document);
        return {document.data(), scores_[row], hash_of(document), static_cast<std::uint32_t>(document.size()),
                static_cast<std::uint32_t>(row)};
    }

    StringColumn topics_;
    StringColumn documents_;
    std::span<const double> scores_;
    std::span<const double> ranks_;
    std::string where_;
};

}  // namespace gradeval

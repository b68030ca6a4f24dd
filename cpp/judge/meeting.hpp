// One topic of one run meets its pool.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/exclusion.hpp"
#include "judge/pools.hpp"
#include "judge/rank.hpp"
#include "runs/line.hpp"
#include "runs/ranks.hpp"
#include "text/tags.hpp"
#include "text/text.hpp"

namespace gradeval {

/// A document of the pool that the run retrieved.
struct Entry {
    std::int32_t rank;      ///< from 1
    std::int32_t document;  ///< index in the topic's pool
    TiedRanks tied;         ///< the ranks of the lines with the same score; its own where there is no other
};

/// The result of one topic of a run: a range of entries, which are stored elsewhere, and counts.
struct TopicResult {
    std::uint64_t begin = 0;  ///< of its entries
    std::uint64_t end = 0;
    std::uint32_t tied = 0;
    std::uint32_t contradicting = 0;  ///< see count_contradictions
    std::uint32_t repeated = 0;       ///< lines that Repeated leaves out
    std::uint32_t excluded = 0;       ///< lines that the Exclusion leaves out
    bool itself = false;              ///< see begins_with_itself
};

/// By which judgments a run is judged, and how.
struct Rules {
    const Pools& pools;
    Ties ties = Ties::docid;
    Repeated repeated = Repeated::refuse;
    const Exclusion& excluded;
};

/// Finds documents that come twice in a topic; keeps its memory from topic to topic.
class Twins {
  public:
    /// The first line whose document came before, with the line where it came.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> find(std::span<const Line> lines) {
        const std::uint64_t size = tags::places_for(lines.size());
        if (slots_.size() < size) slots_.resize(size);
        tags_.assign(size, 0);
        for (std::uint32_t i = 0; i < lines.size(); ++i) {
            const auto [at, found] = tags::find(tags_, lines[i].hash, [&](std::uint64_t place) {
                return same_document(lines[slots_[place]], lines[i]);
            });
            if (found) return std::pair{slots_[at], i};
            slots_[at] = i;
            tags_[at] = tags::tag_of(lines[i].hash);
        }
        return std::nullopt;
    }

    /// One line of each document, in their order.
    void keep_one(std::span<const Line> lines, Repeated repeated, std::vector<Line>& kept) {
        std::vector<bool> leaves(lines.size());
        tags_.assign(slots_.size(), 0);
        for (std::uint32_t i = 0; i < lines.size(); ++i) {
            const auto [at, found] = tags::find(tags_, lines[i].hash, [&](std::uint64_t place) {
                return same_document(lines[slots_[place]], lines[i]);
            });
            tags_[at] = tags::tag_of(lines[i].hash);
            if (found && !(repeated == Repeated::best && lines[i].score > lines[slots_[at]].score)) {
                leaves[i] = true;
                continue;
            }
            if (found) leaves[slots_[at]] = true;
            slots_[at] = i;
        }
        kept.clear();
        for (std::uint32_t i = 0; i < lines.size(); ++i) {
            if (!leaves[i]) kept.push_back(lines[i]);
        }
    }

  private:
    std::vector<std::uint32_t> slots_;  // the line
    std::vector<std::uint8_t> tags_;
};

/// The memory that a worker reuses from topic to topic.
struct Workbench {
    Window window;             // the text at hand
    std::vector<Range> ranges;  // of a topic whose lines are scattered
    Ranker ranker;
    Twins twins;
    std::vector<Line> lines;
    std::vector<Line> distinct;  // one of each document, where some come twice
    std::vector<Line> left;      // those that count, where some are excluded
    std::vector<std::int32_t> documents;
};

/// Ranks the lines of a topic, whose documents differ, and appends those in its pool to `entries`, best rank first.
inline TopicResult rank_and_look_up(std::span<const Line> lines, const Pools& pools, std::uint32_t pool, Ties ties,
                                    Workbench& bench, std::vector<Entry>& entries) {
    TopicResult result{entries.size(), entries.size()};
    bench.ranker.rank(lines, ties);
    bench.documents.resize(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) bench.documents[i] = pools.find(pool, lines[i]);
    entries.resize(entries.size() + lines.size());
    Entry* entry = entries.data() + result.begin;
    auto group = bench.ranker.groups().begin();
    const auto last_group = bench.ranker.groups().end();
    for (std::size_t r = 0; r < lines.size(); ++r) {
        const auto rank = static_cast<std::int32_t>(r + 1);
        while (group != last_group && group->last < rank) ++group;
        const std::int32_t document = bench.documents[bench.ranker.line_at(r)];
        const bool is_tied = group != last_group && group->first <= rank;
        *entry = {rank, document, is_tied ? *group : TiedRanks{rank, rank}};
        entry += document >= 0;  // else the next one takes its place
    }
    result.end = static_cast<std::uint64_t>(entry - entries.data());
    entries.resize(result.end);
    result.tied = bench.ranker.tied();
    return result;
}

/// The lines that count.
inline std::span<const Line> leave_out(std::string_view topic, std::span<const Line> lines, const Exclusion& exclusion,
                                       Workbench& bench) {
    const Exclusion::OfTopic excluded = exclusion.of(topic);
    bench.left.clear();
    for (const Line& line : lines) {
        if (!excluded.has(line)) bench.left.push_back(line);
    }
    return bench.left;
}

/// Whether the first document is called as its topic and not in the pool: so a query comes that is itself one of the
/// documents. Asks for the lines that the bench has ranked and looked up.
inline bool begins_with_itself(std::string_view topic, std::span<const Line> lines, const Workbench& bench) {
    if (lines.empty()) return false;
    const std::uint32_t first = bench.ranker.line_at(0);
    return bench.documents[first] < 0 && lines[first].document() == topic;
}

/// The same, where a document may come twice, which source.duplicate() refuses, and some documents do not count. `pool`
/// is the ordinal of the topic in the pools, or Names::none: then the lines are only checked. Ranks and scores are those
/// of all lines.
template <class Source>
TopicResult meet(const Source& source, std::string_view topic, std::span<const Line> lines, const Rules& rules,
                 std::uint32_t pool, Workbench& bench, std::vector<Entry>& entries) {
    std::span<const Line> counted = lines;
    if (const auto twins = bench.twins.find(lines)) {
        if (rules.repeated == Repeated::refuse)
            throw source.duplicate(topic, lines[twins->first], lines[twins->second], bench.window);
        bench.twins.keep_one(lines, rules.repeated, bench.distinct);
        counted = bench.distinct;
    }
    const auto repeated = static_cast<std::uint32_t>(lines.size() - counted.size());
    std::uint32_t excluded = 0;
    if (pool != Names::none && !rules.excluded.empty()) {
        const std::span<const Line> left = leave_out(topic, counted, rules.excluded, bench);
        excluded = static_cast<std::uint32_t>(counted.size() - left.size());
        counted = left;
    }
    TopicResult result{entries.size(), entries.size()};
    if (pool != Names::none) {
        result = rank_and_look_up(counted, rules.pools, pool, rules.ties, bench, entries);
        result.contradicting =
            count_contradictions(source, lines, counted.size() == lines.size() && bench.ranker.falling());
        result.itself = begins_with_itself(topic, counted, bench);
    }
    result.repeated = repeated;
    result.excluded = excluded;
    return result;
}

}  // namespace gradeval

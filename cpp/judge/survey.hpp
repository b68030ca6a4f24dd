// The topics of a run and the places of their lines, combined from the parts of the run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/meeting.hpp"
#include "judge/pools.hpp"
#include "runs/line.hpp"
#include "text/arena.hpp"
#include "text/error.hpp"
#include "text/names.hpp"

namespace gradeval {

/// Neighbouring lines of one topic.
struct Group {
    Range range;
    std::uint32_t topic;
    std::uint32_t lines;
};

/// The result of one pass over a part of a run. Only the first group of a topic is judged on the spot: where
/// more come, here or in another part, the topic is scattered and judged again from all its groups.
struct Part {
    Names topics;
    Arena names;  ///< the names of these topics, so that the source need not be looked at again for them
    std::vector<Group> groups;
    std::vector<TopicResult> results;  ///< of the first group of each topic
    std::vector<Entry> entries;
    Skipped skipped;
    std::optional<Failure> failure;
};

/// Reads a part of a run and judges its groups.
template <class Source>
Part read_part(const Source& source, const typename Source::Opening& opening, Range range, const Rules& rules,
               Workbench& bench) {
    Part part;
    try {
        source.scan(opening, std::span<const Range>(&range, 1), bench.window, bench.lines, part.skipped,
                    [&](std::string_view topic, std::span<const Line> lines, Range place) {
                        const auto [ordinal, fresh] = part.topics.add(
                            topic, [&](std::string_view name) { return part.names.keep(name); });
                        part.groups.push_back({place, ordinal, static_cast<std::uint32_t>(lines.size())});
                        if (!fresh) return;
                        part.results.emplace_back();
                        part.results.back() = meet(source, topic, lines, rules, rules.pools.find_topic(topic), bench,
                                                   part.entries);
                    });
    } catch (Failure& failure) {
        part.failure = std::move(failure);
    }
    return part;
}

/// The topics of a run, in order of first appearance, and their groups.
struct Survey {
    Names topics;
    std::vector<Arena> names;
    std::vector<std::uint64_t> offsets;  ///< groups of topic t are offsets[t] .. offsets[t + 1]
    std::vector<Group> groups;           ///< in order inside a topic
    std::vector<TopicResult> results;            ///< by topic
    std::vector<Entry> entries;
    Skipped skipped;
    std::optional<Failure> failure;  ///< the one that a sequential reader meets first

    /// The lines of a topic, without the lines whose document comes again.
    std::uint64_t lines(std::size_t topic) const noexcept {
        std::uint64_t count = 0;
        for (std::uint64_t g = offsets[topic]; g < offsets[topic + 1]; ++g) count += groups[g].lines;
        return count - results[topic].repeated;
    }
};

/// All lines of a topic, in order; their ids stay in the window of the bench.
template <class Source>
void gather(const Source& source, const typename Source::Opening& opening, const Survey& survey,
            std::size_t topic, Workbench& bench, std::vector<Line>& lines) {
    lines.clear();
    bench.ranges.clear();
    for (std::uint64_t g = survey.offsets[topic]; g < survey.offsets[topic + 1]; ++g)
        bench.ranges.push_back(survey.groups[g].range);
    Skipped counted;  // when the parts were read
    source.scan(opening, bench.ranges, bench.window, bench.lines, counted,
                [&](std::string_view, std::span<const Line> more, Range) {
                    lines.insert(lines.end(), more.begin(), more.end());
                });
}

/// Puts the parts of a run together: takes over what was judged, and judges scattered topics. Empties the
/// parts.
template <class Source>
Survey combine(const Source& source, const typename Source::Opening& opening, std::span<Part> parts,
               const Rules& rules, Workbench& bench) {
    Survey survey;
    std::vector<std::uint64_t> counts;
    for (Part& part : parts) {
        std::vector<std::uint32_t> ordinals;
        for (std::size_t t = 0; t < part.topics.size(); ++t) {
            const auto [ordinal, fresh] = survey.topics.add(part.topics[t]);
            ordinals.push_back(ordinal);
            if (!fresh) continue;
            counts.push_back(0);
            TopicResult result = part.results[t];
            result.begin += survey.entries.size();
            result.end += survey.entries.size();
            survey.results.push_back(result);
        }
        for (Group& group : part.groups) ++counts[group.topic = ordinals[group.topic]];
        survey.entries.insert(survey.entries.end(), part.entries.begin(), part.entries.end());
        part.entries = {};
        survey.names.push_back(std::move(part.names));
        survey.skipped.add(part.skipped);
        if (part.failure) keep_first(survey.failure, std::move(*part.failure));
    }
    survey.offsets.assign(counts.size() + 1, 0);
    for (std::size_t t = 0; t < counts.size(); ++t) survey.offsets[t + 1] = survey.offsets[t] + counts[t];
    survey.groups.resize(survey.offsets.back());
    std::vector<std::uint64_t> filled(survey.offsets.begin(), survey.offsets.end() - 1);
    for (Part& part : parts) {
        for (const Group& group : part.groups) survey.groups[filled[group.topic]++] = group;
        part = {};
    }
    Range scattered{~std::uint64_t{0}, 0};
    for (std::size_t t = 0; t < counts.size(); ++t) {
        if (counts[t] == 1) continue;
        scattered.begin = std::min(scattered.begin, survey.groups[survey.offsets[t]].range.begin);
        scattered.end = std::max(scattered.end, survey.groups[survey.offsets[t + 1] - 1].range.end);
    }
    if (scattered.begin < scattered.end) source.hold(scattered, bench.window);
    std::vector<Line> lines;
    for (std::size_t t = 0; t < counts.size(); ++t) {
        if (counts[t] == 1) continue;
        gather(source, opening, survey, t, bench, lines);
        try {
            const std::string_view topic = survey.topics[t];
            survey.results[t] = meet(source, topic, std::span<const Line>(lines), rules, rules.pools.find_topic(topic),
                                     bench, survey.entries);
        } catch (Failure& failure) {
            keep_first(survey.failure, std::move(failure));
        }
    }
    source.let_go(bench.window);
    return survey;
}

}  // namespace gradeval

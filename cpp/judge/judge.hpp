// Runs meet the judgments.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "judge/lines.hpp"
#include "judge/parallel.hpp"
#include "judge/pools.hpp"
#include "judge/survey.hpp"

namespace gradeval {

/// The result of matching runs with their judgments. Rows are runs x topics of the pools, topics fastest.
struct Met {
    std::vector<std::int32_t>
        rank;  ///< of the pooled documents that were retrieved, ascending inside a row, from 1
    std::vector<std::int32_t> document;   ///< their index in the pool of the topic
    std::vector<std::int32_t> first;      ///< the first rank of the lines with the same score, where asked for
    std::vector<std::int32_t> last;       ///< and the last
    std::vector<std::int64_t> offsets;    ///< row r has the entries offsets[r] .. offsets[r + 1]
    std::vector<std::int32_t> retrieved;  ///< lines of the row; 0: the run misses the topic
    std::vector<std::int32_t> tied;       ///< of these, the lines that share their score with another
    std::vector<std::int32_t> contradicting;  ///< of these, places where rank and score contradict each other
    std::vector<std::int32_t> repeated;  ///< lines of the row that were left out, as their documents come several times
    std::vector<std::int32_t> excluded;  ///< likewise those that must not count
    std::vector<std::uint8_t> itself;  ///< 1 where the first document of the row is called as its topic, and unjudged
    std::vector<std::optional<std::string>> tags;
    std::vector<std::vector<std::string>> unjudged_topics;
    std::vector<std::optional<SkippedLines>> skipped;  ///< by run; none where no line was skipped that looks like data
    std::size_t runs;
    std::size_t topics;

    Met(std::size_t runs, std::size_t topics) : unjudged_topics(runs), runs(runs), topics(topics) {
        const std::size_t rows = runs * topics;
        offsets.assign(rows + 1, 0);
        itself.assign(rows, 0);
        for (auto* const counts : {&retrieved, &tied, &contradicting, &repeated, &excluded}) counts->assign(rows, 0);
    }

    /// Appends an entry of the row at hand; `tied_ranks`: with the ranks of the lines with the same score.
    void append(const Entry& entry, bool tied_ranks) {
        rank.push_back(entry.rank);
        document.push_back(entry.document);
        if (!tied_ranks) return;
        first.push_back(entry.tied.first);
        last.push_back(entry.tied.last);
    }
};

struct JudgeOptions {
    Ties ties = Ties::docid;
    std::size_t threads = 0;       ///< 0: one for each core
    std::uint64_t part_bytes = 0;  ///< how much of a run one thread takes at a time; 0: chosen by size
    bool tied_ranks = false;  ///< fill Met::first and Met::last
    Exclusion excluded{};     ///< what must not count
};

/// The work on one run: its parts are read in any order by any thread; the thread that finishes the last part
/// combines them.
class RunJudge {
  public:
    virtual ~RunJudge() = default;
    virtual std::size_t parts() const = 0;
    virtual void read(std::size_t part, Workbench& bench) = 0;
    virtual InputError error() const = 0;
    Survey survey;  ///< complete when all parts were read
};

template <class Source>
class RunJudgeOf final : public RunJudge {
  public:
    RunJudgeOf(const Source& source, const Rules& rules, std::uint64_t part_bytes) : source_(source), rules_(rules) {
        try {
            opening_ = source.open();
            ranges_ = source.parts(opening_, part_bytes);
        } catch (Failure& failure) {
            survey.failure = std::move(failure);
        }
        parts_.resize(ranges_.size());
        open_parts_ = ranges_.size();
    }

    std::size_t parts() const override { return ranges_.size(); }

    void read(std::size_t part, Workbench& bench) override {
        parts_[part] = read_part(source_, opening_, ranges_[part], rules_, bench);
        if (open_parts_.fetch_sub(1) == 1) survey = combine(source_, opening_, parts_, rules_, bench);
    }

    InputError error() const override { return source_.error(*survey.failure); }

  private:
    const Source& source_;
    const Rules rules_;
    typename Source::Opening opening_{};
    std::vector<Range> ranges_;
    std::vector<Part> parts_;
    std::atomic<std::size_t> open_parts_{0};
};

/// Fills the rows of one run.
inline void take_over(const Survey& survey, const Pools& pools, std::size_t run, bool tied_ranks, Met& met) {
    for (std::size_t t = 0; t < survey.topics.size(); ++t) {
        if (pools.find_topic(survey.topics[t]) == Names::none)
            met.unjudged_topics[run].emplace_back(survey.topics[t]);
    }
    for (std::size_t t = 0; t < met.topics; ++t) {
        const std::size_t row = run * met.topics + t;
        const std::uint32_t ordinal = survey.topics.find(pools.topic(t));
        if (ordinal != Names::none) {
            const TopicResult& result = survey.results[ordinal];
            for (std::uint64_t i = result.begin; i < result.end; ++i) met.append(survey.entries[i], tied_ranks);
            met.retrieved[row] = static_cast<std::int32_t>(survey.lines(ordinal) - result.excluded);
            met.repeated[row] = static_cast<std::int32_t>(result.repeated);
            met.excluded[row] = static_cast<std::int32_t>(result.excluded);
            met.tied[row] = static_cast<std::int32_t>(result.tied);
            met.contradicting[row] = static_cast<std::int32_t>(result.contradicting);
            met.itself[row] = result.itself;
        }
        met.offsets[row + 1] = static_cast<std::int64_t>(met.rank.size());
    }
}

/// Judges runs. Throws an InputError: of the first run that has something wrong, what a sequential reader
/// would meet first, whatever the number of threads.
inline Met judge(const Pools& pools, const std::vector<const Lines*>& runs, const JudgeOptions& options) {
    std::uint64_t bytes = 0;
    for (const Lines* run : runs)
        bytes += std::visit([](const auto& source) { return source.size(); }, run->source());
    // Little work is done before other threads have started, or their number is known.
    const bool little = bytes < 1 << 18 && options.part_bytes == 0;
    const std::size_t threads = little ? 1 : thread_count(options.threads);
    const std::uint64_t part_bytes =
        options.part_bytes != 0 ? options.part_bytes : choose_part_bytes(bytes, threads);

    std::vector<std::unique_ptr<RunJudge>> judges;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> tasks;  // run, part
    for (std::size_t run = 0; run < runs.size(); ++run) {
        judges.push_back(std::visit(
            [&]<class Source>(const Source& source) -> std::unique_ptr<RunJudge> {
                const Rules rules{pools, options.ties, runs[run]->repeated(), options.excluded};
                return std::make_unique<RunJudgeOf<Source>>(source, rules, part_bytes);
            },
            runs[run]->source()));
        for (std::size_t part = 0; part < judges[run]->parts(); ++part)
            tasks.emplace_back(static_cast<std::uint32_t>(run), static_cast<std::uint32_t>(part));
        if (judges[run]->survey.failure) break;  // what comes later cannot be reported any more
    }

    run_parallel(tasks.size(), threads, [&] {
        return [&, bench = Workbench()](std::size_t task) mutable {
            judges[tasks[task].first]->read(tasks[task].second, bench);
        };
    });

    Met met(runs.size(), pools.topics());
    for (std::size_t run = 0; run < judges.size(); ++run) {
        if (judges[run]->survey.failure) throw judges[run]->error();
        met.tags.push_back(runs[run]->tag());
        met.skipped.push_back(runs[run]->describe(judges[run]->survey.skipped));
        take_over(judges[run]->survey, pools, run, options.tied_ranks, met);
        judges[run].reset();
    }
    return met;
}

}  // namespace gradeval

// The judgments of a collection, hashed so that runs can meet them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runs/line.hpp"
#include "text/arena.hpp"
#include "text/bytes.hpp"
#include "text/error.hpp"
#include "text/names.hpp"
#include "text/tags.hpp"
#include "text/utf8.hpp"

namespace gradeval {

/// Which of several lines of one document counts.
enum class Repeated {
    refuse,  ///< there may be only one
    first,   ///< the first one
    best,    ///< the one with the highest score or grade; of equal ones the first
    same,    ///< of judgments: there may be others that say the same
    mean,    ///< of judgments: all of them, by the mean of their grades
};

/// A judgment where it was read.
struct Judgment {
    std::string_view document;
    double grade;
    std::uint64_t position;
    std::uint32_t topic;
    std::uint32_t times = 1;  ///< how many grades are added up in it; 0: it is left out
};

/// The judged documents of each topic, in the order given. Immutable once built.
class Pools {
  public:
    std::size_t topics() const noexcept { return topics_.size(); }
    std::string_view topic(std::size_t t) const noexcept { return topics_[t]; }
    std::uint32_t find_topic(std::string_view topic) const { return topics_.find(topic); }

    /// Documents of topic t are offsets()[t] .. offsets()[t + 1] of document() and grades().
    const std::vector<std::int64_t>& offsets() const noexcept { return offsets_; }
    const std::vector<double>& grades() const noexcept { return grades_; }
    std::string_view document(std::int64_t i) const noexcept {
        return documents_[static_cast<std::size_t>(i)];
    }
    /// Judgments that were read again of a document, and are no document of their own.
    std::uint64_t repeated() const noexcept { return repeated_; }

    /// Index of a document in the pool of topic t, or -1.
    std::int32_t find(std::size_t t, const Line& line) const noexcept {
        const Table table = tables_[t];
        const std::int32_t* const inside = slots_.data() + table.begin;
        const std::string_view* const documents = documents_.data() + offsets_[t];
        const auto place = tags::find({tags_.data() + table.begin, table.size}, line.hash, [&](std::uint64_t at) {
            const std::string_view document = documents[inside[at]];
            return document.size() == line.size && same_bytes(document.data(), line.id, line.size);
        });
        return place.found ? inside[place.at] : -1;
    }

    /// The pools of some topics, in the order given. The ordinals must be valid and distinct.
    Pools select(const std::vector<std::size_t>& chosen) const {
        Pools part;
        part.arena_ = arena_;
        for (const std::size_t t : chosen) {
            part.topics_.add(topics_[t]);
            const auto begin = static_cast<std::ptrdiff_t>(offsets_[t]);
            const auto end = static_cast<std::ptrdiff_t>(offsets_[t + 1]);
            part.documents_.insert(part.documents_.end(), documents_.begin() + begin,
                                   documents_.begin() + end);
            part.grades_.insert(part.grades_.end(), grades_.begin() + begin, grades_.begin() + end);
            part.offsets_.push_back(static_cast<std::int64_t>(part.grades_.size()));
            const auto from = slots_.begin() + static_cast<std::ptrdiff_t>(tables_[t].begin);
            const auto size = static_cast<std::ptrdiff_t>(tables_[t].size);
            const auto tags = tags_.begin() + static_cast<std::ptrdiff_t>(tables_[t].begin);
            part.tables_.push_back({part.slots_.size(), tables_[t].size});
            part.slots_.insert(part.slots_.end(), from, from + size);
            part.tags_.insert(part.tags_.end(), tags, tags + size);
        }
        return part;
    }

  private:
    friend class PoolsBuilder;
    struct Table {
        std::uint64_t begin;
        std::uint64_t size;
    };

    std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
    Names topics_;
    std::vector<std::int64_t> offsets_{0};
    std::vector<std::string_view> documents_;
    std::vector<double> grades_;
    std::vector<Table> tables_;
    std::vector<std::int32_t> slots_;  // the document inside the topic
    std::vector<std::uint8_t> tags_;   // most documents of a run are not judged, which these tell
    std::uint64_t repeated_ = 0;
};

/// Collects judgments in any order of topics.
class PoolsBuilder {
  public:
    /// Ordinal of a topic, entered if it is new. Neighbouring judgments of one topic are recognised.
    std::uint32_t topic(std::string_view name) {
        if (last_ != Names::none && pools_.topics_[last_] == name) return last_;
        last_ = pools_.topics_.find(name);
        if (last_ == Names::none) last_ = pools_.topics_.add(pools_.arena_->keep(name)).first;
        return last_;
    }

    void add(std::uint32_t topic, std::string_view document, double grade, std::uint64_t position) {
        rows_.push_back({pools_.arena_->keep(document), grade, position, topic});
    }

    /// The finished pools, in which each document of a topic stands once. same(first, second): do two judgments with
    /// one grade say the same? duplicate(topic, first, second) makes the exception for the first document that may not
    /// come again.
    template <class Same, class Duplicate>
    Pools build(Repeated repeated, Same&& same, Duplicate&& duplicate) {
        enter_all([&](Judgment& first, Judgment& second) {
            if (!merge(first, second, repeated, same)) throw duplicate(pools_.topics_[first.topic], first, second);
        });
        const std::size_t again = std::erase_if(rows_, [](const Judgment& row) { return row.times == 0; });
        if (again > 0) {
            for (Judgment& row : rows_) row.grade = mean_of(row);
            enter_all([](const Judgment&, const Judgment&) {});  // no document is left twice
        }
        pools_.repeated_ = again;
        rows_.clear();
        return std::move(pools_);
    }

    /// The finished pools; the caller knows that no document comes twice in a topic.
    Pools build() {
        return build(Repeated::first, [](const Judgment&, const Judgment&) { return true; },
                     [](std::string_view, const Judgment&, const Judgment&) { return Failure{}; });
    }

  private:
    /// Lays out the documents of all topics; twice(first, second) is called for each document that a topic has already.
    template <class Twice>
    void enter_all(Twice&& twice) {
        const std::size_t topics = pools_.topics();
        pools_.offsets_.assign(topics + 1, 0);
        pools_.tables_.clear();
        pools_.slots_.clear();
        pools_.tags_.clear();
        for (const Judgment& row : rows_) ++pools_.offsets_[row.topic + 1];
        for (std::size_t t = 0; t < topics; ++t) {
            const auto documents = static_cast<std::uint64_t>(pools_.offsets_[t + 1]);
            const std::uint64_t slots = tags::places_for(documents);
            pools_.tables_.push_back({pools_.slots_.size(), slots});
            pools_.slots_.resize(pools_.slots_.size() + slots);
            pools_.tags_.resize(pools_.slots_.size(), 0);
            pools_.offsets_[t + 1] += pools_.offsets_[t];
        }
        pools_.documents_.resize(rows_.size());
        pools_.grades_.resize(rows_.size());
        std::vector<std::int64_t> filled(pools_.offsets_.begin(), pools_.offsets_.end() - 1);
        std::vector<Judgment*> entered(rows_.size());
        for (Judgment& row : rows_) {
            const auto i = static_cast<std::size_t>(filled[row.topic]++);
            const std::int64_t begin = pools_.offsets_[row.topic];
            pools_.documents_[i] = row.document;
            pools_.grades_[i] = row.grade;
            entered[i] = &row;
            const std::int32_t twin = enter(row, static_cast<std::int32_t>(static_cast<std::int64_t>(i) - begin));
            if (twin >= 0) twice(*entered[static_cast<std::size_t>(begin + twin)], row);
        }
    }

    /// Lets the first judgment of a document stand for a second one, too; false: that may not be.
    template <class Same>
    static bool merge(Judgment& first, Judgment& second, Repeated repeated, Same&& same) {
        second.times = 0;
        switch (repeated) {
            case Repeated::refuse: return false;
            case Repeated::same: return first.grade == second.grade && same(first, second);
            case Repeated::first: return true;
            case Repeated::best: first.grade = std::max(first.grade, second.grade); return true;
            case Repeated::mean: break;
        }
        ++first.times;
        if (!std::isfinite(first.grade + second.grade)) return false;
        first.grade += second.grade;
        return true;
    }

    /// The mean of the grades that are added up, to 12 decimals: grades in another order give the same level.
    static double mean_of(const Judgment& row) {
        const double mean = row.grade / row.times;
        return row.times == 1 || std::abs(mean) > 1e3 ? mean : std::round(mean * 1e12) / 1e12;
    }

    /// Enters a document into the table of its topic; where it is there already, its index.
    std::int32_t enter(const Judgment& row, std::int32_t inside) {
        const std::uint64_t hash = hash_of(row.document);
        const Line line{row.document.data(), 0.0, hash, static_cast<std::uint32_t>(row.document.size()), 0};
        if (const std::int32_t twin = pools_.find(row.topic, line); twin >= 0) return twin;
        const Pools::Table table = pools_.tables_[row.topic];
        std::uint8_t* const taken = pools_.tags_.data() + table.begin;
        const std::uint64_t at = tags::find({taken, table.size}, hash, [](std::uint64_t) { return false; }).at;
        pools_.slots_[table.begin + at] = inside;
        taken[at] = tags::tag_of(hash);
        return -1;
    }

    Pools pools_;
    std::vector<Judgment> rows_;
    std::uint32_t last_ = Names::none;
};

}  // namespace gradeval

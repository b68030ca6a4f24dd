// What must not count: pairs of topic and document, and documents that are called as their topic.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/pools.hpp"
#include "runs/line.hpp"
#include "text/names.hpp"

namespace gradeval {

/// The pairs of some pools, whatever their grades; `itself`: and the document that is called as the topic. The pools
/// must live as long as this.
class Exclusion {
  public:
    Exclusion() = default;
    Exclusion(bool itself, std::vector<const Pools*> pairs) : itself_(itself), pairs_(std::move(pairs)) {}

    bool empty() const noexcept { return !itself_ && pairs_.empty(); }

    /// What is excluded of one topic.
    class OfTopic {
      public:
        bool has(const Line& line) const {
            if (itself_ && line.document() == topic_) return true;
            for (const auto& [pairs, pool] : found_) {
                if (pairs->find(pool, line) >= 0) return true;
            }
            return false;
        }

      private:
        friend class Exclusion;
        std::string_view topic_;
        bool itself_ = false;
        std::vector<std::pair<const Pools*, std::uint32_t>> found_;
    };

    OfTopic of(std::string_view topic) const {
        OfTopic excluded;
        excluded.topic_ = topic;
        excluded.itself_ = itself_;
        for (const Pools* const pairs : pairs_) {
            if (const std::uint32_t pool = pairs->find_topic(topic); pool != Names::none)
                excluded.found_.emplace_back(pairs, pool);
        }
        return excluded;
    }

    /// For each document of some pools, one topic after the other: is it not excluded?
    std::vector<std::uint8_t> left_of(const Pools& pools) const {
        std::vector<std::uint8_t> left;
        left.reserve(pools.grades().size());
        for (std::size_t t = 0; t < pools.topics(); ++t) {
            const OfTopic excluded = of(pools.topic(t));
            for (std::int64_t i = pools.offsets()[t]; i < pools.offsets()[t + 1]; ++i)
                left.push_back(!excluded.has(line_of(pools.document(i))));
        }
        return left;
    }

  private:
    static Line line_of(std::string_view document) {
        return {document.data(), 0.0, hash_of(document), static_cast<std::uint32_t>(document.size())};
    }

    bool itself_ = false;
    std::vector<const Pools*> pairs_;
};

/// The pools without the documents that are not left; topics that lose all are left out.
inline Pools keep_documents(const Pools& pools, const std::vector<std::uint8_t>& left) {
    PoolsBuilder builder;
    for (std::size_t t = 0; t < pools.topics(); ++t) {
        if (pools.offsets()[t] == pools.offsets()[t + 1]) builder.topic(pools.topic(t));
        for (std::int64_t i = pools.offsets()[t]; i < pools.offsets()[t + 1]; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (left[at] != 0) builder.add(builder.topic(pools.topic(t)), pools.document(i), pools.grades()[at], at);
        }
    }
    return builder.build();
}

}  // namespace gradeval

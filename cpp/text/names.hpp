// Ordinals for strings.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "text/bytes.hpp"

namespace gradeval {

/// Distinct strings in order of first appearance. Holds views: whoever owns the bytes must outlive it.
class Names {
  public:
    static constexpr std::uint32_t none = 0xFFFFFFFFu;

    /// The ordinal of `name`, and whether it is new. keep(name) is called for a new one; the view it returns
    /// is held.
    template <class Keep>
    std::pair<std::uint32_t, bool> add(std::string_view name, Keep&& keep) {
        if ((names_.size() + 1) * 2 > slots_.size()) grow();
        const std::uint64_t hash = hash_of(name);
        std::uint32_t& slot = slots_[find_slot(name, hash)];
        if (slot != none) return {slot, false};
        slot = static_cast<std::uint32_t>(names_.size());
        names_.push_back(keep(name));
        hashes_.push_back(hash);
        return {slot, true};
    }

    std::pair<std::uint32_t, bool> add(std::string_view name) {
        return add(name, [](std::string_view same) { return same; });
    }

    /// The ordinal of `name`, or `none`.
    std::uint32_t find(std::string_view name) const {
        return slots_.empty() ? none : slots_[find_slot(name, hash_of(name))];
    }

    std::size_t size() const noexcept { return names_.size(); }
    std::string_view operator[](std::size_t ordinal) const noexcept { return names_[ordinal]; }

  private:
    std::size_t find_slot(std::string_view name, std::uint64_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        while (slots_[at] != none && (hashes_[slots_[at]] != hash || names_[slots_[at]] != name))
            at = (at + 1) & mask;
        return at;
    }

    void grow() {
        slots_.assign(slots_.empty() ? 8 : slots_.size() * 2, none);
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = 0; i < hashes_.size(); ++i) {
            std::size_t at = hashes_[i] & mask;
            while (slots_[at] != none) at = (at + 1) & mask;
            slots_[at] = static_cast<std::uint32_t>(i);
        }
    }

    std::vector<std::string_view> names_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::uint32_t> slots_;  // a power of two, at most half full
};

}  // namespace gradeval

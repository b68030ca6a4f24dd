// Where a hash is in a table: eight places at a time are looked at by a byte of each hash.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "text/bytes.hpp"

namespace gradeval {

/// High bit set in each byte of `word` that is zero, exactly.
inline std::uint64_t zero_bytes(std::uint64_t word) noexcept {
    constexpr std::uint64_t low = every_byte * 0x7F;
    return ~(((word & low) + low) | word | low);
}

/// A table of a power of two places, eight or more, of which at most half are taken: each has a tag, zero where it is
/// free. What is looked for is nearly always found, or known not to be there, by one look at eight tags, without a branch
/// for each place that is taken.
namespace tags {

inline constexpr std::uint64_t group = 8;  // places

/// How many places a table for so many hashes has.
inline constexpr std::uint64_t places_for(std::uint64_t hashes) noexcept { return std::bit_ceil(hashes * 2 + group); }

inline std::uint8_t tag_of(std::uint64_t hash) noexcept { return static_cast<std::uint8_t>(hash >> 56 | 0x80); }

struct Place {
    std::uint64_t at;
    bool found;  ///< else it is free
};

/// The place for which is_it(place) holds, among those with the tag of a hash, or the free one where it would be entered.
template <class IsIt>
Place find(std::span<const std::uint8_t> table, std::uint64_t hash, IsIt&& is_it) {
    const std::uint64_t wanted = every_byte * tag_of(hash);
    const std::uint64_t mask = table.size() - 1;
    for (std::uint64_t at = hash & mask & ~(group - 1);; at = (at + group) & mask) {
        const std::uint64_t word = load8(reinterpret_cast<const char*>(table.data()) + at);
        for (std::uint64_t like = zero_bytes(word ^ wanted); like != 0; like &= like - 1) {
            if (const std::uint64_t place = at + bytes_before(like); is_it(place)) return {place, true};
        }
        if (const std::uint64_t free = ~word & (every_byte * 0x80); free != 0) return {at + bytes_before(free), false};
    }
}

}  // namespace tags
}  // namespace gradeval

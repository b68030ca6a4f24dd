// A retrieved document.
#pragma once

#include <cstdint>
#include <string_view>

#include "text/bytes.hpp"

namespace gradeval {

/// One line of a run inside its topic. The id is a view into the source.
struct Line {
    const char* id;
    double score;
    std::uint64_t hash;   ///< hash_of(document())
    std::uint32_t size;   ///< bytes of the id
    std::uint32_t place;  ///< row of a table, or number of a mapping's line; text_rank() of a text's, whose place the id tells

    Line(const char* id, double score, std::uint64_t hash, std::uint32_t size,
         std::uint32_t place = 0) noexcept
        : id(id), score(score), hash(hash), size(size), place(place) {}

    std::string_view document() const noexcept { return {id, size}; }
};

inline bool same_document(const Line& a, const Line& b) noexcept {
    return a.hash == b.hash && a.size == b.size && same_bytes(a.id, b.id, a.size);
}

}  // namespace gradeval

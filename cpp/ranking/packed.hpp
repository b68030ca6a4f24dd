// The order of documents in arrays, by sorting numbers that hold a score and a place.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace gradeval {

/// The lowest bits of a packed number, which hold the place of a document among so many.
inline std::int64_t place_bits(std::size_t documents) noexcept {
    return documents > 1 ? static_cast<std::int64_t>(std::bit_ceil(documents)) - 1 : 0;
}

/// packed[row, j] ascends as the scores fall, and from one place to the next where they are equal.
/// The bits of a double, read as an integer, ascend as the double does once those of negative ones are turned round. The
/// place takes the lowest bits: of scores that differ in these alone, the order may be wrong.
inline void pack_places(const double* scores, std::size_t rows, std::size_t width, std::int64_t* packed) {
    const std::int64_t last = place_bits(width);
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t j = 0; j < width; ++j) {
            auto bits = std::bit_cast<std::int64_t>(0.0 - *scores++);  // 0 for -0.0, too: the two are equal
            bits ^= (bits >> 63) & INT64_MAX;
            *packed++ = (bits & ~last) | static_cast<std::int64_t>(j);
        }
    }
}

/// order[row, j] = the place of the j-th best document, from packed numbers that were sorted. False where the order is
/// wrong, as where some scores differ in their last bits alone.
inline bool unpack_places(const std::int64_t* packed, const double* scores, std::size_t rows, std::size_t width,
                          std::int32_t* order) {
    const std::int64_t last = place_bits(width);
    bool falling = true;
    for (std::size_t row = 0; row < rows; ++row, scores += width) {
        for (std::size_t j = 0; j < width; ++j) {
            const auto place = static_cast<std::int32_t>(*packed++ & last);
            if (static_cast<std::size_t>(place) >= width) return false;  // nothing that was packed here
            falling = falling && (j == 0 || !(scores[place] > scores[order[-1]]));
            *order++ = place;
        }
    }
    return falling;
}

/// ranked[row, j] = values[row, order[row, j]]. False where a place is not below `width`.
inline bool take_in_order(const double* values, const std::int32_t* order, std::size_t rows, std::size_t width,
                          double* ranked) {
    for (std::size_t row = 0; row < rows; ++row, values += width) {
        for (std::size_t j = 0; j < width; ++j) {
            const auto place = static_cast<std::uint32_t>(*order++);
            if (place >= width) return false;
            *ranked++ = values[place];
        }
    }
    return true;
}

}  // namespace gradeval

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
/// The bits of a double, read as an integer, ascend as the double does once the bits of negative numbers are turned
/// round. The place takes the lowest bits: of scores that differ in these alone, the order may be wrong. Returns
/// whether all are finite.
template <class Score>
bool pack_places(const Score* scores, std::size_t rows, std::size_t width, std::int64_t* packed) {
    const std::int64_t last = place_bits(width);
    constexpr std::uint64_t exponent = std::uint64_t{0x7FF} << 52;  // all of its bits are set where a double is not finite
    std::uint64_t carried = 0;  // into the highest bit, where 1 is added to such an exponent
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t j = 0; j < width; ++j) {
            auto bits = std::bit_cast<std::int64_t>(0.0 - static_cast<double>(*scores++));  // 0 for -0.0: they are equal
            carried |= (static_cast<std::uint64_t>(bits) & exponent) + (std::uint64_t{1} << 52);
            bits ^= (bits >> 63) & INT64_MAX;
            *packed++ = (bits & ~last) | static_cast<std::int64_t>(j);
        }
    }
    return (carried >> 63) == 0;
}

/// order[row, j] = the place of the j-th best document, from packed numbers that were sorted; each of these becomes the
/// bits of the document's grade, a double. False where the order is wrong, as where some scores differ in their last bits
/// alone.
template <class Score, class Grade>
bool unpack_places(std::int64_t* packed, const Score* scores, const Grade* grades, std::size_t rows, std::size_t width,
                   std::int32_t* order) {
    const std::int64_t last = place_bits(width);
    for (std::size_t row = 0; row < rows; ++row, scores += width, grades += width) {
        std::int64_t above = -1;
        for (std::size_t j = 0; j < width; ++j) {
            const std::int64_t own = *packed;
            const auto place = static_cast<std::size_t>(own & last);
            if (place >= width) return false;  // nothing that was packed here
            const bool near = j > 0 && ((own ^ above) & ~last) == 0;
            if (near && scores[place] > scores[above & last]) return false;
            above = own;
            *order++ = static_cast<std::int32_t>(place);
            *packed++ = std::bit_cast<std::int64_t>(static_cast<double>(grades[place]));
        }
    }
    return true;
}

/// ranked[row, j] = values[row, order[row, j]]. False where a place is not below `width`.
template <class Value>
bool take_in_order(const Value* values, const std::int32_t* order, std::size_t rows, std::size_t width, double* ranked) {
    for (std::size_t row = 0; row < rows; ++row, values += width) {
        for (std::size_t j = 0; j < width; ++j) {
            const auto place = static_cast<std::uint32_t>(*order++);
            if (place >= width) return false;
            *ranked++ = static_cast<double>(values[place]);
        }
    }
    return true;
}

}  // namespace gradeval

// Eight bytes at a time: load, find the end of a token, hash, compare.
#pragma once

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <random>
#include <string_view>

#if defined(__GNUC__)
#define GRADEVAL_INLINE [[gnu::always_inline]] inline
#define GRADEVAL_LAMBDA __attribute__((always_inline))
#else
#define GRADEVAL_INLINE inline
#define GRADEVAL_LAMBDA
#endif

namespace gradeval {

/// Eight bytes as a number whose lowest byte is the first one, on any machine. Reads p[0..8).
inline std::uint64_t load8(const char* p) noexcept {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    if constexpr (std::endian::native == std::endian::big) {
        std::uint64_t swapped = 0;  // compilers know this loop as one instruction
        for (int byte = 0; byte < 8; ++byte) swapped = swapped << 8 | (word >> (byte * 8) & 0xFF);
        word = swapped;
    }
    return word;
}

/// The first `size` < 8 bytes as load8 would give them, the others zero. Reads p[0..size).
inline std::uint64_t load_tail(const char* p, std::size_t size) noexcept {
    const auto byte = [p](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(p[i])} << (i * 8); };
    if (size < 4) {  // first, middle and last one meet where there are fewer than three
        return size == 0 ? 0 : byte(0) | byte(size / 2) | byte(size - 1);
    }
    char bytes[8] = {};
    std::memcpy(bytes + size - 4, p + size - 4, 4);  // the first four and the last four overlap
    std::memcpy(bytes, p, 4);
    return load8(bytes);
}

inline constexpr std::uint64_t every_byte = 0x0101010101010101u;

/// High bit set in each byte of `word` that is a blank or a control byte (at most 0x20). Only the lowest such
/// bit is exact: a borrow may set bits above it.
inline std::uint64_t at_most_space(std::uint64_t word) noexcept {
    return (word - every_byte * 0x21) & ~word & (every_byte * 0x80);
}

/// Number of whole bytes below the lowest set bit of an at_most_space() result.
inline std::size_t bytes_before(std::uint64_t stops) noexcept {
    return static_cast<std::size_t>(std::countr_zero(stops)) >> 3;
}

/// Keeps the first `size` < 8 bytes of a word.
inline std::uint64_t keep(std::uint64_t word, std::size_t size) noexcept {
    return word & ((std::uint64_t{1} << (size * 8)) - 1);
}

/// Two random numbers, other ones in each process, so that nobody can make ids that share their hashes. Nothing but
/// speed depends on them.
struct HashSeed {
    std::uint64_t start;
    std::uint64_t factor;  ///< odd

    static HashSeed random() noexcept {
        try {
            std::random_device device;
            const auto word = [&] { return std::uint64_t{device()} << 32 | device(); };
            return {word(), word() | 1};
        } catch (const std::exception&) {  // the system has no random numbers to give: as good as they come
            const auto time = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
            return {time * 0x9E3779B97F4A7C15u, (reinterpret_cast<std::uintptr_t>(&time) * 0xD6E8FEB86659FD93u) | 1};
        }
    }
};
inline const HashSeed hash_seed = HashSeed::random();

#ifdef __SIZEOF_INT128__
__extension__ using Wide = unsigned __int128;
#endif

/// The two halves of a product of 128 bits, folded into one.
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
    constexpr std::uint64_t half = 0xFFFFFFFFu;
    const std::uint64_t low = (a & half) * (b & half);
    const std::uint64_t left = (a >> 32) * (b & half) + (low >> 32);
    const std::uint64_t right = (a & half) * (b >> 32) + (left & half);
    return a * b ^ ((a >> 32) * (b >> 32) + (left >> 32) + (right >> 32));
#endif
}

/// Multiply-and-fold hash, fed with the words of an id; the last, partial word (if any) is filled with zeros.
class Hash {
  public:
    void mix(std::uint64_t word) noexcept { state_ = folded_product(state_ ^ word, hash_seed.factor); }
    std::uint64_t finish(std::size_t size) noexcept {
        mix(size);
        return state_;
    }

  private:
    std::uint64_t state_ = hash_seed.start;
};

/// Hash of a whole id in this process; equal to what the scanner computes while it looks for the end of the id.
inline std::uint64_t hash_of(std::string_view id) noexcept {
    Hash hash;
    std::size_t at = 0;
    for (; id.size() - at >= 8; at += 8) hash.mix(load8(id.data() + at));
    if (at < id.size()) hash.mix(load_tail(id.data() + at, id.size() - at));
    return hash.finish(id.size());
}

/// The four bytes at p, the first one above the others.
inline std::uint32_t load4_in_order(const char* p) noexcept {
    const auto byte = [p](int at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(p[at])); };
    return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}

/// The end of the token at p: its first byte that is a blank or a control byte. Reads eight bytes from any byte of it.
inline const char* token_end(const char* p) noexcept {
    std::uint64_t stops = at_most_space(load8(p));
    for (; stops == 0; stops = at_most_space(load8(p))) p += 8;
    return p + bytes_before(stops);
}

/// Whether p begins with `text`, where eight bytes may be read from any p + i such that p[0..i) equals
/// text[0..i), and from any text + i, i < size.
inline bool begins_with(const char* p, const char* text, std::size_t size) noexcept {
    for (; size >= 8; p += 8, text += 8, size -= 8) {
        if (load8(p) != load8(text)) return false;
    }
    return size == 0 || keep(load8(p) ^ load8(text), size) == 0;
}

/// Whether two texts of one size are the same. Reads nothing else.
inline bool same_bytes(const char* a, const char* b, std::size_t size) noexcept {
    if (size < 8) return load_tail(a, size) == load_tail(b, size);
    for (std::size_t at = 0; at + 8 < size; at += 8) {
        if (load8(a + at) != load8(b + at)) return false;
    }
    return load8(a + size - 8) == load8(b + size - 8);  // eight bytes that may overlap those before
}

inline bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

}  // namespace gradeval

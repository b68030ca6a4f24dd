// Decimal numerals to doubles, correctly rounded, whatever the locale.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <version>

#include "text/bytes.hpp"

#if !defined(__cpp_lib_to_chars)
#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

namespace gradeval {

/// Bytes of a word that are no digits have their high bit set; `digits` is the word with '0' taken off each byte by ^.
/// Only the lowest such bit is exact: a carry may set bits above it.
inline std::uint64_t not_digits(std::uint64_t digits) noexcept {
    return ((digits + every_byte * 0x76) | digits) & (every_byte * 0x80);
}

/// The number whose eight digits are the bytes of a word, the first one in the lowest byte: by pairs, fours, and all.
inline std::uint64_t eight_digits(std::uint64_t digits) noexcept {
    digits = digits * 10 + (digits >> 8);
    constexpr std::uint64_t pairs = 0x000000FF000000FFu;
    return ((digits & pairs) * (100 + (std::uint64_t{1'000'000} << 32)) +
            (digits >> 16 & pairs) * (1 + (std::uint64_t{10'000} << 32))) >> 32;
}

/// Appends to a number, modulo 2^64, the digits with which a word of load8() begins, seven or fewer; not_digits() says
/// where the first other byte is.
inline std::uint64_t append_few(std::uint64_t number, std::uint64_t digits, std::size_t count) noexcept {
    static constexpr std::uint64_t powers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000};
    return number * powers[count] + eight_digits(digits << (56 - count * 8) << 8);
}

/// Appends the digits at p to a number, modulo 2^64; returns where they end. Reads eight bytes from any of them.
inline const char* append_digits(const char* p, std::uint64_t& number) noexcept {
    for (;; p += 8) {
        const std::uint64_t digits = load8(p) ^ (every_byte * '0');
        if (const std::uint64_t stops = not_digits(digits); stops != 0) {
            const std::size_t count = bytes_before(stops);
            number = append_few(number, digits, count);
            return p + count;
        }
        number = number * 100'000'000 + eight_digits(digits);
    }
}

inline constexpr std::size_t exact_decimals = 22;  // powers of ten that a double holds
inline constexpr std::uint64_t exact_digits = std::uint64_t{1} << 53;  // integers that a double holds

/// digits / 10^decimals, up to exact_digits and exact_decimals: one rounding, of two exact numbers.
inline double exact_quotient(std::uint64_t digits, std::size_t decimals) noexcept {
    static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return static_cast<double>(static_cast<std::int64_t>(digits)) / powers[decimals];
}

#ifdef __SIZEOF_INT128__
/// The inverse of 5^k in 128 bits, rounded up: above 2^(127 + bits) / 5^k, where 2^bits is the least power of two above.
struct InverseOfFives {
    std::uint64_t high;
    std::uint64_t low;
    int bits;
};
inline constexpr std::size_t most_decimals = 27;  // 5^27 is the largest power of five below 2^64
inline constexpr auto inverses_of_fives = [] {
    std::array<InverseOfFives, most_decimals + 1> inverses{};
    std::uint64_t five = 5;
    for (std::size_t k = 1; k <= most_decimals; ++k, five *= 5) {
        const int bits = std::bit_width(five);
        Wide inverse = 0;
        Wide rest = 1;
        for (int bit = 0; bit < 127 + bits; ++bit) {  // long division
            rest *= 2;
            inverse = inverse * 2 + (rest >= five ? 1 : 0);
            rest -= rest >= five ? five : 0;
        }
        ++inverse;
        inverses[k] = {static_cast<std::uint64_t>(inverse >> 64), static_cast<std::uint64_t>(inverse), bits};
    }
    return inverses;
}();

/// digits / 10^decimals, correctly rounded, where digits > 0 and 0 < decimals <= most_decimals. Lemire (2021), "Number
/// parsing at a gigabyte per second", doi:10.1002/spe.2984, section 5: 55 bits of the product with the inverse decide;
/// only where the 9 bits below them are all ones may the rest of the inverse change these.
inline double rounded_quotient(std::uint64_t digits, std::size_t decimals) noexcept {
    const InverseOfFives& inverse = inverses_of_fives[decimals];
    const int shift = std::countl_zero(digits);
    const std::uint64_t scaled = digits << shift;
    Wide product = static_cast<Wide>(scaled) * inverse.high;
    if ((static_cast<std::uint64_t>(product >> 64) & 0x1FF) == 0x1FF) [[unlikely]]
        product += static_cast<Wide>(scaled) * inverse.low >> 64;
    const auto high = static_cast<std::uint64_t>(product >> 64);
    const int dropped = 9 + static_cast<int>(high >> 63);
    std::uint64_t mantissa = high >> dropped;  // the 53 bits of a double, and one to round by
    // Halfway between two doubles, which is possible with few decimals only, the even one is meant.
    if (static_cast<std::uint64_t>(product) <= 1 && decimals <= 4 && mantissa << dropped == high) [[unlikely]]
        mantissa -= (mantissa & 3) == 1;
    mantissa = (mantissa + 1) >> 1;
    const int exponent = dropped + 2 - shift - inverse.bits - static_cast<int>(decimals);
    return static_cast<double>(static_cast<std::int64_t>(mantissa)) *
           std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}
#endif

/// digits / 10^decimals, correctly rounded; false where this takes another way.
inline bool divide(std::uint64_t digits, std::size_t decimals, double& value) noexcept {
#ifdef __SIZEOF_INT128__
    if (digits != 0 && decimals - 1 < most_decimals) {
        value = rounded_quotient(digits, decimals);
        return true;
    }
#endif
    if (digits > exact_digits || decimals > exact_decimals) return false;
    value = exact_quotient(digits, decimals);
    return true;
}

/// A decimal of up to 19 digits that count: the digits at `first`, of which those up to p, without the point, are read,
/// and the others. Returns its end, or nullptr where it is of another kind.
inline const char* long_decimal(const char* first, const char* p, std::uint64_t digits, double& value) noexcept {
    auto count = static_cast<std::size_t>(p - first);
    std::size_t decimals = 0;
    if (*p == '.') {
        const char* const point = p;
        p = append_digits(p + 1, digits);
        decimals = static_cast<std::size_t>(p - point - 1);
        count += decimals;
    }
    if (count == 0) return nullptr;
    // With more than 19 digits behind the leading zeros `digits` may have wrapped around.
    for (const char* zero = first; count > 19 && (*zero == '0' || *zero == '.'); ++zero) count -= *zero == '0';
    return count <= 19 && divide(digits, decimals, value) ? p : nullptr;
}

/// A plain decimal, as most scores are, read from p up to the first byte that does not belong to it. Returns its end, or
/// nullptr where it is of another kind (the general reader then decides). Reads eight bytes from any of its bytes and from
/// the one behind it.
GRADEVAL_INLINE const char* short_decimal(const char* p, double& value) noexcept {
    const bool negative = *p == '-';
    p += negative;
    std::uint64_t digits = 0;
    const char* const first = p;
    for (; static_cast<unsigned char>(*p - '0') < 10; ++p) digits = digits * 10 + static_cast<unsigned char>(*p - '0');
    const std::uint64_t behind = load8(p) >> 8 ^ (every_byte * '0');  // its last byte is no digit
    const std::size_t decimals = bytes_before(not_digits(behind));
    if (*p == '.' && decimals < 7 && static_cast<std::size_t>(p - first) - 1 < 9) {
        value = exact_quotient(append_few(digits, behind, decimals), decimals);
        p += 1 + decimals;
    } else {
        p = long_decimal(first, p, digits, value);
    }
    value = negative ? -value : value;
    return p;
}

enum class Numeral { finite, nan, infinite, none };

#if !defined(__cpp_lib_to_chars)
/// strtod of the "C" locale, for standard libraries that lack from_chars for doubles.
inline double strtod_c(const std::string& text, std::size_t& used) {
    char* end = nullptr;
#if defined(_WIN32)
    static const _locale_t c = _create_locale(LC_ALL, "C");
    const double value = _strtod_l(text.c_str(), &end, c);
#else
    static const locale_t c = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(nullptr));
    const double value = strtod_l(text.c_str(), &end, c);
#endif
    used = static_cast<std::size_t>(end - text.c_str());
    return value;
}
#endif

/// Whether an out-of-range numeral is tiny: underflow reads as zero, overflow is an error.
inline bool is_tiny(std::string_view text) noexcept {
    long long exponent = 0;
    const std::size_t mark = text.find_first_of("eE");
    if (mark != std::string_view::npos) {
        const char* digits = text.data() + mark + 1;
        if (*digits == '+') ++digits;
        const auto read = std::from_chars(digits, text.data() + text.size(), exponent);
        constexpr long long most = 1'000'000'000'000;
        if (read.ec == std::errc::result_out_of_range || exponent > most || exponent < -most)
            return *digits == '-';
    }
    // Position of the first digit that counts, relative to the decimal point.
    const std::string_view mantissa = text.substr(0, mark);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const std::size_t leading = mantissa.find_first_of("123456789");
    if (leading == std::string_view::npos) return true;
    return static_cast<long long>(point) - static_cast<long long>(leading) + exponent < 0;
}

/// Reads the whole of `text` as a number: decimal or scientific, a leading '+' allowed.
inline Numeral read_number(std::string_view text, double& value) {
    if (!text.empty() && text[0] == '+') {
        text.remove_prefix(1);
        if (!text.empty() && text[0] == '-') return Numeral::none;
    }
    if (text.empty()) return Numeral::none;
#if defined(__cpp_lib_to_chars)
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec == std::errc::invalid_argument || read.ptr != end) return Numeral::none;
    if (read.ec == std::errc::result_out_of_range) {
        if (!is_tiny(text)) return Numeral::infinite;
        value = 0.0;
        return Numeral::finite;
    }
#else
    const char first = text[0] == '-' && text.size() > 1 ? text[1] : text[0];
    const bool hexadecimal = text.find_first_of("xX") != std::string_view::npos;  // strtod reads those
    if (hexadecimal || first == '+' || first == '-' || static_cast<unsigned char>(first) <= 0x20)
        return Numeral::none;
    std::size_t used = 0;
    value = strtod_c(std::string(text), used);
    if (used != text.size()) return Numeral::none;
#endif
    if (std::isnan(value)) return Numeral::nan;
    return std::isinf(value) ? Numeral::infinite : Numeral::finite;
}

/// What is wrong with a numeral that is not finite, as the end of a sentence.
inline const char* complaint(Numeral numeral) noexcept {
    switch (numeral) {
        case Numeral::nan: return "is NaN; it must be a finite number";
        case Numeral::infinite: return "is infinite; it must be a finite number";
        default: return "is not a number";
    }
}

/// How to write a numeral with a decimal comma, as 0,93, behind a sentence; empty for any other text.
inline std::string about_comma(std::string_view text) {
    constexpr std::size_t longest = 80;
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos || text.size() > longest) return {};
    std::string_view whole = text.substr(0, comma);
    if (whole.starts_with('-') || whole.starts_with('+')) whole.remove_prefix(1);
    const std::string_view part = text.substr(comma + 1);
    for (const std::string_view digits : {whole, part})
        if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return {};
    return "; write " + std::string(text).replace(comma, 1, ".") + ": the comma is a decimal comma";
}

}  // namespace gradeval

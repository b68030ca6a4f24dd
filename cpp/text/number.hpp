// Decimal numerals to doubles, correctly rounded, whatever the locale.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <version>

#if !defined(__cpp_lib_to_chars)
#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

namespace gradeval {

/// A numeral as short as most scores are, read from p up to the first byte that does not belong to it. Such a
/// numeral is exact in one division: an integer below 2^53 by a power of ten below 10^23. Returns the end of
/// the numeral, or nullptr where it is not of that kind (the general reader then decides). The caller sees to
/// it that a byte that is neither digit nor point stands somewhere after p.
inline const char* short_decimal(const char* p, double& value) noexcept {
    static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                        1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    const bool negative = *p == '-';
    p += negative;
    std::uint64_t digits = 0;
    const char* const first = p;
    const auto is_digit = [](char c) { return static_cast<unsigned char>(c - '0') < 10; };
    for (; is_digit(*p); ++p) digits = digits * 10 + static_cast<unsigned char>(*p - '0');
    std::ptrdiff_t count = p - first;
    std::ptrdiff_t decimals = 0;
    if (*p == '.') {
        const char* const point = p++;
        for (; is_digit(*p); ++p) digits = digits * 10 + static_cast<unsigned char>(*p - '0');
        decimals = p - point - 1;
        count += decimals;
    }
    // With more than 19 digits `digits` may have wrapped around; it is not looked at then.
    if (count == 0 || count > 19 || digits > (std::uint64_t{1} << 53)) return nullptr;
    const double magnitude = static_cast<double>(digits) / powers[decimals];
    value = negative ? -magnitude : magnitude;
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

}  // namespace gradeval

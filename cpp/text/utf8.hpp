// UTF-8: validation, and a way to show text that may be invalid.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/bytes.hpp"

namespace gradeval {

/// Length of the UTF-8 sequence at the start of `text`; 0 where there is none (overlong forms, surrogates and
/// code points above U+10FFFF are none).
inline std::size_t utf8_length(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
    const unsigned lead = byte(0);
    if (text.empty()) return 0;
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        if (!follows(1) || !follows(2)) return 0;
        if (lead == 0xE0 && byte(1) < 0xA0) return 0;
        if (lead == 0xED && byte(1) > 0x9F) return 0;
        return 3;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        if (!follows(1) || !follows(2) || !follows(3)) return 0;
        if (lead == 0xF0 && byte(1) < 0x90) return 0;
        if (lead == 0xF4 && byte(1) > 0x8F) return 0;
        return 4;
    }
    return 0;
}

inline bool is_utf8(std::string_view text) noexcept {
    while (text.size() >= 8 && (load8(text.data()) & (every_byte * 0x80)) == 0) text.remove_prefix(8);
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

/// `text` fit for a one-line message: at most some 60 characters, control bytes and invalid UTF-8 escaped.
inline std::string excerpt(std::string_view text) {
    constexpr std::size_t most = 60;
    constexpr char digits[] = "0123456789abcdef";
    std::string shown;
    for (std::size_t count = 0; !text.empty(); ++count) {
        if (count == most) return shown + "...";
        const std::size_t length = utf8_length(text);
        const auto lead = static_cast<unsigned char>(text[0]);
        if (lead == '\t') {
            shown += "\\t";
        } else if (length == 0 || lead < 0x20 || lead == 0x7F) {
            shown += "\\x";
            shown += digits[lead >> 4];
            shown += digits[lead & 15];
        } else {
            shown += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return shown;
}

inline std::string in_quotes(std::string_view text) {
    std::string shown = excerpt(text);
    shown.insert(shown.begin(), '\'');
    shown += '\'';
    return shown;
}

}  // namespace gradeval

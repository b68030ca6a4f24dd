// A column of strings, looked at in place.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "text/error.hpp"
#include "text/number.hpp"
#include "text/utf8.hpp"

namespace gradeval {

/// A column of strings as Arrow lays it out; with `codes` the strings are a dictionary and each row holds a
/// code. Rows may be asked for only where is_sound() holds.
struct StringColumn {
    std::span<const std::int64_t> offsets;
    std::string_view data;
    std::span<const std::int32_t> codes;
    bool coded = false;

    std::size_t strings() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
    std::size_t rows() const noexcept { return coded ? codes.size() : strings(); }
    std::string_view operator[](std::size_t row) const noexcept {
        const std::size_t i = coded ? static_cast<std::size_t>(codes[row]) : row;
        return data.substr(static_cast<std::size_t>(offsets[i]),
                           static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
    }
    bool is_sound() const noexcept {
        if (!offsets.empty() &&
            (offsets.front() < 0 || static_cast<std::size_t>(offsets.back()) > data.size()))
            return false;
        for (std::size_t i = 1; i < offsets.size(); ++i) {
            if (offsets[i] < offsets[i - 1] || offsets[i] - offsets[i - 1] > 0xFFFFFFFF) return false;
        }
        for (const std::int32_t code : codes) {
            if (code < 0 || static_cast<std::size_t>(code) >= strings()) return false;
        }
        return true;
    }
};

/// Throws a Failure where an id of a table is not UTF-8.
inline void require_utf8_in_row(std::uint64_t row, std::string_view id, const char* what) {
    if (!is_utf8(id)) throw Failure{row, std::string(what) + " " + in_quotes(id) + " is not valid UTF-8"};
}

/// Failure for a value of a table that is not finite.
inline Failure not_finite(std::uint64_t row, double value, const char* what, std::string_view topic,
                          std::string_view document) {
    return {row, std::string(what) + " " + complaint(std::isnan(value) ? Numeral::nan : Numeral::infinite) +
                     " (topic " + excerpt(topic) + ", document " + excerpt(document) + ")"};
}

}  // namespace gradeval

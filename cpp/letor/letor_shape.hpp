// How large the table of features of a text is: one look at its lines before their numbers are read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "letor/letor_line.hpp"
#include "text/error.hpp"
#include "text/fields.hpp"
#include "text/text.hpp"

namespace gradeval {

/// What a range of lines holds, by the ends of its lines: features ascend, so the last one of a line is its
/// highest. What is wrong with a line is not seen here.
struct Extent {
    std::uint64_t rows = 0;
    std::uint64_t row = 0;  ///< of the text, its first; filled in later
    std::uint64_t highest = 0;
    std::uint64_t highest_line = 0;  ///< where that feature stands
    std::uint64_t last_line = 0;
    bool features = false;  ///< whether there is any
    bool zero = false;      ///< whether there is a feature 0
};

/// Ranges of about `part_bytes` that together are the text; they begin where lines do.
inline std::vector<Range> ranges_of_lines(const Text& text, std::uint64_t part_bytes) {
    std::vector<Range> ranges;
    std::uint64_t begin = text.begin();
    while (begin < text.size()) {
        const bool last = text.size() - begin <= part_bytes;
        const std::uint64_t end = last ? text.size() : text.next_line_begin(begin + part_bytes);
        ranges.push_back({begin, end});
        begin = end;
    }
    return ranges;
}

/// The first feature of a line, behind its grade and its query (if any).
inline std::string_view first_feature(std::string_view content) noexcept {
    if (begins_with_grade(content)) take_token(content);
    const std::string_view token = take_token(content);
    return token.starts_with("qid:") ? take_token(content) : token;
}

/// The last token of a line before its comment.
inline std::string_view last_token(std::string_view content) noexcept {
    while (!content.empty() && is_blank(content.back())) content.remove_suffix(1);
    std::size_t begin = content.size();
    while (begin > 0 && !is_blank(content[begin - 1])) --begin;
    return content.substr(begin);
}

inline Extent extent_of(const Piece& piece) {
    Extent extent;
    const std::string_view bytes = piece.bytes;
    for (std::uint64_t begin = 0, next = 0; begin < bytes.size(); begin = next) {
        next = next_line(bytes, begin);
        const std::string_view line = line_at(bytes, begin, next);
        if (is_silent(line)) continue;
        const std::uint64_t at = piece.position + begin;
        ++extent.rows;
        extent.last_line = at;
        const std::string_view content = before_comment(line);
        std::uint64_t index = 0;
        std::string_view value;
        if (read_index(last_token(content), index, value)) {
            extent.features = true;
            if (index > extent.highest) {
                extent.highest = index;
                extent.highest_line = at;
            }
        }
        if (read_index(first_feature(content), index, value) && index == 0) extent.zero = true;
    }
    return extent;
}

/// The shape of the table of a text of `size` bytes; also tells each extent its first row. Throws a Failure.
inline LetorShape shape_of(std::uint64_t size, std::span<Extent> extents, std::uint64_t width,
                           bool queries) {
    Extent whole;
    for (Extent& extent : extents) {
        extent.row = whole.rows;
        whole.rows += extent.rows;
        whole.features |= extent.features;
        whole.zero |= extent.zero;
        if (extent.highest > whole.highest) {
            whole.highest = extent.highest;
            whole.highest_line = extent.highest_line;
        }
        if (extent.rows > 0) whole.last_line = extent.last_line;
    }
    if (whole.rows == 0) {
        const char* what =
            size == 0 ? "the file is empty" : "the file holds nothing but blank lines and comments";
        throw Failure{0, std::string(what) + "; " + std::string(letor_form)};
    }
    LetorShape shape;
    shape.rows = whole.rows;
    shape.first = whole.zero ? 0 : 1;
    shape.queries = queries;
    shape.declared = width != 0;
    shape.last_line = whole.last_line;
    shape.width = width != 0 ? width : whole.features ? whole.highest + 1 - shape.first : 0;
    // Features are kept in a dense table; one that dwarfs the text is not what anybody meant.
    const std::uint64_t most = std::max<std::uint64_t>(1 << 26, size * 100) / sizeof(float);
    if (shape.width > most / shape.rows) {
        const double megabytes = static_cast<double>(shape.rows) * static_cast<double>(shape.width) * 4e-6;
        throw Failure{whole.highest_line, std::to_string(shape.width) + " features for " +
                                              std::to_string(shape.rows) + " rows would take " +
                                              std::to_string(static_cast<std::uint64_t>(megabytes)) +
                                              " MB; number the features without gaps"};
    }
    return shape;
}

}  // namespace gradeval

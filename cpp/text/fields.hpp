// Splits one line of text into its columns with full checks; errors are explained here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "text/bytes.hpp"
#include "text/error.hpp"
#include "text/number.hpp"
#include "text/utf8.hpp"

namespace gradeval {

/// The first columns of a line and how many there are.
struct Fields {
    static constexpr std::size_t most = 6;
    std::array<std::string_view, most> column{};
    std::size_t count = 0;
};

/// The columns of a line, for one kind of file.
struct Form {
    const char* line;     ///< what one line is called
    const char* columns;  ///< its columns
    std::size_t count;    ///< how many
};

inline constexpr Form run_form{"a line of a run", "topic Q0 document rank score tag", 6};
inline constexpr Form qrels_form{"a line of judgments", "topic iteration document grade", 4};

inline std::string columns_of(const Form& form) {
    return std::string(form.line) + " has " + std::to_string(form.count) + " columns: " + form.columns;
}

/// Where the text behind a byte order mark begins.
inline std::uint64_t text_begin(std::string_view bytes) noexcept {
    return bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

/// Position just behind the newline that ends the line at `position` (the end of the text for its last line).
inline std::uint64_t next_line(std::string_view bytes, std::uint64_t position) noexcept {
    const void* newline = std::memchr(bytes.data() + position, '\n', bytes.size() - position);
    return newline ? static_cast<std::uint64_t>(static_cast<const char*>(newline) - bytes.data()) + 1
                   : bytes.size();
}

/// The line at `position` (which ends before `next`) without its line end and leading blanks.
inline std::string_view line_at(std::string_view bytes, std::uint64_t position, std::uint64_t next) noexcept {
    std::string_view line = bytes.substr(position, next - position);
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    return line;
}

/// Blank lines and comments say nothing. `line` is one of line_at().
inline bool is_silent(std::string_view line) noexcept { return line.empty() || line.front() == '#'; }

/// How many columns a line has, whatever stands in them.
inline std::size_t count_columns(std::string_view line) noexcept {
    std::size_t columns = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
        columns += !is_blank(line[i]) && (i == 0 || is_blank(line[i - 1]));
    return columns;
}

/// The lines that are silent, as they begin with #, and have as many columns as a line of data: perhaps they are data.
struct Skipped {
    std::uint64_t count = 0;
    std::uint64_t first = ~std::uint64_t{0};  ///< position of the first one

    void add(const Skipped& more) noexcept {
        count += more.count;
        first = std::min(first, more.first);
    }

    /// Counts a silent line where it has the columns of `form`.
    void look_at(std::uint64_t position, std::string_view line, const Form& form) noexcept {
        if (count_columns(line) == form.count) add({1, position});
    }
};

/// What to do about text in another encoding; the readers of features know no other.
inline constexpr const char* save_or_name_encoding =
    "save it as UTF-8 (iconv -f ENCODING -t utf-8 FILE > NEW), or name the encoding of all files: --encoding, or "
    "encoding= in Python";
inline constexpr const char* save_as_utf8 = "save it as UTF-8";

/// Failure for a control byte in a text that begins with `head`: binary data, or text in another encoding.
inline Failure control_byte(std::string_view head, std::uint64_t position, char byte, const char* remedy) {
    const std::string text = "control byte " + in_quotes({&byte, 1}) + " found; ";
    if (head.starts_with("\x1F\x8B")) return {position, text + "this is compressed (gzip) data, not text"};
    if (head.starts_with("PK\x03\x04"))
        return {position, text + "this is a zip archive, such as an Excel workbook; save it as csv"};
    const bool one_of_two = head.size() > 1 && (head[0] == '\0') != (head[1] == '\0');
    if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF") || one_of_two)
        return {position, text + "this looks like UTF-16; " + remedy};
    if (byte == '\r') return {position, text + "a carriage return may only end a line"};
    return {position, text + "this is not a text file"};
}

/// Splits one of line_at() at runs of blanks; `head` is how the text begins. Throws a Failure for control bytes.
inline Fields split(std::string_view head, std::uint64_t position, std::string_view line) {
    Fields fields;
    const char* p = line.data();
    const char* const end = p + line.size();
    while (p < end) {
        const char* const first = p;
        while (p < end && static_cast<unsigned char>(*p) > 0x20) ++p;
        if (p > first) {
            if (fields.count < Fields::most)
                fields.column[fields.count] = {first, static_cast<std::size_t>(p - first)};
            ++fields.count;
        }
        if (p < end && !is_blank(*p)) throw control_byte(head, position, *p, save_or_name_encoding);
        while (p < end && is_blank(*p)) ++p;
    }
    return fields;
}

/// Whether a column reads as a number (of any kind).
inline bool is_numeric(std::string_view column) {
    double value = 0;
    return read_number(column, value) != Numeral::none;
}

/// Failure for a line with another number of columns than `form` has; `foreign`: do the first lines of the text all have
/// another number, so that it may be a file of another kind?
inline Failure wrong_columns(std::uint64_t position, std::string_view line, const Fields& fields, const Form& form,
                             bool foreign) {
    if (fields.count >= 2 && fields.column[1].starts_with("qid:"))
        return {position, "this looks like learning-to-rank features (grade qid:query index:value ...); expected " +
                              std::string(form.count == run_form.count ? "is a run: " : "are qrels: ") +
                              form.columns};
    const bool run = form.count == run_form.count;
    if (foreign && run && fields.count == qrels_form.count && is_numeric(fields.column[3]))
        return {position, "this looks like qrels (" + columns_of(qrels_form) +
                              "); expected is a run: " + run_form.columns};
    if (foreign && !run && fields.count == run_form.count && is_numeric(fields.column[4]))
        return {position, "this looks like a run (" + columns_of(run_form) +
                              "); expected are qrels: " + qrels_form.columns};
    const auto tabs = static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t'));
    const bool blanks_inside = fields.count > form.count && tabs + 1 == form.count;
    return {position, "found " + std::to_string(fields.count) +
                          (fields.count == 1 ? " column " : " columns ") + "(" + in_quotes(line) + "); " +
                          (blanks_inside ? "where only tabs separate columns, say --input-format columns, or "
                                           "format='columns' in Python"
                                         : columns_of(form))};
}

/// Throws a Failure where an id is not UTF-8, with what to do about it.
inline void require_utf8(std::uint64_t position, std::string_view id, const char* what,
                         const char* remedy = save_or_name_encoding) {
    if (!is_utf8(id))
        throw Failure{position, std::string(what) + " " + in_quotes(id) + " is not valid UTF-8; " + remedy};
}

/// Reads a line that must have the columns of `form`; `is_foreign()`, see wrong_columns, is asked where it has not.
/// Throws a Failure.
template <class IsForeign>
Fields read_fields(std::string_view head, std::uint64_t position, std::string_view line, const Form& form,
                   const IsForeign& is_foreign) {
    Fields fields = split(head, position, line);
    if (fields.count != form.count) throw wrong_columns(position, line, fields, form, is_foreign());
    require_utf8(position, fields.column[0], "topic");
    require_utf8(position, fields.column[2], "document");
    if (fields.column[2].size() > 0xFFFFFFFFu)
        throw Failure{position, "the document id is longer than 4 GiB"};
    return fields;
}

/// Failure for a text without a single line that says something.
inline Failure nothing_to_read(bool empty, const Form& form) {
    const char* what =
        empty ? "the file is empty" : "the file holds nothing but blank lines and comments";
    return {0, std::string(what) + "; " + columns_of(form)};
}

/// The number in a column. Throws a Failure that names topic and document.
inline double read_value(std::uint64_t position, std::string_view text, const char* what,
                         const Fields& fields) {
    double value = 0;
    const Numeral numeral = read_number(text, value);
    if (numeral == Numeral::finite) return value;
    throw Failure{position, std::string(what) + " " + in_quotes(text) + " " + complaint(numeral) + " (topic " +
                                excerpt(fields.column[0]) + ", document " + excerpt(fields.column[2]) + ")" +
                                about_comma(text)};
}

}  // namespace gradeval

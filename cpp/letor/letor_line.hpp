// One line of learning-to-rank features: grade qid:query index:value ... # comment
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "text/bytes.hpp"
#include "text/error.hpp"
#include "text/fields.hpp"
#include "text/number.hpp"
#include "text/utf8.hpp"

namespace gradeval {

/// The layout of the table of features that a text becomes.
struct LetorShape {
    std::uint64_t rows = 0;
    std::uint64_t width = 0;      ///< columns; column 0 is the feature `first`
    std::uint64_t first = 1;      ///< 0 where a line has a feature 0
    std::uint64_t last_line = 0;  ///< where the last row stands
    bool queries = true;          ///< whether lines have their qid:query
    bool declared = false;        ///< whether somebody said the width
};

/// A line without its features, which go into the table. Views into the text.
struct LetorLine {
    double grade = 0.0;  ///< NaN: the line has none
    std::string_view query{};
    std::string_view document{};  ///< empty: no comment says one
    bool null = false;            ///< whether a value is NULL
    std::uint64_t largest = 0;    ///< how many values are the largest double, which stands for a missing one
    std::uint64_t of_feature = 0;  ///< the first of which
};

inline constexpr std::string_view letor_form =
    "a line of features is: grade qid:query index:value ... # comment";
inline constexpr int index_digits = 9;
/// Stands for NULL until fill_nulls(): no feature is infinite, and NaN is a missing value.
template <class Number>
inline constexpr Number null_value = std::numeric_limits<Number>::infinity();

/// Thrown where a table in single precision would lose what tells large numbers apart, such as times and dates.
struct NeedsDouble {};

/// Single precision holds all whole numbers below. Numbers are rounded to it there, in every table, so that what a number
/// becomes does not depend on the others; from here on they are kept as they are.
inline constexpr double all_in_single = 0x1p24;
/// From here on a number is what Istella's files, and others, have where a feature has no value: the largest double, in
/// as many digits as were written.
inline constexpr double stands_for_missing = 1.797e308;

/// Whether a number of all_in_single and more can be kept as it is.
template <class Number>
bool is_kept(double value) noexcept {
    return std::abs(value) < stands_for_missing && static_cast<double>(static_cast<Number>(value)) == value;
}

/// What a number that can be kept becomes in a table.
template <class Number>
Number number_for(double value) noexcept {
    if constexpr (sizeof(Number) == sizeof(float)) return static_cast<float>(value);
    return std::abs(value) < all_in_single ? static_cast<float>(value) : static_cast<Number>(value);
}

/// Whether a numeral that overflows is the largest double, rounded up in its last digit.
inline bool is_largest_double(std::string_view text) noexcept {
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    return text.starts_with("1.797693134862") && text.ends_with("308");
}

/// The line of line_at() before its comment.
inline std::string_view before_comment(std::string_view line) noexcept {
    return line.substr(0, line.find('#'));
}

/// The next token of `rest`, taken off with the blanks before it; empty at the end. Control bytes end it too,
/// and stay.
inline std::string_view take_token(std::string_view& rest) noexcept {
    std::size_t begin = 0;
    while (begin < rest.size() && is_blank(rest[begin])) ++begin;
    std::size_t end = begin;
    while (end < rest.size() && static_cast<unsigned char>(rest[end]) > 0x20) ++end;
    const std::string_view token = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    return token;
}

/// Whether a line begins with a grade. One that begins with its query or a feature has none, and can be ranked.
inline bool begins_with_grade(std::string_view content) noexcept {
    return take_token(content).find(':') == std::string_view::npos;
}

/// The index before the colon of `index:value`; false where there is none of up to nine digits.
inline bool read_index(std::string_view token, std::uint64_t& index, std::string_view& value) noexcept {
    const std::size_t colon = token.find(':');
    if (colon == 0 || colon == token.npos || colon > index_digits) return false;
    index = 0;
    for (const char c : token.substr(0, colon)) {
        const unsigned digit = static_cast<unsigned char>(c - '0');
        if (digit > 9) return false;
        index = index * 10 + digit;
    }
    value = token.substr(colon + 1);
    return true;
}

/// The document that a comment names, as LETOR does: `#docid = GX008-86-4444840 inc = 1`. Empty if none.
inline std::string_view document_of(std::string_view comment) noexcept {
    const auto skip_blanks = [&] {
        while (!comment.empty() && is_blank(comment.front())) comment.remove_prefix(1);
    };
    if (comment.starts_with('#')) comment.remove_prefix(1);
    skip_blanks();
    if (!comment.starts_with("docid")) return {};
    comment.remove_prefix(5);
    skip_blanks();
    if (!comment.starts_with('=')) return {};
    comment.remove_prefix(1);
    return take_token(comment);
}

/// Reads lines the careful way; what cannot be read is explained here.
class LetorLineReader {
  public:
    /// `head` is how the text begins; it must outlive the reader.
    LetorLineReader(std::string_view head, const LetorShape& shape) : head_(head), shape_(shape) {}

    /// Reads one of line_at() that is not silent; its features go into `row`, which holds zeros, and as they are into
    /// `exact`, if any. Throws a Failure.
    template <class Number>
    LetorLine read(std::uint64_t position, std::string_view line, Number* row, double* exact = nullptr) const {
        const std::string_view content = before_comment(line);
        std::string_view rest = content;
        const auto next = [&] {
            const std::string_view token = take_token(rest);
            if (!rest.empty() && !is_blank(rest.front())) throw control_byte(head_, position, rest.front(), save_as_utf8);
            return token;
        };
        LetorLine read;
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        read.grade = begins_with_grade(content) ? grade(position, next()) : none;
        if (shape_.queries) read.query = query(position, next());
        if (shape_.queries && rest.empty() && content.size() < line.size())
            throw Failure{position, "query " + in_quotes(read.query) +
                                        " ends at #, which begins a comment; put a blank before a comment, " +
                                        "or rename the query if # is part of it"};
        std::int64_t last = -1;
        for (std::string_view token = next(); !token.empty(); token = next())
            feature(position, token, read, last, row, exact);
        if (last >= 0) require_inside(position, static_cast<std::uint64_t>(last), read);
        read.document = document_of(line.substr(content.size()));
        if (read.document.size() > 0xFFFFFFFFu)
            throw Failure{position, "the document id is longer than 4 GiB"};
        require_utf8(position, read.document, "document", save_as_utf8);
        return read;
    }

  private:
    double grade(std::uint64_t position, std::string_view token) const {
        if (token == "?" || token == "-") return std::numeric_limits<double>::quiet_NaN();
        double grade = 0.0;
        const Numeral numeral = read_number(token, grade);
        if (numeral != Numeral::finite)
            throw Failure{position, "grade " + in_quotes(token) + " " + complaint(numeral) + "; " +
                                        std::string(letor_form) + "; ? stands for no grade"};
        if (grade < 0)
            throw Failure{position, "grade " + in_quotes(token) + " is negative; grades are 0 or more, ? stands " +
                                        "for none: leave documents that are not judged out, or write ? to rank them"};
        return grade + 0.0;  // no -0.0
    }

    std::string_view query(std::uint64_t position, std::string_view token) const {
        if (!token.starts_with("qid:")) {
            const std::string found = token.empty() ? "nothing" : in_quotes(token);
            throw Failure{position, "found " + found + " where qid:query belongs; " +
                                        std::string(letor_form) +
                                        " (where the sizes of queries lie in a file of their own, name it)"};
        }
        token.remove_prefix(4);
        if (token.empty()) throw Failure{position, "qid: names no query; " + std::string(letor_form)};
        require_utf8(position, token, "query", save_as_utf8);
        return token;
    }

    template <class Number>
    void feature(std::uint64_t position, std::string_view token, LetorLine& line, std::int64_t& last,
                 Number* row, double* exact) const {
        std::uint64_t index = 0;
        std::string_view text;
        if (!read_index(token, index, text)) throw no_feature(position, token, line);
        if (static_cast<std::int64_t>(index) <= last) {
            const std::string order = static_cast<std::int64_t>(index) == last
                                          ? " comes twice"
                                          : " comes after feature " + std::to_string(last);
            throw Failure{position, "feature " + std::to_string(index) + order +
                                        "; the features of a line ascend, each once" + of_query(line)};
        }
        // Where nobody declared a width, the last features of the lines give it. A feature beyond it then stands
        // before a lower one, and the check of the next feature finds it.
        if (shape_.declared) require_inside(position, index, line);
        last = static_cast<std::int64_t>(index);
        const double read = value<Number>(position, index, text, line);
        if (!is_inside(index)) return;
        row[index - shape_.first] = number_for<Number>(read);
        if (exact != nullptr) exact[index - shape_.first] = read;
    }

    bool is_inside(std::uint64_t index) const noexcept {
        return index >= shape_.first && index - shape_.first < shape_.width;
    }

    void require_inside(std::uint64_t position, std::uint64_t index, const LetorLine& line) const {
        if (is_inside(index)) return;
        throw Failure{position, "feature " + std::to_string(index) + " is none of the " +
                                    std::to_string(shape_.width) + " features from " +
                                    std::to_string(shape_.first) + " on; the features of a line ascend" +
                                    of_query(line)};
    }

    template <class Number>
    double value(std::uint64_t position, std::uint64_t index, std::string_view text, LetorLine& line) const {
        if (text == "NULL") {
            line.null = true;
            return null_value<double>;
        }
        double number = 0.0;
        const Numeral numeral = read_number(text, number);
        if (numeral == Numeral::nan) return std::numeric_limits<double>::quiet_NaN();
        if (numeral == Numeral::finite ? std::abs(number) >= stands_for_missing : is_largest_double(text)) {
            if (line.largest++ == 0) line.of_feature = index;
            return std::numeric_limits<double>::quiet_NaN();
        }
        if (numeral != Numeral::finite)
            throw Failure{position, "feature " + std::to_string(index) + ": " + in_quotes(text) + " " +
                                        complaint(numeral) + of_query(line)};
        if (std::abs(number) >= all_in_single && !is_kept<Number>(number)) throw NeedsDouble{};
        return number;
    }

    Failure no_feature(std::uint64_t position, std::string_view token, const LetorLine& line) const {
        if (token.starts_with("qid:"))
            return {position, shape_.queries
                                  ? in_quotes(token) + " is a second query; " + std::string(letor_form)
                                  : "the line names its query, " + in_quotes(token) +
                                        "; read the file without a file of sizes"};
        return {position, in_quotes(token) +
                              " is no feature, which is index:value with an index of up to 9 digits" +
                              of_query(line)};
    }

    std::string of_query(const LetorLine& line) const {
        return shape_.queries ? " (query " + excerpt(line.query) + ")" : std::string();
    }

    std::string_view head_;
    const LetorShape& shape_;
};

}  // namespace gradeval

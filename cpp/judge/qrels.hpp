// Judgments from TREC text (topic iteration document grade) and from the columns of a table.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "judge/pools.hpp"
#include "runs/column.hpp"
#include "text/error.hpp"
#include "text/fields.hpp"
#include "text/text.hpp"

namespace gradeval {

/// The grades of two judgments, where they differ, as they stand behind the place of the first.
inline std::string grades_of(const Judgment& first, const Judgment& second) {
    if (first.grade == second.grade) return {};
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), " (grades %g and %g)", first.grade, second.grade);
    return text.data();
}

/// Failure for a document judged twice.
inline Failure judged_twice(std::string_view topic, const Judgment& first, const Judgment& second) {
    return {second.position,
            "document " + in_quotes(second.document) + " of topic " + excerpt(topic) + " was already judged in ",
            first.position, grades_of(first, second) + "; " + once_in_qrels};
}

/// Do two judgments with one grade say the same, where they have nothing else?
inline bool say_the_same(const Judgment&, const Judgment&) { return true; }

/// The judgments that fill(builder) adds, each document once (see PoolsBuilder::build). The first fault in reading
/// order (the Failure that fill throws, or a duplicate before it) becomes an InputError: error(failure).
template <class Fill, class Same, class Error>
Pools build_pools(Repeated repeated, Fill&& fill, Same&& same, Error&& error) {
    PoolsBuilder builder;
    std::optional<Failure> trouble;
    try {
        fill(builder);
    } catch (Failure& failure) {
        trouble = std::move(failure);
    }
    try {
        Pools pools = builder.build(repeated, same, judged_twice);
        if (!trouble) return pools;
    } catch (Failure& failure) {
        trouble = std::move(failure);
    }
    throw error(*trouble);
}

/// What stands in the second column of a line of TREC text.
inline std::string_view second_column(std::string_view bytes, std::uint64_t at) {
    return split({}, at, line_at(bytes, at, next_line(bytes, at))).column[1];
}

/// Says of a document judged twice in a text where the second columns of its lines differ, which tells what they are.
inline void compare_second_columns(std::string_view bytes, Failure& twice) {
    const std::string_view first = second_column(bytes, *twice.earlier);
    const std::string_view second = second_column(bytes, twice.position);
    if (first != second)
        twice.rest += ". The second columns differ (" + in_quotes(first) + ", " + in_quotes(second) +
                      "): if they are subtopics, ndeval scores them";
}

/// Reads judgments from text. Throws an InputError for the first line that cannot be accepted.
inline Pools read_qrels(std::string_view bytes, const std::string& where, Repeated repeated) {
    const auto fill = [&](PoolsBuilder& builder) {
        bool anything = false;
        const std::string_view head = bytes.substr(0, 4);
        for (std::uint64_t at = text_begin(bytes), next = at; at < bytes.size(); at = next) {
            next = next_line(bytes, at);
            const std::string_view line = line_at(bytes, at, next);
            if (is_silent(line)) continue;
            anything = true;
            const Fields fields = read_fields(head, at, line, qrels_form, [&] {
                return is_foreign(Text(bytes, where), qrels_form);
            });
            const double grade = read_value(at, fields.column[3], "grade", fields);
            builder.add(builder.topic(fields.column[0]), fields.column[2], grade, at);
        }
        if (!anything) throw nothing_to_read(bytes.empty(), qrels_form);
    };
    const auto same = [&](const Judgment& first, const Judgment& second) {
        return second_column(bytes, first.position) == second_column(bytes, second.position);
    };
    return build_pools(repeated, fill, same, [&](Failure& failure) {
        if (failure.earlier) compare_second_columns(bytes, failure);  // no other failure has two places
        return Text(bytes, where).error(failure);
    });
}

/// Reads judgments from sound columns of one length. Throws an InputError.
inline Pools read_qrels(const StringColumn& topics, const StringColumn& documents,
                        std::span<const double> grades, const std::string& where, Repeated repeated) {
    const auto fill = [&](PoolsBuilder& builder) {
        for (std::uint64_t row = 0; row < grades.size(); ++row) {
            require_utf8_in_row(row, topics[row], "topic");
            require_utf8_in_row(row, documents[row], "document");
            if (!std::isfinite(grades[row]))
                throw not_finite(row, grades[row], "grade", topics[row], documents[row]);
            builder.add(builder.topic(topics[row]), documents[row], grades[row], row);
        }
    };
    return build_pools(repeated, fill, say_the_same,
                       [&](const Failure& failure) { return error_in_rows(where, failure); });
}

}  // namespace gradeval

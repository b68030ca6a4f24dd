// A run as TREC text: topic Q0 document rank score tag.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runs/line.hpp"
#include "runs/ranks.hpp"
#include "text/bytes.hpp"
#include "text/error.hpp"
#include "text/fields.hpp"
#include "text/file.hpp"
#include "text/number.hpp"
#include "text/text.hpp"

namespace gradeval {

/// The lines of a run in a text. Positions are bytes.
///
/// Most lines repeat topic, Q0 and tag of the line before and hold a short decimal: those are recognised by
/// comparison, eight bytes at a time. Whatever is not exactly like that goes the careful way (fields.hpp),
/// which decides alone what is accepted and what is wrong. Nothing is read beyond the text.
class TextRun {
  public:
    explicit TextRun(Text text) : text_(std::move(text)) {}

    /// What a scan needs to know beforehand: where the first line stands and the tag that all lines must
    /// share.
    struct Opening {
        std::uint64_t begin = 0;
        std::string tag{};
    };

    /// Reads the first line. Throws a Failure.
    Opening open() const {
        std::optional<Opening> opening;
        text_.for_each_line(text_.begin(), [&](std::uint64_t at, std::string_view line, std::uint64_t) {
            if (is_silent(line)) return false;
            const std::string_view tag = read_fields(text_.head(), at, line, run_form, [&] {
                return is_foreign(text_, run_form);
            }).column[5];
            require_utf8(at, tag, "tag");
            opening = {at, std::string(tag)};
            return true;
        });
        if (!opening) throw nothing_to_read(text_.size() == 0, run_form);
        return *opening;
    }

    /// Ranges of about `part_bytes` that together are the run; none begins inside a group of lines of one
    /// topic. Throws a Failure.
    std::vector<Range> parts(const Opening&, std::uint64_t part_bytes) const {
        std::vector<Range> ranges;
        std::uint64_t begin = text_.begin();  // comments above the first line are looked at, too
        while (text_.size() - begin > part_bytes) {
            const std::uint64_t end = topic_end(text_.next_line_begin(begin + part_bytes));
            ranges.push_back({begin, end});
            begin = end;
        }
        if (begin < text_.size()) ranges.push_back({begin, text_.size()});
        return ranges;
    }

    /// Calls sink(topic, lines, range) for each group of neighbouring lines of one topic in some ranges, which
    /// must begin and end where lines do, and counts what is skipped. `lines` is room to work in; the ids of lines stay
    /// in the window. Throws a Failure at the first line that cannot be read, after the lines before it were handed over.
    template <class Sink>
    void scan(const Opening& opening, std::span<const Range> ranges, Window& window, std::vector<Line>& lines,
              Skipped& skipped, Sink&& sink) const {
        text_.load(ranges, window);
        const std::string tag = opening.tag + std::string(8, '\0');  // readable by load8
        for (std::size_t i = 0; i < window.size(); ++i)
            Scan<Sink>{text_, opening, window[i], tag.data(), lines, skipped, sink}.run();
    }

    Failure duplicate(std::string_view topic, const Line& first, const Line& second, const Window& window) const {
        return {window.position_of(second.id),
                "document " + in_quotes(second.document()) + " of topic " + excerpt(topic) +
                    " was already given in ",
                window.position_of(first.id), std::string("; ") + once_in_run};
    }

    static std::uint32_t rank_of(const Line& line) noexcept { return line.place; }

    /// A number in the order of the ranks that columns hold, which may read 1.0: the digits of a rank of up to four, as
    /// they are written, else a number above all of these.
    static std::uint32_t text_rank(std::string_view column) {
        constexpr std::uint32_t above = 1u << 30;
        double number = 0.0;
        if (read_number(column, number) != Numeral::finite) return no_rank;
        const std::uint32_t rank = whole_rank(number);
        if (rank >= no_rank - above) return no_rank;
        if (rank >= 10000) return above + rank;
        std::uint32_t digits = 0;
        for (const char digit : std::to_string(rank)) digits = digits << 8 | static_cast<std::uint32_t>(digit);
        return digits;
    }

    /// Reads a range once, of which many small parts will be scanned, until let_go().
    void hold(Range range, Window& window) const { text_.hold(range, window); }
    void let_go(Window& window) const noexcept { text_.let_go(window); }

    InputError error(const Failure& failure) const { return text_.error(failure); }
    const Text& text() const noexcept { return text_; }
    std::uint64_t size() const noexcept { return text_.size(); }

  private:
    static std::string_view first_column(std::string_view line) noexcept {
        std::size_t size = 0;
        while (size < line.size() && static_cast<unsigned char>(line[size]) > 0x20) ++size;
        return line.substr(0, size);
    }

    /// The start of the next topic: of the first line after `begin`, itself the start of a line, with another topic
    /// than the line at `begin`.
    std::uint64_t topic_end(std::uint64_t begin) const {
        std::uint64_t end = text_.size();
        std::optional<std::string> topic;
        text_.for_each_line(begin, [&](std::uint64_t at, std::string_view line, std::uint64_t) {
            if (is_silent(line)) return false;
            const std::string_view column = first_column(line);
            if (!topic) topic = column;
            if (column == *topic) return false;
            end = at;
            return true;
        });
        return end;
    }

    template <class Sink>
    struct Scan {
        const Text& text;
        const Opening& opening;
        const Piece& piece;
        const char* const tag;  // of the opening, with eight readable bytes behind it
        std::vector<Line>& lines;
        Skipped& skipped;
        Sink& sink;

        std::string_view topic{};
        const char* group = nullptr;   // where the group at hand begins
        const char* prefix = nullptr;  // the line before, from its start to its document
        std::size_t prefix_size = 0;

        void run() {
            const char* p = piece.bytes.data();
            const char* const end = p + piece.bytes.size();
            const char* const quick_end = piece.last_quick_newline();
            std::optional<Failure> trouble;
            group = p;
            lines.clear();
            while (p < end) {
                if (p < quick_end && prefix != nullptr && quick_line(p)) continue;
                try {
                    p = careful_line(p);
                } catch (Failure& failure) {
                    trouble = std::move(failure);
                    break;
                }
            }
            hand_over(p);
            if (trouble) throw std::move(*trouble);
        }

        void hand_over(const char* end) {
            if (!lines.empty())
                sink(topic, std::span<const Line>(lines), Range{piece.position_of(group), piece.position_of(end)});
            lines.clear();
            group = end;
        }

        /// Reads the line at p if it is like the one before; moves p behind it. Stands before the last quick
        /// newline, so every loop ends at a newline at the latest.
        bool quick_line(const char*& p) {
            if (!begins_with(p, prefix, prefix_size)) return false;
            const char* q = p + prefix_size;
            const char* const id = q;
            double score = 0.0;
            Hash hash;
            std::uint64_t seen = 0;
            for (;;) {
                const std::uint64_t word = load8(q);
                const std::uint64_t stops = at_most_space(word);
                if (stops == 0) {
                    hash.mix(word);
                    seen |= word;
                    q += 8;
                    continue;
                }
                const std::size_t rest = bytes_before(stops);
                if (rest != 0) {
                    const std::uint64_t last = keep(word, rest);
                    hash.mix(last);
                    seen |= last;
                    q += rest;
                }
                break;
            }
            const auto size = static_cast<std::size_t>(q - id);
            if (size == 0 || size > 0xFFFFFFFFu) return false;
            if (!skip_blanks(q)) return false;
            const std::uint32_t rank = quick_rank(q);
            if (!skip_blanks(q)) return false;
            const char* after = short_decimal(q, score);
            if (after == nullptr || static_cast<unsigned char>(*after) > 0x20) {
                after = token_end(q);
                if (read_number({q, after}, score) != Numeral::finite) return false;
            }
            q = after;
            if (!skip_blanks(q) || !begins_with(q, tag, opening.tag.size())) return false;
            q += opening.tag.size();
            if (*q == '\r') ++q;
            if (*q != '\n') return false;
            if ((seen & (every_byte * 0x80)) != 0 && !is_utf8({id, size})) return false;
            lines.emplace_back(id, score, hash.finish(size), static_cast<std::uint32_t>(size), rank);
            prefix = p;
            p = q + 1;
            return true;
        }

        /// Reads a rank and moves q behind it: what text_rank() makes of the column. Eight bytes may be read up to where
        /// it ends.
        static std::uint32_t quick_rank(const char*& q) {
            const char* const begin = q;
            const std::size_t count = bytes_before(not_digits(load8(begin) ^ (every_byte * '0')));
            if (count - 1 < 4 && (*begin != '0' || count == 1) && static_cast<unsigned char>(begin[count]) <= 0x20) {
                q += count;
                return load4_in_order(begin) >> (32 - 8 * count);
            }
            q = token_end(begin);
            return text_rank({begin, q});
        }

        /// Moves over at least one blank; false where there is none or nothing stands behind it.
        static bool skip_blanks(const char*& q) noexcept {
            if (!is_blank(*q)) return false;
            do ++q;
            while (is_blank(*q));
            return static_cast<unsigned char>(*q) > 0x20;
        }

        /// Reads any line; returns its end. Throws a Failure.
        const char* careful_line(const char* p) {
            const std::string_view bytes = piece.bytes;
            const auto begin = static_cast<std::uint64_t>(p - bytes.data());
            const std::uint64_t at = piece.position_of(p);
            const std::uint64_t next = next_line(bytes, begin);
            const std::string_view line = line_at(bytes, begin, next);
            if (is_silent(line)) {
                skipped.look_at(at, line, run_form);
                return bytes.data() + next;
            }
            const Fields fields = read_fields(text.head(), at, line, run_form, [] { return false; });
            const double score = read_value(at, fields.column[4], "score", fields);
            if (fields.column[5] != opening.tag)
                throw Failure{
                    at, "tag " + in_quotes(fields.column[5]) + " differs from " + in_quotes(opening.tag) + " in ",
                    opening.begin, "; a file holds one run, and all its lines carry the same tag"};
            if (lines.empty() || fields.column[0] != topic) {
                hand_over(p);
                topic = fields.column[0];
            }
            const std::string_view id = fields.column[2];
            lines.emplace_back(id.data(), score, hash_of(id), static_cast<std::uint32_t>(id.size()),
                               text_rank(fields.column[3]));
            prefix = p;
            prefix_size = static_cast<std::size_t>(id.data() - p);
            return bytes.data() + next;
        }
    };

    Text text_;
};

}  // namespace gradeval

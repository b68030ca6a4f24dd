// A run as TREC text: topic Q0 document rank score tag.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runs/line.hpp"
#include "text/bytes.hpp"
#include "text/error.hpp"
#include "text/fields.hpp"
#include "text/number.hpp"
#include "text/pages.hpp"

namespace gradeval {

/// The lines of a run in a text that somebody else keeps alive. Positions are bytes.
///
/// Most lines repeat topic, Q0 and tag of the line before and hold a short decimal: those are recognised by
/// comparison, eight bytes at a time. Whatever is not exactly like that goes the careful way (fields.hpp),
/// which decides alone what is accepted and what is wrong. Nothing is read beyond the text.
class TextRun {
  public:
    /// `mapped`: the text is a file mapped for reading only, whose pages come back when they are let go.
    TextRun(std::string_view bytes, std::string where, bool mapped = false)
        : bytes_(bytes), where_(std::move(where)), mapped_(mapped) {}

    /// What a scan needs to know beforehand: where the first line stands and the tag that all lines must
    /// share.
    struct Opening {
        std::uint64_t begin = 0;
        std::string_view tag{};
    };

    /// Reads the first line. Throws a Failure.
    Opening open() const {
        for (std::uint64_t at = text_begin(bytes_), next = at; at < bytes_.size(); at = next) {
            next = next_line(bytes_, at);
            const std::string_view line = line_at(bytes_, at, next);
            if (is_silent(line)) continue;
            const std::string_view tag = read_fields(bytes_, at, line, run_form).column[5];
            require_utf8(at, tag, "tag");
            return {at, tag};
        }
        throw nothing_to_read(bytes_, run_form);
    }

    /// Ranges of about `part_bytes` that together are the run; none begins inside a group of lines of one
    /// topic.
    std::vector<Range> parts(const Opening& opening, std::uint64_t part_bytes) const {
        std::vector<Range> ranges;
        std::uint64_t begin = opening.begin;
        while (bytes_.size() - begin > part_bytes) {
            const std::uint64_t end = topic_end(next_line(bytes_, begin + part_bytes));
            ranges.push_back({begin, end});
            begin = end;
        }
        if (begin < bytes_.size()) ranges.push_back({begin, bytes_.size()});
        return ranges;
    }

    /// Calls sink(topic, lines, range) for each group of neighbouring lines of one topic in a range, which
    /// must begin and end where lines do. `lines` is room to work in. Throws a Failure at the first line that
    /// cannot be read, after the lines before it were handed over.
    template <class Sink>
    void scan(const Opening& opening, Range range, std::vector<Line>& lines, Sink&& sink) const {
        Scan<Sink>{*this, opening, range, lines, sink}.run();
    }

    Failure duplicate(std::string_view topic, const Line& first, const Line& second) const {
        return {position(second),
                "document " + quoted(second.document()) + " of topic " + excerpt(topic) +
                    " was already given in ",
                position(first), "; a run names a document once per topic"};
    }

    /// Lets go of the memory behind a range that was read, so that a large file does not stay in memory.
    void forget(Range range) const noexcept {
        if (mapped_) let_go(bytes_.substr(range.begin, range.end - range.begin));
    }

    InputError error(const Failure& failure) const { return error_in_text(where_, bytes_, failure); }
    std::uint64_t size() const noexcept { return bytes_.size(); }

  private:
    std::uint64_t position(const Line& line) const noexcept {
        return static_cast<std::uint64_t>(line.id - bytes_.data());
    }

    std::string_view first_column(std::uint64_t at, std::uint64_t next) const {
        const std::string_view line = line_at(bytes_, at, next);
        std::size_t size = 0;
        while (size < line.size() && static_cast<unsigned char>(line[size]) > 0x20) ++size;
        return line.substr(0, size);
    }

    /// The start of the first line at or after `at` whose topic is not that of the first line there.
    std::uint64_t topic_end(std::uint64_t at) const {
        std::optional<std::string_view> topic;
        for (std::uint64_t next = at; at < bytes_.size(); at = next) {
            next = next_line(bytes_, at);
            const std::string_view column = first_column(at, next);
            if (is_silent(column)) continue;
            if (!topic) topic = column;
            if (column != *topic) return at;
        }
        return at;
    }

    template <class Sink>
    struct Scan {
        const TextRun& text;
        const Opening& opening;
        const Range range;
        std::vector<Line>& lines;
        Sink& sink;

        std::string_view topic{};
        const char* group = nullptr;   // where the group at hand begins
        const char* prefix = nullptr;  // the line before, from its start to its document
        std::size_t prefix_size = 0;

        void run() {
            const char* const data = text.bytes_.data();
            const char* p = data + range.begin;
            const char* const end = data + range.end;
            const char* const quick_end = last_quick_newline(text.bytes_, p);
            const std::string tag = std::string(opening.tag) + std::string(8, '\0');  // readable by load8
            std::optional<Failure> trouble;
            group = p;
            lines.clear();
            while (p < end) {
                if (p < quick_end && prefix != nullptr && quick_line(p, tag.data(), opening.tag.size()))
                    continue;
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
            const auto at = [&](const char* p) { return static_cast<std::uint64_t>(p - text.bytes_.data()); };
            if (!lines.empty()) sink(topic, std::span<const Line>(lines), Range{at(group), at(end)});
            lines.clear();
            group = end;
        }

        /// Reads the line at p if it is like the one before; moves p behind it. Stands before the last quick
        /// newline, so every loop ends at a newline at the latest.
        bool quick_line(const char*& p, const char* tag, std::size_t tag_size) {
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
            while (static_cast<unsigned char>(*q) > 0x20) ++q;  // rank: not looked at
            if (!skip_blanks(q)) return false;
            const char* after = short_decimal(q, score);
            if (after == nullptr || static_cast<unsigned char>(*after) > 0x20) {
                after = q;
                while (static_cast<unsigned char>(*after) > 0x20) ++after;
                if (read_number({q, after}, score) != Numeral::finite) return false;
            }
            q = after;
            if (!skip_blanks(q) || !begins_with(q, tag, tag_size)) return false;
            q += tag_size;
            if (*q == '\r') ++q;
            if (*q != '\n') return false;
            if ((seen & (every_byte * 0x80)) != 0 && !is_utf8({id, size})) return false;
            lines.emplace_back(id, score, hash.finish(size), static_cast<std::uint32_t>(size));
            prefix = p;
            p = q + 1;
            return true;
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
            const char* const data = text.bytes_.data();
            const auto at = static_cast<std::uint64_t>(p - data);
            const std::uint64_t next = next_line(text.bytes_, at);
            const std::string_view line = line_at(text.bytes_, at, next);
            if (is_silent(line)) return data + next;
            const Fields fields = read_fields(text.bytes_, at, line, run_form);
            const double score = read_value(at, fields.column[4], "score", fields);
            if (fields.column[5] != opening.tag)
                throw Failure{
                    at, "tag " + quoted(fields.column[5]) + " differs from " + quoted(opening.tag) + " in ",
                    opening.begin, "; a file holds one run, and all its lines carry the same tag"};
            if (lines.empty() || fields.column[0] != topic) {
                hand_over(p);
                topic = fields.column[0];
            }
            const std::string_view id = fields.column[2];
            lines.emplace_back(id.data(), score, hash_of(id), static_cast<std::uint32_t>(id.size()));
            prefix = p;
            prefix_size = static_cast<std::size_t>(id.data() - p);
            return data + next;
        }
    };

    std::string_view bytes_;
    std::string where_;
    bool mapped_;
};

}  // namespace gradeval

// The lines of a part of a text of features, into the table.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "letor/letor_line.hpp"
#include "letor/letor_shape.hpp"
#include "text/arena.hpp"
#include "text/bytes.hpp"
#include "text/error.hpp"
#include "text/fields.hpp"
#include "text/number.hpp"
#include "text/text.hpp"
#include "text/utf8.hpp"

namespace gradeval {

/// The result of one pass over a range of lines. The numbers are not here: they are in the table already.
struct LetorPart {
    struct Query {
        std::string_view name;
        std::uint64_t position;
        std::uint64_t row;
    };
    std::vector<Query> queries;  ///< neighbouring lines of one query
    Arena names;                 ///< their names, so that the text need not be looked at again for them
    std::string documents;
    std::vector<std::int64_t> sizes;  ///< of the documents' ids, one a row
    bool null = false;
    bool needs_double = false;      ///< whether reading ended at a number that single precision does not hold
    std::uint64_t largest = 0;      ///< see LetorLine
    std::uint64_t of_feature = 0;
    std::optional<Failure> failure;
};

/// Reads the lines of a range. Most lines have the query of the line before and short decimals: those are
/// read in one go. Whatever is not exactly like that goes the careful way (letor_line.hpp), which decides
/// alone what is accepted and what is wrong. Nothing is read beyond the text. Number is float or double.
template <class Number>
class LetorScan {
  public:
    LetorScan(const Text& text, const LetorShape& shape, Number* table, double* grades, std::span<double> sample = {})
        : text_(text), shape_(shape), careful_(text.head(), shape), table_(table), grades_(grades), sample_(sample) {}

    /// Reads a piece, in which an extent was seen before. Throws an InputError where it has other rows by now.
    LetorPart read(const Piece& piece, const Extent& extent) {
        part_ = {};
        piece_ = piece;
        row_ = extent.row;
        end_row_ = extent.row + extent.rows;
        const char* p = piece.bytes.data();
        const char* const end = p + piece.bytes.size();
        const char* const quick_end = piece.last_quick_newline();
        try {
            while (p < end) {
                if (double* const exact = sampled(); exact != nullptr) sample_line(p, exact);
                if (p >= quick_end || !quick_line(p)) p = careful_line(p);
            }
        } catch (Failure& failure) {
            part_.failure = std::move(failure);
            return std::move(part_);
        } catch (const NeedsDouble&) {
            part_.needs_double = true;
            return std::move(part_);
        }
        if (row_ != end_row_) throw text_.changed();
        return std::move(part_);
    }

  private:
    /// The row of the table for the line at hand.
    Number* row() const {
        if (row_ == end_row_) throw text_.changed();
        return table_ + row_ * shape_.width;
    }

    /// The row of the sample for the line at hand; nullptr behind the last one.
    double* sampled() const {
        const std::uint64_t place = row_ * shape_.width;
        return row_ != end_row_ && place < sample_.size() ? sample_.data() + place : nullptr;
    }

    void add_document(std::string_view document) {
        part_.documents += document;
        part_.sizes.push_back(static_cast<std::int64_t>(document.size()));
    }

    /// Puts the numbers of the line at p into the sample. Throws a Failure, as careful_line() would.
    void sample_line(const char* p, double* exact) {
        const auto begin = static_cast<std::uint64_t>(p - piece_.bytes.data());
        const std::string_view line = line_at(piece_.bytes, begin, next_line(piece_.bytes, begin));
        if (is_silent(line)) return;
        unused_.resize(shape_.width);
        careful_.read(piece_.position_of(p), line, unused_.data(), exact);
    }

    /// Reads any line; returns its end. Throws a Failure.
    const char* careful_line(const char* p) {
        const std::string_view bytes = piece_.bytes;
        const auto begin = static_cast<std::uint64_t>(p - bytes.data());
        const std::uint64_t at = piece_.position_of(p);
        const std::uint64_t next = next_line(bytes, begin);
        const std::string_view line = line_at(bytes, begin, next);
        if (is_silent(line)) return bytes.data() + next;
        const LetorLine read = careful_.read(at, line, row());
        if (part_.sizes.empty() || read.query != query_) {
            part_.queries.push_back({part_.names.keep(read.query), at, row_});
            query_ = read.query;
            prefix_ = "qid:" + std::string(query_) + std::string(8, '\0');  // readable by load8
        }
        add_document(read.document);
        part_.null |= read.null;
        if (part_.largest == 0) part_.of_feature = read.of_feature;
        part_.largest += read.largest;
        grades_[row_++] = read.grade;
        return bytes.data() + next;
    }

    /// Reads the line at p if it is plain and of the query of the line before; moves p behind it. Stands
    /// before the last quick newline, so every loop ends at a newline at the latest.
    bool quick_line(const char*& p) {
        if (part_.sizes.empty()) return false;
        double grade = 0.0;
        const char* q = short_decimal(p, grade);
        if (q == nullptr || !(grade >= 0)) return false;
        if (shape_.queries) {
            if (!is_blank(*q) || !begins_with(q + 1, prefix_.data(), prefix_.size() - 8)) return false;
            q += 1 + prefix_.size() - 8;
            if (*q == '#') return false;
        }
        q = quick_features(q);
        if (q == nullptr) return false;
        const char* const end = static_cast<const char*>(
            std::memchr(q, '\n', static_cast<std::size_t>(piece_.bytes.data() + piece_.bytes.size() - q)));
        std::string_view document;
        if (*q == '#') {
            document = document_of({q, static_cast<std::size_t>(end - q - (end[-1] == '\r'))});
            if (!is_utf8(document) || document.size() > 0xFFFFFFFFu) return false;
        } else if (q != end && !(*q == '\r' && q + 1 == end)) {
            return false;
        }
        add_document(document);
        grades_[row_++] = grade + 0.0;
        p = end + 1;
        return true;
    }

    /// Reads plain features from the end of the token before them; returns where they end, or nullptr where
    /// something is not plain.
    const char* quick_features(const char* q) const {
        Number* const row = this->row();
        std::uint64_t least = shape_.first;  // that the next index may be
        for (;;) {
            if (!is_blank(*q)) return q;
            do ++q;
            while (is_blank(*q));
            unsigned digit = static_cast<unsigned char>(*q) - unsigned{'0'};
            if (digit > 9) return q;
            std::uint64_t index = 0;
            const char* const number = q;
            do {
                index = index * 10 + digit;
                digit = static_cast<unsigned char>(*++q) - unsigned{'0'};
            } while (digit <= 9);
            if (*q != ':' || q - number > index_digits || index < least ||
                index - shape_.first >= shape_.width)
                return nullptr;
            least = index + 1;
            const char* const text = ++q;
            double value = 0.0;
            q = short_decimal(text, value);
            if (q == nullptr || !ends_value(*q)) {
                for (q = text; !ends_value(*q);) ++q;
                if (read_number({text, q}, value) != Numeral::finite) return nullptr;
            }
            const auto single = static_cast<float>(value);
            Number kept = single;
            if (std::abs(single) >= static_cast<float>(all_in_single)) [[unlikely]] {
                if (!is_kept<Number>(value)) return nullptr;
                kept = static_cast<Number>(value);
            }
            row[index - shape_.first] = kept;
        }
    }

    static bool ends_value(char c) noexcept { return static_cast<unsigned char>(c) <= 0x20 || c == '#'; }

    const Text& text_;
    Piece piece_{};
    const LetorShape& shape_;
    LetorLineReader careful_;
    Number* table_;
    double* grades_;
    std::span<double> sample_;
    std::vector<Number> unused_;  // the numbers of a line of the sample, which are read once more
    std::uint64_t row_ = 0;
    std::uint64_t end_row_ = 0;  // of the piece
    std::string_view query_{};
    std::string prefix_;
    LetorPart part_;
};

}  // namespace gradeval

// A text in memory or in a file, looked at in ranges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/error.hpp"
#include "text/fields.hpp"
#include "text/file.hpp"

namespace gradeval {

/// Skipped lines as people see them.
struct SkippedLines {
    std::uint64_t count;
    std::uint64_t line;  ///< number of the first one, from 1
    std::string text;    ///< its beginning
};

/// A range of a text in memory.
struct Piece {
    std::string_view bytes;
    std::uint64_t position;     ///< in the text, of the first byte
    const char* readable_end;   ///< nothing may be read from here on; at or behind the end of `bytes`

    /// Position in the text of a byte of the piece (or of its end).
    std::uint64_t position_of(const char* p) const noexcept {
        return position + static_cast<std::uint64_t>(p - bytes.data());
    }

    /// Lines that begin before this newline end at it or before it, and eight bytes can be read from any of their
    /// bytes; the begin of the piece where there is no such newline. The search stays in the last line or two.
    const char* last_quick_newline() const noexcept {
        const char* const begin = bytes.data();
        const auto readable = static_cast<std::size_t>(readable_end - begin);
        if (readable < 8 || bytes.empty()) return begin;
        const char* p = begin + std::min(bytes.size() - 1, readable - 8);
        while (p > begin && *p != '\n') --p;
        return p;
    }
};

/// The ranges of a text that are in memory at the moment; keeps its memory from use to use.
class Window {
  public:
    const Piece& operator[](std::size_t i) const noexcept { return pieces_[i]; }
    std::size_t size() const noexcept { return pieces_.size(); }

    /// Position in the text of a byte of one of the pieces.
    std::uint64_t position_of(const char* p) const noexcept {
        for (const Piece& piece : pieces_) {
            if (p >= piece.bytes.data() && p < piece.bytes.data() + piece.bytes.size()) return piece.position_of(p);
        }
        return 0;
    }

  private:
    friend class Text;

    char* room(std::uint64_t size) {
        if (size > capacity_) {
            memory_.reset();
            memory_.reset(new char[size]);
            capacity_ = size;
        }
        return memory_.get();
    }

    std::vector<Piece> pieces_;
    std::unique_ptr<char[]> memory_;  // not used where the text is in memory itself
    std::uint64_t capacity_ = 0;
    std::unique_ptr<char[]> held_;  // a range for many small ones to come
    Range held_range_{0, 0};
};

/// A text in memory that its owner keeps alive, or a text in a file, of which ranges are read when they are needed; an
/// InputError is thrown if the file has changed since it was opened.
class Text {
  public:
    /// `lines_before`: how many lines of the file stand before these bytes.
    Text(std::string_view bytes, std::string where, std::uint64_t lines_before = 0)
        : bytes_(bytes),
          where_(std::move(where)),
          size_(bytes.size()),
          head_(bytes.substr(0, head_size)),
          lines_before_(lines_before) {}

    Text(File file, std::string where)
        : file_(std::make_shared<const File>(std::move(file))), where_(std::move(where)), size_(file_->size()) {
        Window window;
        head_ = load({0, std::min<std::uint64_t>(size_, head_size)}, window).bytes;
    }

    std::uint64_t size() const noexcept { return size_; }
    const std::string& where() const noexcept { return where_; }
    /// The first few bytes, which tell what kind of data these are.
    std::string_view head() const noexcept { return head_; }
    /// Where the first line begins.
    std::uint64_t begin() const noexcept { return text_begin(head_); }

    /// Reads a range at once from which many small ones will be asked for in any order, until let_go(); nothing where
    /// that would take much memory. Throws an InputError.
    void hold(Range range, Window& window) const {
        if (!file_ || range.size() > most_held) return;
        window.held_.reset(new char[range.size() + slack]);
        const File::Reader reader(*file_);
        reader.read(range, window.held_.get());
        reader.check();
        std::memset(window.held_.get() + range.size(), 0, slack);
        window.held_range_ = range;
    }
    void let_go(Window& window) const noexcept {
        window.held_.reset();
        window.held_range_ = {0, 0};
    }

    /// Reads ascending ranges into a window, whose former content is lost. Throws an InputError.
    void load(std::span<const Range> ranges, Window& window) const {
        window.pieces_.clear();
        const Range held = window.held_range_;
        if (held.size() > 0 && ranges.front().begin >= held.begin && ranges.back().end <= held.end) {
            const char* const begin = window.held_.get();
            for (const Range& range : ranges)
                window.pieces_.push_back({{begin + (range.begin - held.begin), range.size()}, range.begin,
                                          begin + held.size() + slack});
            return;
        }
        if (!file_) {
            for (const Range& range : ranges)
                window.pieces_.push_back({bytes_.substr(range.begin, range.size()), range.begin,
                                          bytes_.data() + bytes_.size()});
            return;
        }
        std::uint64_t size = 0;
        for (const Range& range : ranges) size += range.size();
        char* into = window.room(size + slack);
        const char* const end = into + size + slack;
        std::memset(into + size, 0, slack);
        const File::Reader reader(*file_);
        for (const Range& range : ranges) {
            reader.read(range, into);
            window.pieces_.push_back({{into, range.size()}, range.begin, end});
            into += range.size();
        }
        reader.check();
    }
    const Piece& load(Range range, Window& window) const {
        load(std::span<const Range>(&range, 1), window);
        return window[0];
    }

    /// Calls each(position, line, next) for the lines from `at` on, where a line is what lies before the next newline
    /// (without line end and leading blanks) and `next` the position of the line after it, until it returns true.
    /// Throws a Failure for a line that is absurdly long.
    template <class Each>
    void for_each_line(std::uint64_t at, Each&& each) const {
        Window window;
        std::uint64_t step = first_step;
        while (at < size_) {
            const Range range{at, at + std::min(step, size_ - at)};
            const std::string_view bytes = load(range, window).bytes;
            std::uint64_t begin = 0;
            while (begin < bytes.size()) {
                const std::uint64_t next = next_line(bytes, begin);
                if (next == bytes.size() && bytes.back() != '\n' && range.end < size_) break;  // its end is not here
                if (each(range.begin + begin, line_at(bytes, begin, next), range.begin + next)) return;
                begin = next;
            }
            if (begin == 0 && step >= longest_line)
                throw Failure{at, "the line is longer than 1 GiB; this is not a text file of lines"};
            step *= begin == 0 ? 4 : 1;
            at += begin;
        }
    }

    /// Position just behind the first newline at or after `at`; the end of the text where there is none.
    std::uint64_t next_line_begin(std::uint64_t at) const {
        std::uint64_t found = size_;
        for_each_line(at, [&](std::uint64_t, std::string_view, std::uint64_t next) {
            found = next;
            return true;
        });
        return found;
    }

    /// The error for a failure in this text. Its line numbers cost a pass over the text.
    InputError error(const Failure& failure) const {
        std::string message = where_ + ":" + std::to_string(line_number(failure.position)) + ": " + failure.text;
        if (failure.earlier) message += "line " + std::to_string(line_number(*failure.earlier));
        return InputError(message + failure.rest);
    }

    /// What was skipped, to be shown to people: how many lines, the number of the first, and its text. Costs a pass over
    /// the text before that line.
    SkippedLines describe(const Skipped& skipped) const {
        SkippedLines lines{skipped.count, line_number(skipped.first), ""};
        for_each_line(skipped.first, [&](std::uint64_t, std::string_view line, std::uint64_t) {
            lines.text = excerpt(line);
            return true;
        });
        return lines;
    }

    /// The error for a text that has changed.
    InputError changed() const { return File::file_changed(where_); }

  private:
    static constexpr std::uint64_t head_size = 4;
    static constexpr std::uint64_t slack = 8;  // bytes that may be read behind the last piece
    static constexpr std::uint64_t most_held = 1 << 28;
    static constexpr std::uint64_t first_step = 1 << 16;
    static constexpr std::uint64_t longest_line = 1 << 30;

    /// Line number in the file, from 1, of the byte at `position`.
    std::uint64_t line_number(std::uint64_t position) const {
        constexpr std::uint64_t step = 1 << 22;
        const std::uint64_t end = std::min(position, size_);
        std::uint64_t number = lines_before_ + 1;
        Window window;
        for (std::uint64_t at = 0; at < end; at += std::min(step, end - at)) {
            const std::string_view bytes = load({at, at + std::min(step, end - at)}, window).bytes;
            number += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
        }
        return number;
    }

    std::string_view bytes_{"", 0};
    std::shared_ptr<const File> file_;
    std::string where_;
    std::uint64_t size_;
    std::string head_;
    std::uint64_t lines_before_ = 0;
};

/// Whether none of the first three lines that say something has the columns of `form`: the text may be of another kind.
inline bool is_foreign(const Text& text, const Form& form) {
    int seen = 0;
    bool foreign = true;
    text.for_each_line(text.begin(), [&](std::uint64_t, std::string_view line, std::uint64_t) {
        if (is_silent(line)) return false;
        foreign = foreign && count_columns(line) != form.count;
        return ++seen == 3;
    });
    return foreign;
}

}  // namespace gradeval

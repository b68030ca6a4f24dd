// A file that is read in ranges, and that must not change meanwhile.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "text/error.hpp"
#include "text/system_file.hpp"

namespace gradeval {

/// Positions begin <= p < end of a source: bytes of a text, rows of a table.
struct Range {
    std::uint64_t begin;
    std::uint64_t end;

    std::uint64_t size() const noexcept { return end - begin; }
};

/// A path and the state in which the file there was first seen.
class File {
  public:
    /// Throws an InputError where there is no such file. `where` names it in errors.
    File(std::string path, std::string where) : path_(std::move(path)), where_(std::move(where)) {
        if (!system_file::describe(path_, stamp_)) throw unreadable(errno);
    }

    std::uint64_t size() const noexcept { return stamp_.size; }

    InputError changed() const { return file_changed(where_); }

    static InputError file_changed(const std::string& where) {
        return InputError(where + ": the file changed while it was read; wait until it is complete, then read it again");
    }

    /// The file while it is open. After check(), all that read() returned is known to belong to one state of the file.
    class Reader {
      public:
        /// Throws an InputError.
        explicit Reader(const File& file) : file_(file), descriptor_(system_file::open_to_read(file.path_)) {
            if (descriptor_ < 0) throw errno == ENOENT ? file.changed() : file.unreadable(errno);
        }
        ~Reader() { system_file::close(descriptor_); }
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;

        /// Throws an InputError, also where the file is shorter now.
        void read(Range range, char* into) const { read_range(descriptor_, range, into, file_.where_); }

        /// Throws an InputError if the file has changed.
        void check() const {
            if (!(stamp_of_descriptor(descriptor_, file_.where_) == file_.stamp_)) throw file_.changed();
        }

      private:
        const File& file_;
        int descriptor_;
    };

    /// Reads a range of an open file. Throws an InputError.
    static void read_range(int descriptor, Range range, char* into, const std::string& where) {
        for (std::uint64_t at = range.begin; at < range.end;) {
            const std::int64_t count =
                system_file::read_at(descriptor, into, static_cast<std::size_t>(range.end - at), at);
            if (count < 0) throw unreadable(errno, where);
            if (count == 0) throw file_changed(where);
            at += static_cast<std::uint64_t>(count);
            into += count;
        }
    }

    static Stamp stamp_of_descriptor(int descriptor, const std::string& where) {
        Stamp stamp;
        if (!system_file::describe(descriptor, stamp)) throw unreadable(errno, where);
        return stamp;
    }

  private:
    static InputError unreadable(int error, const std::string& where) {
        return InputError(where + ": cannot be read (" + std::generic_category().message(error) + "); name a file that can");
    }
    InputError unreadable(int error) const { return unreadable(error, where_); }

    std::string path_;
    std::string where_;
    Stamp stamp_;
};

}  // namespace gradeval

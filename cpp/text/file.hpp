// A file that is read in ranges, and that must not change meanwhile.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "text/error.hpp"

namespace gradeval {

/// Positions begin <= p < end of a source: bytes of a text, rows of a table.
struct Range {
    std::uint64_t begin;
    std::uint64_t end;

    std::uint64_t size() const noexcept { return end - begin; }
};

/// What tells one state of a file from another, as exactly as the clock of its file system goes. Systems set the time of
/// change when a write begins: the rest of one that began before the first look is not seen by it.
struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t seconds = 0;  ///< of the last change
    std::int64_t nanoseconds = 0;

    bool operator==(const Stamp&) const = default;
};

/// A path and the state in which the file there was first seen.
class File {
  public:
    /// Throws an InputError where there is no such file. `where` names it in errors.
    File(std::string path, std::string where) : path_(std::move(path)), where_(std::move(where)) {
        struct stat status;
        if (stat(path_.c_str(), &status) != 0) throw unreadable(errno);
        stamp_ = stamp_of(status);
    }

    std::uint64_t size() const noexcept { return stamp_.size; }

    InputError changed() const { return file_changed(where_); }

    static InputError file_changed(const std::string& where) {
        return InputError(where + ": the file changed while it was read; wait until it is complete, then read it again");
    }

    /// The file while it is open. Whatever read() brought is the state first seen once check() was called after it.
    class Reader {
      public:
        /// Throws an InputError.
        explicit Reader(const File& file) : file_(file), descriptor_(open(file.path_.c_str(), O_RDONLY | O_CLOEXEC)) {
            if (descriptor_ < 0) throw errno == ENOENT ? file.changed() : file.unreadable(errno);
        }
        ~Reader() { close(descriptor_); }
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;

        /// Throws an InputError, also where the file is shorter now.
        void read(Range range, char* into) const { read_range(descriptor_, range, into, file_.where_); }

        /// Throws an InputError where the file is not what it was.
        void check() const {
            if (!(stamp_of_descriptor(descriptor_, file_.where_) == file_.stamp_)) throw file_.changed();
        }

      private:
        const File& file_;
        int descriptor_;
    };

    /// Reads a range of an open file. Throws an InputError.
    static void read_range(int descriptor, Range range, char* into, const std::string& where) {
        constexpr std::uint64_t most = 1 << 30;  // some systems read no more than 2 GiB at a time
        for (std::uint64_t at = range.begin; at < range.end;) {
            const auto size = static_cast<std::size_t>(std::min(most, range.end - at));
            const ssize_t count = pread(descriptor, into, size, static_cast<off_t>(at));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) throw unreadable(errno, where);
            if (count == 0) throw file_changed(where);
            at += static_cast<std::uint64_t>(count);
            into += count;
        }
    }

    static Stamp stamp_of_descriptor(int descriptor, const std::string& where) {
        struct stat status;
        if (fstat(descriptor, &status) != 0) throw unreadable(errno, where);
        return stamp_of(status);
    }

  private:
    static InputError unreadable(int error, const std::string& where) {
        return InputError(where + ": cannot be read (" + std::strerror(error) + "); name a file that can");
    }
    InputError unreadable(int error) const { return unreadable(error, where_); }

    static Stamp stamp_of(const struct stat& status) {
#ifdef __APPLE__
        const struct timespec& time = status.st_mtimespec;
#else
        const struct timespec& time = status.st_mtim;
#endif
        return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
                static_cast<std::uint64_t>(status.st_size), static_cast<std::int64_t>(time.tv_sec),
                static_cast<std::int64_t>(time.tv_nsec)};
    }

    std::string path_;
    std::string where_;
    Stamp stamp_;
};

}  // namespace gradeval

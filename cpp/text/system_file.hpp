// Files as the operating system opens, describes and reads them: POSIX, and Windows.
#pragma once

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX  // else the names min and max are macros
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gradeval {

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

// These functions say by errno why they failed. Descriptors are the C library's, as Python has them.
namespace system_file {

#ifdef _WIN32

/// Sets errno as the C library would for the last failure of the system.
inline void set_errno() noexcept {
    switch (GetLastError()) {
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND: errno = ENOENT; break;
        case ERROR_ACCESS_DENIED:
        case ERROR_SHARING_VIOLATION:
        case ERROR_LOCK_VIOLATION: errno = EACCES; break;
        default: errno = EIO;
    }
}

/// A descriptor to read from, or -1. The path is in UTF-8.
inline int open_to_read(const std::string& path) {
    std::wstring wide(path.size() + 1, L'\0');  // never more units than UTF-8 has bytes
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.c_str(), -1, wide.data(), static_cast<int>(wide.size()))) {
        errno = ENOENT;  // no file can have that name
        return -1;
    }
    return _wopen(wide.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}

inline void close(int descriptor) noexcept { _close(descriptor); }

/// Reads up to `size` bytes from a position of the file; returns how many, 0 at its end, -1 if it failed.
inline std::int64_t read_at(int descriptor, char* into, std::size_t size, std::uint64_t position) noexcept {
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(position);
    place.OffsetHigh = static_cast<DWORD>(position >> 32);
    DWORD count = 0;
    const auto most = static_cast<DWORD>(std::min<std::size_t>(size, 1 << 30));
    if (!ReadFile(reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)), into, most, &count, &place)) {
        if (GetLastError() == ERROR_HANDLE_EOF) return 0;
        set_errno();
        return -1;
    }
    return count;
}

/// Whether the file could be described.
inline bool describe(int descriptor, Stamp& stamp) noexcept {
    BY_HANDLE_FILE_INFORMATION found;
    if (!GetFileInformationByHandle(reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)), &found)) {
        set_errno();
        return false;
    }
    const auto joined = [](DWORD high, DWORD low) { return std::uint64_t{high} << 32 | low; };
    constexpr std::uint64_t ticks = 10'000'000;  // of 100 ns each, in a second
    const std::uint64_t time = joined(found.ftLastWriteTime.dwHighDateTime, found.ftLastWriteTime.dwLowDateTime);
    stamp = {found.dwVolumeSerialNumber, joined(found.nFileIndexHigh, found.nFileIndexLow),
             joined(found.nFileSizeHigh, found.nFileSizeLow), static_cast<std::int64_t>(time / ticks),
             static_cast<std::int64_t>(time % ticks * 100)};
    return true;
}

inline bool describe(const std::string& path, Stamp& stamp) {
    const int descriptor = open_to_read(path);
    if (descriptor < 0) return false;
    const bool described = describe(descriptor, stamp);
    const int error = errno;
    close(descriptor);
    errno = error;
    return described;
}

#else

/// A descriptor to read from, or -1.
inline int open_to_read(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }

inline void close(int descriptor) noexcept { ::close(descriptor); }

/// Reads up to `size` bytes from a position of the file; returns how many, 0 at its end, -1 if it failed.
inline std::int64_t read_at(int descriptor, char* into, std::size_t size, std::uint64_t position) noexcept {
    const std::size_t most = std::min<std::size_t>(size, 1 << 30);  // some systems read no more than 2 GiB at a time
    for (;;) {
        const ssize_t count = pread(descriptor, into, most, static_cast<off_t>(position));
        if (count >= 0 || errno != EINTR) return count;
    }
}

inline Stamp stamp_of(const struct stat& status) noexcept {
#ifdef __APPLE__
    const struct timespec& time = status.st_mtimespec;
#else
    const struct timespec& time = status.st_mtim;
#endif
    return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
            static_cast<std::uint64_t>(status.st_size), static_cast<std::int64_t>(time.tv_sec),
            static_cast<std::int64_t>(time.tv_nsec)};
}

/// Whether the file could be described.
inline bool describe(int descriptor, Stamp& stamp) noexcept {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return false;
    stamp = stamp_of(status);
    return true;
}

inline bool describe(const std::string& path, Stamp& stamp) noexcept {
    struct stat status;
    if (stat(path.c_str(), &status) != 0) return false;
    stamp = stamp_of(status);
    return true;
}

#endif

}  // namespace system_file
}  // namespace gradeval

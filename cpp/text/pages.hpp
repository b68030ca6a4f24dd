// Memory of mapped files.
#pragma once

#include <cstdint>
#include <string_view>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace gradeval {

/// Lets go of the whole pages of a file mapped for reading only; they are read again when somebody looks.
/// Advice: where it cannot be followed, nothing happens.
inline void let_go([[maybe_unused]] std::string_view mapped) noexcept {
#if __has_include(<sys/mman.h>)
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(mapped.data()) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(mapped.data()) + mapped.size()) / page * page;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
#endif
}

}  // namespace gradeval

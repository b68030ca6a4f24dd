// Storage for ids that come one by one.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace gradeval {

/// Bytes of many ids, at addresses that stay.
class Arena {
  public:
    std::string_view keep(std::string_view text) {
        if (text.empty()) return {"", 0};
        if (text.size() > room_) {
            room_ = text.size() > block_ / 4 ? text.size() : block_;
            block_ = block_ < largest_block ? 2 * block_ : block_;
            blocks_.emplace_back(new char[room_]);
            free_ = blocks_.back().get();
        }
        char* const copy = free_;
        std::memcpy(copy, text.data(), text.size());
        free_ += text.size();
        room_ -= text.size();
        return {copy, text.size()};
    }

  private:
    static constexpr std::size_t largest_block = 1 << 16;
    std::size_t block_ = 1 << 8;  // small at first: many parts of a run hold few names
    std::vector<std::unique_ptr<char[]>> blocks_;
    char* free_ = nullptr;
    std::size_t room_ = 0;
};

}  // namespace gradeval

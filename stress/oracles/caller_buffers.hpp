/// The callers' buffers, told apart by where they begin, and which of them have bytes in common:
/// those are one buffer to the runtime.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>

namespace pto2::oracle {

class CallerBuffers {
 public:
  /// The number of the buffer that begins at `address`: `next` if that is a new one. A tensor of so
  /// many bytes is made of it.
  std::size_t at(uint64_t address, uint64_t bytes, std::size_t next) {
    const std::size_t number = numbers_.try_emplace(address, next).first->second;
    uint64_t begin = address;
    Bytes all{address + std::min(bytes, ~address), number};
    auto other = bytes_.lower_bound(address);
    if (other != bytes_.begin() && std::prev(other)->second.end > address) --other;
    while (other != bytes_.end() && other->first < all.end) {
      begin = std::min(begin, other->first);
      all.end = std::max(all.end, other->second.end);
      if (other->second.buffer != number) shared_.insert({number, other->second.buffer});
      other = bytes_.erase(other);
    }
    bytes_.emplace(begin, all);
    return number;
  }

  /// Those that have bytes in common with another, or had at any time.
  [[nodiscard]] const std::set<std::size_t>& shared() const { return shared_; }
  [[nodiscard]] bool is_shared(std::size_t buffer) const { return shared_.contains(buffer); }

 private:
  /// Without a gap, of one buffer or of several that share some.
  struct Bytes {
    uint64_t end;        ///< address behind the last
    std::size_t buffer;  ///< one of these
  };

  std::map<uint64_t, std::size_t> numbers_;  // by address
  std::map<uint64_t, Bytes> bytes_;          // by address; no two share a byte
  std::set<std::size_t> shared_;
};

}  // namespace pto2::oracle

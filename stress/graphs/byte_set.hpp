/// Sets of bytes of one buffer, as sorted ranges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pto2::graphs {

class ByteSet {
 public:
  struct Range {
    uint32_t begin;
    uint32_t end;
  };

  ByteSet() = default;
  /// The bytes of elements of `size` bytes each that start at `starts`.
  ByteSet(std::vector<uint32_t> starts, uint32_t size) {
    std::sort(starts.begin(), starts.end());
    for (const uint32_t start : starts) {
      if (!ranges_.empty() && start <= ranges_.back().end) {
        ranges_.back().end = std::max(ranges_.back().end, start + size);
      } else {
        ranges_.push_back({start, start + size});
      }
    }
  }

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
  /// True when there are no gaps. Requires a set that is not empty, as the next two.
  [[nodiscard]] bool is_range() const { return ranges_.size() == 1; }
  [[nodiscard]] uint32_t first() const { return ranges_.front().begin; }
  [[nodiscard]] uint32_t end() const { return ranges_.back().end; }

  [[nodiscard]] bool intersects(const ByteSet& other) const {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < ranges_.size() && j < other.ranges_.size()) {
      if (ranges_[i].end <= other.ranges_[j].begin) {
        ++i;
      } else if (other.ranges_[j].end <= ranges_[i].begin) {
        ++j;
      } else {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool contains(const ByteSet& other) const {
    std::size_t i = 0;
    for (const Range& range : other.ranges_) {
      while (i < ranges_.size() && ranges_[i].end < range.end) ++i;
      if (i == ranges_.size() || range.begin < ranges_[i].begin) return false;
    }
    return true;
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Range& range : ranges_) {
      for (uint32_t byte = range.begin; byte < range.end; ++byte) visit(byte);
    }
  }

 private:
  std::vector<Range> ranges_;
};

}  // namespace pto2::graphs

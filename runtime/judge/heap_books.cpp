#include "runtime/judge/heap_books.hpp"

namespace pto2::judging {

void HeapBooks::add(uint64_t begin, uint64_t bytes) {
  if (bytes > size_ || begin > size_ - bytes) known_ = false;
  if (bytes == 0 || !known_) {
    tails_.push_back(top_);
    return;
  }
  // Beside others there is only room at the start below the tail, which is not above the top.
  const bool started_over = begin == 0 && top_.at != 0 && bytes >= top_.at;
  tails_.push_back(top_);
  if (started_over) {
    // Those alive have no bytes: the bytes in use begin with the new buffer for them, too.
    const Position start{top_.lap + 1, 0};
    for (auto tail = tails_.rbegin(); tail != tails_.rend() && *tail == top_; ++tail) *tail = start;
  }
  if (begin < top_.at) ++top_.lap;
  top_.at = begin + bytes;
  if (top_.at == size_) top_ = {top_.lap + 1, 0};
  while (reclaimed_ + 1 < tails_.size() &&
         top_ >= Position{tails_[reclaimed_].lap + 1, tails_[reclaimed_].at}) {
    ++reclaimed_;
  }
}

bool HeapBooks::has_room(uint64_t bytes, uint64_t alive) const {
  if (!known_ || bytes >= size_) return false;
  if (alive == tails_.size() || tails_[alive] == top_) return true;  // no byte is in use
  const Position& tail = tails_[alive];
  if (tail.lap != top_.lap) return bytes < tail.at - top_.at;  // the top is short of the tail
  const uint64_t before_end = size_ - top_.at;
  return bytes < before_end || (bytes == before_end && tail.at != 0) || bytes < tail.at;
}

}  // namespace pto2::judging

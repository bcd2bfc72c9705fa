#include "core/heap_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace pto2 {
namespace {

bool operator==(const HeapPlacement& a, const HeapPlacement& b) {
  if (!a.fits || !b.fits) return a.fits == b.fits;
  return a.begin == b.begin && a.end == b.end && a.restarted == b.restarted;
}

constexpr HeapPlacement refused{false, 0, 0, false};
constexpr HeapPlacement at(uint64_t begin, uint64_t end) {
  return {true, begin, end, false};
}

TEST(HeapLayout, RoundsOutputs) {
  EXPECT_EQ(packed_output_bytes(0), 0U);
  EXPECT_EQ(packed_output_bytes(1), 1024U);
  EXPECT_EQ(packed_output_bytes(1024), 1024U);
  EXPECT_EQ(packed_output_bytes(1025), 2048U);
  EXPECT_EQ(packed_bytes_with(1024, 1), 2048U);
}

TEST(HeapLayout, OverflowIsUnplaceable) {
  EXPECT_EQ(packed_output_bytes(~uint64_t{0}), unplaceable_bytes);
  EXPECT_EQ(packed_bytes_with(~uint64_t{0} - 1023, 1024), unplaceable_bytes);
  EXPECT_EQ(packed_bytes_with(unplaceable_bytes, 1), unplaceable_bytes);
  EXPECT_TRUE(find_placement(0, 0, uint64_t{1} << 40, unplaceable_bytes) == refused);
}

TEST(HeapLayout, NothingStaysAtTheTop) {
  EXPECT_TRUE(find_placement(5, 5, 8, 0) == at(5, 5));
  EXPECT_TRUE(find_placement(5, 6, 8, 0) == at(5, 5));
}

TEST(HeapLayout, TailBelowTop) {
  EXPECT_TRUE(find_placement(2, 1, 8, 5) == at(2, 7));
  EXPECT_TRUE(find_placement(2, 1, 8, 6) == at(2, 0)) << "the end of the heap is position 0";
  EXPECT_TRUE(find_placement(2, 0, 8, 5) == at(2, 7));
  EXPECT_TRUE(find_placement(2, 0, 8, 6) == refused) << "would make top equal to the tail";
  EXPECT_TRUE(find_placement(6, 4, 8, 3) == at(0, 3));
  EXPECT_TRUE(find_placement(6, 4, 8, 4) == refused) << "would make top equal to the tail";
}

TEST(HeapLayout, TopBelowTail) {
  EXPECT_TRUE(find_placement(2, 5, 8, 2) == at(2, 4));
  EXPECT_TRUE(find_placement(2, 5, 8, 3) == refused) << "an exact fit makes full look empty";
  EXPECT_TRUE(find_placement(2, 5, 8, 4) == refused);
}

TEST(HeapLayout, ARingParkedInTheMiddleStartsOverWithoutALiveByte) {
  EXPECT_TRUE(find_placement(4, 3, 8, 5) == refused) << "a byte is live";
  EXPECT_TRUE(find_placement(4, 4, 8, 5) == (HeapPlacement{true, 0, 5, true}));
  EXPECT_TRUE(find_placement(4, 4, 8, 4) == at(4, 0)) << "fits before the end";
  EXPECT_TRUE(find_placement(5, 5, 8, 4) == at(0, 4)) << "fits before the tail";
  EXPECT_TRUE(find_placement(4, 4, 8, 8) == refused) << "the heap is never filled to the last byte";
  EXPECT_TRUE(find_placement(0, 0, 8, 8) == refused);
  EXPECT_TRUE(find_placement(0, 0, 8, 7) == at(0, 7));
}

/// A heap kept as a map of bytes, driven by random sizes and retirements.
class HeapModel {
 public:
  explicit HeapModel(uint64_t size) : size_(size), owned_(size, false) {}

  bool submit(uint64_t bytes) {
    const HeapPlacement placed = find_placement(top_, tail_, size_, bytes);
    if (!placed.fits) return false;
    if (placed.restarted) {
      for (Buffer& live : live_) {
        EXPECT_EQ(live.bytes, 0U);
        live.end = 0;
      }
      tail_ = 0;
    }
    EXPECT_LE(placed.begin + bytes, size_) << "HL-I1";
    EXPECT_EQ(placed.end, (placed.begin + bytes) % size_);
    for (uint64_t i = placed.begin; i < placed.begin + bytes; ++i) {
      EXPECT_FALSE(owned_[i]) << "HL-I3";
      owned_[i] = true;
    }
    live_.push_back({placed.begin, bytes, placed.end});
    top_ = placed.end;
    EXPECT_TRUE(bytes == 0 || top_ != tail_) << "HL-I2";
    return true;
  }

  void retire() {
    const Buffer oldest = live_.front();
    live_.pop_front();
    for (uint64_t i = oldest.begin; i < oldest.begin + oldest.bytes; ++i) owned_[i] = false;
    tail_ = oldest.end;
  }

  size_t live() const {
    return static_cast<size_t>(
        std::count_if(live_.begin(), live_.end(), [](const Buffer& b) { return b.bytes != 0; }));
  }

 private:
  struct Buffer {
    uint64_t begin, bytes, end;
  };
  uint64_t size_;
  uint64_t top_ = 0;
  uint64_t tail_ = 0;
  std::vector<bool> owned_;
  std::deque<Buffer> live_;
};

TEST(HeapLayout, RandomRunsKeepTheInvariants) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 20000; ++run) {
    const uint64_t size = 2 + random() % 15;
    HeapModel heap(size);
    for (int step = 0; step < 60; ++step) {
      if (heap.live() > 0 && random() % 3 == 0) heap.retire();
      const uint64_t bytes = random() % size;
      bool placed = heap.submit(bytes);
      while (!placed && heap.live() > 0) {
        heap.retire();
        placed = heap.submit(bytes);
      }
      ASSERT_TRUE(placed) << "a drained heap of " << size << " takes every " << bytes;
    }
  }
}

TEST(HeapLayout, LayoutDoesNotDependOnRetirement) {
  std::mt19937_64 random(2);
  for (int run = 0; run < 5000; ++run) {
    const uint64_t size = 4 + random() % 12;
    std::vector<uint64_t> sizes(30);
    for (uint64_t& bytes : sizes) bytes = random() % (size / 2);
    std::vector<uint64_t> first_layout;
    for (int speed = 0; speed < 2; ++speed) {
      // Speed 0 retires only when it must, speed 1 as soon as it can, but for the last task.
      std::deque<uint64_t> live_ends;
      std::vector<uint64_t> layout;
      uint64_t top = 0, tail = 0;
      for (uint64_t bytes : sizes) {
        HeapPlacement placed = find_placement(top, tail, size, bytes);
        while (!placed.fits || (speed == 1 && live_ends.size() > 1)) {
          ASSERT_FALSE(live_ends.empty());
          tail = live_ends.front();
          live_ends.pop_front();
          placed = find_placement(top, tail, size, bytes);
        }
        if (placed.restarted) {
          tail = 0;
          std::fill(live_ends.begin(), live_ends.end(), 0);
        }
        top = placed.end;
        live_ends.push_back(top);
        layout.push_back(placed.begin);
      }
      if (speed == 0) first_layout = layout;
      ASSERT_EQ(layout, first_layout);
    }
  }
}

}  // namespace
}  // namespace pto2

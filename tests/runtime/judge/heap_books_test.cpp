#include "runtime/judge/heap_books.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/heap_layout.hpp"

namespace pto2::test {
namespace {

using judging::HeapBooks;

TEST(HeapBooks, ABufferGoesBehindTheLastOneOrToTheStart) {
  HeapBooks books(100);
  EXPECT_TRUE(books.has_room(99, 0));
  EXPECT_FALSE(books.has_room(100, 0));
  books.add(0, 60);
  EXPECT_TRUE(books.has_room(39, 0));
  EXPECT_FALSE(books.has_room(40, 0));
  EXPECT_TRUE(books.has_room(99, 1));
  books.add(60, 20);
  // Behind both 20 bytes are left, and before the second 60, of which one stays free.
  EXPECT_TRUE(books.has_room(59, 1));
  EXPECT_FALSE(books.has_room(60, 1));
  EXPECT_EQ(books.reclaimed(), 0U);
}

/// Tasks without bytes take nothing, wherever they say that they begin.
TEST(HeapBooks, ATaskWithoutBytesTakesNothing) {
  HeapBooks books(100);
  books.add(0, 60);
  books.add(7, 0);
  books.add(60, 30);
  EXPECT_EQ(books.reclaimed(), 0U);
  EXPECT_TRUE(books.has_room(59, 1));
  EXPECT_TRUE(books.has_room(59, 2));
}

/// Around the heap nobody comes without the bytes of those before.
TEST(HeapBooks, TheSecondLapTellsOfReclaims) {
  HeapBooks books(100);
  books.add(0, 40);
  books.add(40, 50);
  books.add(0, 30);  // 10 bytes are skipped
  EXPECT_EQ(books.reclaimed(), 1U);
  books.add(30, 9);
  EXPECT_EQ(books.reclaimed(), 1U);
  books.add(39, 1);  // and the one byte that was free is taken
  EXPECT_EQ(books.reclaimed(), 2U);
}

/// The ring was empty. The buffer beside which the new one lies is older than the one below it.
TEST(HeapBooks, WhoStartsOverLeavesNobodyBehind) {
  HeapBooks books(100);
  books.add(0, 70);
  books.add(70, 25);
  books.add(0, 50);
  ASSERT_EQ(books.reclaimed(), 1U);
  books.add(0, 60);
  EXPECT_EQ(books.reclaimed(), 3U);
  EXPECT_TRUE(books.has_room(39, 3));
  EXPECT_FALSE(books.has_room(40, 3));
}

/// With tasks alive, but no byte in use.
TEST(HeapBooks, TasksWithoutBytesDoNotKeepItFromStartingOver) {
  HeapBooks books(100);
  books.add(0, 70);
  books.add(70, 0);
  EXPECT_FALSE(books.has_room(80, 0));
  EXPECT_TRUE(books.has_room(80, 1));
  books.add(0, 80);
  EXPECT_EQ(books.reclaimed(), 1U);
  for (const uint64_t alive : {1U, 2U}) {
    EXPECT_TRUE(books.has_room(19, alive));
    EXPECT_FALSE(books.has_room(20, alive));
  }
}

/// Nobody overlaps the buffer at the end, which was skipped, but its lap is over.
TEST(HeapBooks, WhoIsPassedByIsReclaimed) {
  HeapBooks books(100);
  books.add(0, 60);
  books.add(60, 10);
  books.add(0, 50);  // does not fit behind 70
  EXPECT_EQ(books.reclaimed(), 1U);
  books.add(50, 45);
  EXPECT_EQ(books.reclaimed(), 3U);
}

TEST(HeapBooks, ARangeOutsideEndsWhatIsKnown) {
  for (const auto& [begin, bytes] :
       {std::pair<uint64_t, uint64_t>{90, 11}, {0, 101}, {~uint64_t{0}, 2}, {2, ~uint64_t{0}}}) {
    HeapBooks books(100);
    books.add(begin, bytes);
    EXPECT_FALSE(books.has_room(1, 0));
    EXPECT_FALSE(books.has_room(1, 1));
    EXPECT_EQ(books.reclaimed(), 0U);
  }
}

TEST(HeapBooks, ARangeMayBeAllOfTheHeap) {
  HeapBooks books(100);
  books.add(0, 100);
  EXPECT_TRUE(books.has_room(99, 1));
  EXPECT_FALSE(books.has_room(1, 0));
}

/// A heap ring, of which the books see the places of buffers, and now and then the watermark.
class Ring {
 public:
  explicit Ring(uint64_t size) : size_(size), books_(size) {}

  /// False: there is no room.
  bool take(uint64_t bytes) {
    const HeapPlacement placement = place(bytes);
    if (!placement.fits) return false;
    if (placement.restarted) {
      std::fill(ends_.begin() + static_cast<std::ptrdiff_t>(alive_) - 1, ends_.end(), 0);
    }
    top_ = placement.end;
    ends_.push_back(top_);
    books_.add(placement.begin, bytes);
    return true;
  }
  void reclaim() { alive_ += alive_ < ends_.size() ? 1 : 0; }
  [[nodiscard]] bool has_room(uint64_t bytes) const { return place(bytes).fits; }
  [[nodiscard]] uint64_t alive() const { return alive_; }
  [[nodiscard]] const HeapBooks& books() const { return books_; }

 private:
  [[nodiscard]] HeapPlacement place(uint64_t bytes) const {
    const uint64_t tail = alive_ == 0 ? 0 : ends_[alive_ - 1];
    return find_placement(top_, tail, size_, bytes);
  }

  uint64_t size_;
  HeapBooks books_;
  std::vector<uint64_t> ends_;
  uint64_t top_ = 0;
  uint64_t alive_ = 0;
};

/// With the true watermark the books answer as the ring does; with an older one they never find
/// room that the ring has not, nor reclaims that were none.
TEST(HeapBooks, AgreeWithTheRing) {
  uint64_t random = 1;
  const auto draw = [&random](uint64_t below) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return (random >> 33) % below;
  };
  for (uint64_t run = 0; run < 2000; ++run) {
    const uint64_t size = 4 + draw(30);
    Ring ring(size);
    for (uint64_t step = 0; step < 200; ++step) {
      if (draw(2) == 0) {
        for (uint64_t i = draw(4); i > 0; --i) ring.reclaim();
      } else {
        (void)ring.take(draw(size));
      }
      ASSERT_LE(ring.books().reclaimed(), ring.alive());
      for (uint64_t bytes = 0; bytes <= size; ++bytes) {
        ASSERT_EQ(ring.books().has_room(bytes, ring.alive()), ring.has_room(bytes));
        for (uint64_t alive = ring.books().reclaimed(); alive < ring.alive(); ++alive) {
          ASSERT_LE(ring.books().has_room(bytes, alive), ring.has_room(bytes)) << alive;
        }
      }
    }
  }
}

}  // namespace
}  // namespace pto2::test

/// The states that kernel checks keep of ranges, against an array with a state for each byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <vector>

#include "pto/checks/range_map.hpp"

namespace {

using Map = pto::checks::RangeMap<int>;

struct Seen {
  uint64_t begin, end;
  int state;
  friend bool operator==(const Seen&, const Seen&) = default;
};

/// What the map says of these bytes, which it does not change.
std::vector<Seen> seen(Map& map, uint64_t begin, uint64_t end) {
  std::vector<Seen> result;
  map.update(begin, end, [&](uint64_t first, uint64_t last, int state) {
    result.push_back({first, last, state});
  });
  return result;
}

void set(Map& map, uint64_t begin, uint64_t end, int state) {
  map.update(begin, end, [&](uint64_t, uint64_t, int& old) { old = state; });
}

TEST(RangeMap, HasTheDefaultWhereNothingWasSet) {
  Map map;
  EXPECT_EQ(seen(map, 3, 9), (std::vector<Seen>{{3, 9, 0}}));
  set(map, 4, 6, 1);
  EXPECT_EQ(seen(map, 3, 9), (std::vector<Seen>{{3, 4, 0}, {4, 6, 1}, {6, 9, 0}}));
}

TEST(RangeMap, SplitsWhatIsSetInPart) {
  Map map;
  set(map, 0, 100, 1);
  set(map, 40, 50, 2);
  EXPECT_EQ(seen(map, 30, 60), (std::vector<Seen>{{30, 40, 1}, {40, 50, 2}, {50, 60, 1}}));
}

TEST(RangeMap, JoinsRowsThatTouch) {
  Map map;
  for (uint64_t row = 0; row < 64; ++row) set(map, row * 32, (row + 1) * 32, 7);
  EXPECT_EQ(map.pieces(), 1U);
  set(map, 64, 96, 8);
  EXPECT_EQ(map.pieces(), 3U);
  set(map, 64, 96, 7);
  EXPECT_EQ(map.pieces(), 1U);
}

TEST(RangeMap, VisitsNothingOfAnEmptyRange) {
  Map map;
  set(map, 0, 8, 1);
  EXPECT_TRUE(seen(map, 4, 4).empty());
  EXPECT_EQ(map.pieces(), 1U);
}

TEST(RangeMap, KeepsWhatWasVisitedBeforeAnException) {
  Map map;
  set(map, 0, 4, 1);
  set(map, 4, 8, 2);
  const auto stop_at_2 = [](uint64_t, uint64_t, int& state) {
    if (state == 2) throw std::runtime_error("2");
    state = 3;
  };
  EXPECT_THROW(map.update(0, 8, stop_at_2), std::runtime_error);
  EXPECT_EQ(seen(map, 0, 8), (std::vector<Seen>{{0, 4, 3}, {4, 8, 2}}));
}

TEST(RangeMap, IsAnArrayOfStates) {
  constexpr uint64_t size = 48;
  std::mt19937 random(1);
  Map map;
  std::array<int, size> bytes{};
  for (int step = 0; step < 5000; ++step) {
    const uint64_t begin = random() % size;
    const uint64_t end = begin + random() % (size - begin + 1);
    const int state = static_cast<int>(random() % 3);
    uint64_t next = begin;
    map.update(begin, end, [&](uint64_t first, uint64_t last, int& of_piece) {
      ASSERT_EQ(first, next);
      ASSERT_LT(first, last);
      for (next = first; next < last; ++next) {
        ASSERT_EQ(bytes[next], of_piece);
        bytes[next] = state;
      }
      of_piece = state;
    });
    ASSERT_EQ(next, end);
    ASSERT_LE(map.pieces(), size);
    const auto is_2 = [](int of_byte) { return of_byte == 2; };
    const uint64_t from = random() % size, to = from + random() % (size - from + 1);
    ASSERT_EQ(map.all_of(from, to, [&](int of_piece) { return !is_2(of_piece); }),
              std::none_of(bytes.begin() + from, bytes.begin() + to, is_2));
  }
}

}  // namespace

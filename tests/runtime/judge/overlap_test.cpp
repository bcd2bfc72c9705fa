#include "runtime/judge/overlap.hpp"

#include <gtest/gtest.h>

#include <set>

namespace pto2::test {
namespace {

using judging::may_share_bytes;

bool share_bytes(const ParamRecord& a, const ParamRecord& b) {
  return judging::share_bytes(a, *a.bytes(), b, *b.bytes());
}

/// A box in a root tensor of `columns` columns.
ParamRecord box(uint64_t row, uint64_t rows, uint64_t column, uint64_t width, uint64_t columns,
                uint64_t element = 4, uint64_t base = 0) {
  ParamRecord param;
  param.base = base;
  param.element = element;
  param.dims = 2;
  param.strides = {columns, 1};
  param.start = {row, column};
  param.extent = {rows, width};
  return param;
}

std::set<uint64_t> bytes_of(const ParamRecord& param) {
  std::set<uint64_t> bytes;
  for (uint64_t i = 0; i < param.extent[0]; ++i) {
    for (uint64_t j = 0; j < param.extent[1]; ++j) {
      const uint64_t at = (param.start[0] + i) * param.strides[0] + param.start[1] + j;
      for (uint64_t b = 0; b < param.element; ++b) {
        bytes.insert(param.base + param.origin + at * param.element + b);
      }
    }
  }
  return bytes;
}

TEST(Overlap, NeighboursInARowShareNothing) {
  EXPECT_FALSE(share_bytes(box(0, 4, 0, 2, 4), box(0, 4, 2, 2, 4)));
  EXPECT_FALSE(share_bytes(box(0, 4, 2, 2, 4), box(0, 4, 0, 2, 4)));
  EXPECT_TRUE(share_bytes(box(0, 4, 0, 3, 4), box(0, 4, 2, 2, 4)));
  EXPECT_TRUE(share_bytes(box(0, 4, 2, 2, 4), box(0, 4, 0, 3, 4)));
}

/// The rows of the one lie between those of the other.
TEST(Overlap, TensorsOfOneMemoryBeginWhereTheyBegin) {
  const ParamRecord first = box(0, 2, 0, 2, 4);
  ParamRecord second = first;
  second.origin = 8;
  EXPECT_FALSE(share_bytes(first, second));
  EXPECT_FALSE(share_bytes(second, first));
}

/// By their first and last bytes, in other coordinates than the rows of two columns: what lies
/// between these may be shared, what touches them is not.
TEST(Overlap, MayBeSeenWhereNoByteIsShared) {
  const ParamRecord rows = box(0, 2, 0, 2, 4, 4, 64);
  const auto may_share = [&](uint64_t begin) {
    const ParamRecord other = box(0, 1, 0, 2, 8, 4, begin);
    EXPECT_FALSE(share_bytes(rows, other));
    EXPECT_EQ(may_share_bytes(rows, *rows.bytes(), other, *other.bytes()),
              may_share_bytes(other, *other.bytes(), rows, *rows.bytes()));
    return may_share_bytes(rows, *rows.bytes(), other, *other.bytes());
  };
  EXPECT_FALSE(may_share(56));
  EXPECT_TRUE(may_share(72));
  EXPECT_FALSE(may_share(88));
  const ParamRecord columns = box(0, 2, 2, 2, 4, 4, 64);
  EXPECT_FALSE(may_share_bytes(rows, *rows.bytes(), columns, *columns.bytes()));
}

/// Also where there are too many rows to look at each.
TEST(Overlap, ATensorIsWhereItWasWhenItsBufferBeginsElsewhere) {
  constexpr uint64_t many = judging::most_rows + 1;
  const ParamRecord left = box(0, many, 0, 4, 8, 4, 64);
  ParamRecord right = box(0, many, 4, 4, 8);
  right.origin = 64;
  EXPECT_FALSE(share_bytes(left, right));
  right.start = {0, 3};
  EXPECT_TRUE(share_bytes(left, right));
  right.start = {0, 4};
  right.origin = 60;
  EXPECT_TRUE(share_bytes(left, right));
}

TEST(Overlap, IsThatOfTheBytes) {
  int meets = 0;
  for (uint64_t columns = 3; columns <= 5; ++columns) {
    for (uint64_t width = 1; width <= 3; ++width) {
      for (uint64_t row = 0; row < 3; ++row) {
        for (uint64_t base = 0; base < 24; base += 2) {
          const ParamRecord a = box(1, 2, 1, 2, 4);
          const ParamRecord b = box(row, 2, 0, width, columns, 2, base);
          const std::set<uint64_t> bytes = bytes_of(a);
          bool expected = false;
          for (const uint64_t byte : bytes_of(b)) expected |= bytes.contains(byte);
          EXPECT_EQ(share_bytes(a, b), expected);
          EXPECT_EQ(share_bytes(b, a), expected);
          meets += expected;
        }
      }
    }
  }
  EXPECT_GT(meets, 20);
}

TEST(Overlap, TakesTooManyRowsForOnesThatMeet) {
  const uint64_t rows = judging::most_rows + 1;
  EXPECT_TRUE(share_bytes(box(0, rows, 0, 1, 4), box(0, rows, 1, 1, 4, 4, 4)));
  EXPECT_FALSE(share_bytes(box(0, rows, 0, 1, 4), box(rows, rows, 1, 1, 4, 4, 4)));
}

TEST(Overlap, CountsTheRowsOfAllDimensions) {
  ParamRecord many = box(0, 300, 0, 300, 1);
  many.dims = 3;
  many.strides = {1200, 4, 1};
  many.extent[2] = 1;
  ParamRecord beside = many;
  beside.base = 4;
  EXPECT_TRUE(share_bytes(many, beside)) << "too many to look at";
  many.extent[0] = beside.extent[0] = 2;
  EXPECT_FALSE(share_bytes(many, beside));
}

TEST(Overlap, CountsRowsWithoutAnOverflow) {
  ParamRecord many = box(0, 1 << 16, 0, uint64_t{1} << 48, 1);
  many.dims = 3;
  many.strides[2] = 1;
  many.extent[2] = 1;
  EXPECT_TRUE(share_bytes(many, box(0, 1, 0, 1, 4)));
  EXPECT_TRUE(share_bytes(box(0, 1, 0, 1, 4), many));
}

}  // namespace
}  // namespace pto2::test

/// MSCATTER: rows and elements, places that several indices name, and indices of none.
#include <gmock/gmock.h>

#include "tests/runtime/tiles/tile_values.hpp"

namespace pto2::test::scatter {
namespace {

using pto::Coalesce;
using pto::GlobalTensor;
using pto::ScatterAtomicOp;
using pto::ScatterOOB;
using pto::Shape;
using pto::Stride;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Two blocks of two rows of eight, with gaps between the rows.
using Table = GlobalTensor<float, Shape<1, 2, 1, 2, 8>, Stride<48, 24, 24, 10, 1>>;
using Source = RowTile<float, 4, 8>;
using Indices = RowTile<int32_t, 4, 8>;

/// 100, 101, .. in src at 0, the indices behind it.
struct Operands {
  explicit Operands(int rows, int cols, const std::vector<int32_t>& indices, bool by_rows)
      : src(rows, cols), idx(by_rows ? 1 : rows, by_rows ? rows : cols) {
    TASSIGN(src, 0);
    TASSIGN(idx, 256);
    for (int i = 0; i < rows * cols; ++i)
      src.data()[i / cols * 8 + i % cols] = 100.0F + static_cast<float>(i);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::size_t per_row = static_cast<std::size_t>(idx.GetValidCol());
      idx.data()[i / per_row * 8 + i % per_row] = indices[i];
    }
  }
  Source src;
  Indices idx;
};

class Scatter : public testing::Test {
 protected:
  /// The n first elements of a row of the table.
  std::vector<float> row(std::size_t number, std::size_t n = 8) const {
    const auto begin =
        memory_.begin() + static_cast<std::ptrdiff_t>(number / 2 * 24 + number % 2 * 10);
    return {begin, begin + static_cast<std::ptrdiff_t>(n)};
  }
  std::vector<float> memory_ = std::vector<float>(48, 7);
  Table table_{memory_.data()};
};

TEST_F(Scatter, RowsToTheirPlacesAndTheLastWins) {
  Operands of(3, 8, {2, 0, 2}, true);
  MSCATTER(table_, of.src, of.idx);
  EXPECT_THAT(row(0), ElementsAre(108, 109, 110, 111, 112, 113, 114, 115));
  EXPECT_THAT(row(2), ElementsAre(116, 117, 118, 119, 120, 121, 122, 123));
  EXPECT_EQ(row(1), std::vector<float>(8, 7));
  EXPECT_EQ(memory_[8], 7) << "a gap";
}

TEST_F(Scatter, IndicesInAColumn) {
  Operands of(2, 8, {}, true);
  ColTile<int32_t, 8, 1> idx(2, 1);
  TASSIGN(idx, 512);
  idx.data()[0] = 3;
  idx.data()[1] = 1;
  MSCATTER(table_, of.src, idx);
  EXPECT_THAT(row(3, 2), ElementsAre(100, 101));
  EXPECT_THAT(row(1, 2), ElementsAre(108, 109));
}

TEST_F(Scatter, ElementsAndWhatBecomesOfThoseWithoutAPlace) {
  Operands of(2, 2, {31, 8, -1, 33}, false);
  MSCATTER<Coalesce::Elem, ScatterAtomicOp::None, ScatterOOB::Skip>(table_, of.src, of.idx);
  EXPECT_EQ(row(3)[7], 100);
  EXPECT_EQ(row(1)[0], 101);
  MSCATTER<Coalesce::Elem, ScatterAtomicOp::None, ScatterOOB::Wrap>(table_, of.src, of.idx);
  EXPECT_EQ(row(0)[1], 103);
  MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add, ScatterOOB::Clamp>(table_, of.src, of.idx);
  EXPECT_EQ(row(3)[7], 102 + 100 + 102 + 103) << "-1 wraps around to the last, before the sum";
  EXPECT_EQ(row(1)[0], 101 + 101);
}

TEST_F(Scatter, AtomicMaximumAndMinimum) {
  memory_[0] = 100.5F;
  Operands of(1, 2, {0, 0}, false);
  MSCATTER<Coalesce::Elem, ScatterAtomicOp::Max>(table_, of.src, of.idx);
  EXPECT_EQ(memory_[0], 101);
  MSCATTER<Coalesce::Elem, ScatterAtomicOp::Min>(table_, of.src, of.idx);
  EXPECT_EQ(memory_[0], 100);
}

/// Whose rows nobody has the time to count.
TEST_F(Scatter, ToATableOfAllNumbers) {
  using Endless = GlobalTensor<float, Shape<1 << 24, INT32_MAX, 1, 2, 8>, Stride<0, 0, 0, 10, 1>>;
  Operands of(2, 8, {INT32_MAX, 0}, true);
  MSCATTER(Endless(memory_.data()), of.src, of.idx);
  EXPECT_THAT(row(1, 2), ElementsAre(100, 101));
  EXPECT_THAT(row(0, 2), ElementsAre(108, 109));
}

TEST_F(Scatter, WhatCannotBe) {
  const auto told = [&](const Operands& of) {
    try {
      MSCATTER(table_, of.src, of.idx);
    } catch (const std::exception& finding) {
      return std::string(finding.what());
    }
    return std::string();
  };
  EXPECT_THAT(told(Operands(1, 8, {4}, true)),
              AllOf(HasSubstr("MSCATTER at scatter_test.cpp"),
                    HasSubstr("index 4 is none of the table's 4")));
  EXPECT_THAT(told(Operands(1, 6, {0}, true)), HasSubstr("rows of another length than the table"));
  Operands few(3, 8, {0, 1}, true);
  few.idx.SetValidShape(1, 2);
  EXPECT_THAT(told(few), HasSubstr("must be valid 1x3"));
}

}  // namespace
}  // namespace pto2::test::scatter

#include "runtime/tensormap/region.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "runtime/tensormap/tensor_table.hpp"
#include "tests/support/element_set.hpp"

namespace pto2 {
namespace {

using testing_support::ElementSet;
using testing_support::RandomTensors;

class RegionTest : public ::testing::Test {
 protected:
  uint64_t root(std::vector<uint64_t> shape) {
    return table_.make(4096, shape.data(), static_cast<uint32_t>(shape.size()), DataType::FLOAT32)
        .handle;
  }
  uint64_t view(uint64_t of, std::vector<uint64_t> shape, std::vector<uint64_t> offsets) {
    return table_.view(of, shape.data(), offsets.data()).handle;
  }
  Relation relate(uint64_t newer, uint64_t older) {
    return relation(table_.find(newer)->region, table_.find(older)->region);
  }

  TensorTable table_;
};

TEST_F(RegionTest, RowBlocks) {
  const uint64_t t = root({8, 4});
  const uint64_t upper = view(t, {4, 4}, {0, 0});
  const uint64_t lower = view(t, {4, 4}, {4, 0});
  const uint64_t middle = view(t, {4, 4}, {2, 0});
  EXPECT_EQ(relate(upper, lower), Relation::disjoint) << "half-open";
  EXPECT_EQ(relate(upper, middle), Relation::other);
  EXPECT_EQ(relate(t, upper), Relation::covered);
  EXPECT_EQ(relate(upper, t), Relation::other);
  EXPECT_EQ(relate(upper, upper), Relation::covered);
}

TEST_F(RegionTest, ColumnBlocksInterleaveButAreDisjoint) {
  const uint64_t t = root({8, 4});
  const uint64_t left = view(t, {8, 2}, {0, 0});
  const uint64_t right = view(t, {8, 2}, {0, 2});
  EXPECT_EQ(relate(left, right), Relation::disjoint);
  EXPECT_EQ(relate(left, view(t, {8, 2}, {0, 1})), Relation::other);
  EXPECT_EQ(relate(left, view(t, {3, 1}, {2, 1})), Relation::covered);
}

TEST_F(RegionTest, TransposeAndViewsOfViewsKeepTheSpace) {
  const uint64_t t = root({8, 4});
  const uint64_t transposed = table_.transpose(t, 0, 1).handle;
  const uint64_t rows_of_transposed = view(transposed, {2, 8}, {2, 0});  // columns 2, 3 of t
  EXPECT_EQ(relate(rows_of_transposed, view(t, {8, 2}, {0, 0})), Relation::disjoint);
  EXPECT_EQ(relate(rows_of_transposed, view(t, {1, 1}, {5, 3})), Relation::covered);
  const uint64_t inner = view(view(t, {4, 4}, {4, 0}), {2, 2}, {1, 1});  // rows 5, 6
  EXPECT_EQ(relate(view(t, {2, 2}, {5, 1}), inner), Relation::covered);
  EXPECT_EQ(relate(inner, view(t, {1, 4}, {4, 0})), Relation::disjoint);
}

TEST_F(RegionTest, ReshapeStartsASpace) {
  const uint64_t t = root({8, 4});
  const uint64_t flat_shape[] = {32};
  const uint64_t flat = table_.reshape(t, flat_shape, 1).handle;
  EXPECT_EQ(relate(flat, view(t, {8, 2}, {0, 0})), Relation::covered) << "contiguous: exact";
  EXPECT_EQ(relate(view(t, {8, 2}, {0, 0}), view(flat, {2}, {2})), Relation::other)
      << "a gap of the one holds the other; the careful answer";
  EXPECT_EQ(relate(view(t, {1, 4}, {3, 0}), view(flat, {4}, {16})), Relation::disjoint);
}

TEST_F(RegionTest, RootsOfOneFormAreOneSpace) {
  const uint64_t a = root({8, 4});
  const uint64_t b = root({8, 4});
  const uint64_t c = root({4, 8});
  EXPECT_EQ(relate(view(a, {8, 2}, {0, 0}), view(b, {8, 2}, {0, 2})), Relation::disjoint);
  EXPECT_EQ(relate(view(a, {8, 2}, {0, 0}), view(c, {4, 1}, {0, 2})), Relation::other);
}

TEST_F(RegionTest, RandomPairsAgainstElements) {
  RandomTensors random(3);
  uint64_t exact = 0;
  std::optional<TensorTable> kept;
  for (int i = 0; i < 200000; ++i) {
    if (i % 100 == 0) kept.emplace();  // to map a table takes longer than the rest
    TensorTable& table = *kept;
    const uint64_t a = random.tensor(table, 4096, 0);
    const uint64_t b = random.tensor(table, 4096, 0);
    const Region& newer = table.find(a)->region;
    const Region& older = table.find(b)->region;
    const ElementSet new_elements = ElementSet::of(*table.find(a));
    const ElementSet old_elements = ElementSet::of(*table.find(b));
    const Relation found = relation(newer, older);
    const Relation truth = new_elements.relation_to(old_elements);
    if (same_space(newer, older) || (newer.contiguous && older.contiguous)) {
      ASSERT_EQ(found, truth) << table.describe(a) << " against " << table.describe(b);
      ++exact;
    } else if (found != Relation::other) {
      ASSERT_EQ(found, truth) << table.describe(a) << " against " << table.describe(b);
    }
    ASSERT_EQ(newer.contiguous, new_elements.is_range());
  }
  EXPECT_GT(exact, 50000U);
}

}  // namespace
}  // namespace pto2

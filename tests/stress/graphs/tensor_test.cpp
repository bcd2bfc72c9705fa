#include "stress/graphs/tensor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/tensormap/tensor_table.hpp"
#include "stress/graphs/shapes.hpp"

namespace pto2::graphs::tensor_test {
namespace {

using testing::ElementsAre;

TEST(ByteSet, MergesWhatTouches) {
  const ByteSet set({8, 0, 4, 20}, 4);
  ASSERT_EQ(set.ranges().size(), 2U);
  EXPECT_EQ(set.ranges()[0].end, 12U);
  EXPECT_FALSE(set.is_range());
  EXPECT_TRUE(ByteSet({4, 8}, 4).is_range());
  EXPECT_TRUE(set.contains(ByteSet({4, 20}, 4)));
  EXPECT_FALSE(set.contains(ByteSet({10}, 4))) << "sticks out";
  EXPECT_TRUE(set.intersects(ByteSet({10}, 4)));
  EXPECT_FALSE(set.intersects(ByteSet({12, 24}, 4)));
}

TEST(GraphTensor, ListsElementsInRowMajorOrder) {
  const TensorModel root = root_of(DataType::INT16, {2, 3}, 0);
  EXPECT_THAT(root.elements, ElementsAre(0, 2, 4, 6, 8, 10));
  const TensorModel columns = view_of(root, {2, 2}, {0, 1});
  EXPECT_THAT(columns.elements, ElementsAre(2, 4, 8, 10));
  EXPECT_FALSE(columns.is_row_major());
  EXPECT_THAT(view_of(columns, {1, 1}, {1, 0}).elements, ElementsAre(8));
  EXPECT_THAT(transpose_of(root, 0, 1).elements, ElementsAre(0, 6, 2, 8, 4, 10));
  EXPECT_THAT(transpose_of(root, 0, 1).shape, ElementsAre(3, 2));
  const TensorModel row = view_of(root, {1, 3}, {1, 0});
  EXPECT_TRUE(row.is_row_major());
  EXPECT_THAT(reshape_of(row, {3}).elements, ElementsAre(6, 8, 10));
  EXPECT_TRUE(view_of(root, {2, 2}, {0, 2}).elements.empty()) << "sticks out";
}

TEST(GraphTensor, OverlapIsExactInOneSpaceAndBetweenRanges) {
  const TensorModel root = root_of(DataType::INT8, {4, 4}, 0);
  const TensorModel left = view_of(root, {4, 2}, {0, 0});
  const TensorModel right = view_of(root, {4, 2}, {0, 2});
  EXPECT_EQ(documented_overlap(left, right), Overlap::none);
  EXPECT_EQ(documented_overlap(root, right), Overlap::whole);
  EXPECT_EQ(documented_overlap(right, root), Overlap::part);
  const TensorModel flat = reshape_of(root, {16});
  const TensorModel two = view_of(flat, {2}, {4});
  EXPECT_EQ(documented_overlap(right, two), Overlap::part) << "apart, but in another space";
  EXPECT_EQ(documented_overlap(view_of(root, {1, 4}, {1, 0}), two), Overlap::whole);
  EXPECT_EQ(documented_overlap(view_of(root, {1, 4}, {2, 0}), two), Overlap::none);
}

/// The same random tensor as a model and in the runtime's own table.
struct Both {
  TensorModel model;
  uint64_t handle;
};

Both derived(executors::Random& random, TensorTable& table, const Both& from) {
  const Step step = draw_derived(random, 0, from.model);
  if (const auto* view = std::get_if<View>(&step)) {
    return {view_of(from.model, view->shape, view->offsets),
            table.view(from.handle, view->shape.data(), view->offsets.data()).handle};
  }
  if (const auto* reshape = std::get_if<Reshape>(&step)) {
    return {reshape_of(from.model, reshape->shape),
            table
                .reshape(from.handle, reshape->shape.data(),
                         static_cast<uint32_t>(reshape->shape.size()))
                .handle};
  }
  const auto& transpose = std::get<Transpose>(step);
  return {transpose_of(from.model, transpose.x, transpose.y),
          table.transpose(from.handle, transpose.x, transpose.y).handle};
}

Both random_tensor(executors::Random& random, TensorTable& table) {
  const DataType dtype = draw_type(random);
  const Extents shape = draw_shape(random, 64);
  Both both{root_of(dtype, shape, 0),
            table.make(4096, shape.data(), static_cast<uint32_t>(shape.size()), dtype).handle};
  for (uint64_t steps = random.below(4); steps != 0; --steps) both = derived(random, table, both);
  return both;
}

TEST(GraphTensor, AgreesWithTheRuntimesRegions) {
  executors::Random random(5);
  std::array<uint64_t, 3> counts{};
  for (int i = 0; i < 50000; ++i) {
    TensorTable table;
    const Both newer = random_tensor(random, table);
    const Both older = random_tensor(random, table);
    const Relation found =
        relation(table.find(newer.handle)->region, table.find(older.handle)->region);
    const Overlap expected = documented_overlap(newer.model, older.model);
    static constexpr std::array same{Relation::disjoint, Relation::other, Relation::covered};
    ASSERT_EQ(found, same[static_cast<std::size_t>(expected)])
        << table.describe(newer.handle) << " against " << table.describe(older.handle);
    ++counts[static_cast<std::size_t>(expected)];
  }
  for (const uint64_t count : counts) EXPECT_GT(count, 1000U);
}

}  // namespace
}  // namespace pto2::graphs::tensor_test

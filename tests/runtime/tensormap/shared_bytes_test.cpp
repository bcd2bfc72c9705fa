/// Tensors of the caller's memory that share bytes but begin at different addresses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "runtime/tensormap/tensor_map.hpp"
#include "runtime/tensormap/tensor_table.hpp"

namespace pto2 {
namespace {

/// A table and its map.
class SharedBytes {
 public:
  explicit SharedBytes(uint32_t rings = 1, uint32_t pool = 512)
      : map_({.rings = rings, .window = 256, .pool_size = pool, .num_buckets = 2}) {
    table_.scope_begin();
  }

  /// `bytes` bytes at this address, a handle.
  uint64_t root(uint64_t address, uint64_t bytes) {
    return table_.make(address, &bytes, 1, DataType::UINT8).handle;
  }
  uint64_t part(uint64_t root, uint64_t bytes, uint64_t begin) {
    return table_.view(root, &bytes, &begin).handle;
  }
  void write(uint64_t tensor, TaskId task) {
    const TensorRecord& record = *table_.find(tensor);
    ASSERT_TRUE(map_.insert(*record.writes, record.region, task));
  }
  std::set<TaskId> writers(uint64_t tensor, Access access = Access::input) {
    std::set<TaskId> found;
    const TensorRecord& record = *table_.find(tensor);
    map_.lookup(*record.writes, record.region, access, no_task,
                [&](const Match& match) { found.insert(match.producer); });
    return found;
  }
  uint64_t address(uint64_t tensor) { return table_.find(tensor)->shown().address; }
  const BufferWrites* buffer(uint64_t tensor) { return table_.find(tensor)->writes; }

  TensorMap& map() { return map_; }
  TensorTable& table() { return table_; }

 private:
  TensorMap map_;
  TensorTable table_{1, {}, &map_};
};

constexpr TaskId writer = make_id(0, 0);
constexpr TaskId other_writer = make_id(0, 1);
using Tasks = std::set<TaskId>;

TEST(SharedBytes, WhoBeginsInsideIsAPart) {
  SharedBytes memory;
  const uint64_t all = memory.root(0x1000, 1024);
  memory.write(all, writer);
  const uint64_t high = memory.root(0x1200, 512);
  EXPECT_EQ(memory.buffer(high), memory.buffer(all));
  EXPECT_EQ(memory.address(high), 0x1200U);
  EXPECT_EQ(memory.table().find(high)->region.origin, 512U);
  EXPECT_EQ(memory.writers(high), Tasks{writer});
  memory.write(memory.part(high, 8, 16), other_writer);
  EXPECT_EQ(memory.writers(all), (Tasks{writer, other_writer}));
  EXPECT_EQ(memory.writers(memory.part(all, 8, 512 + 16)), (Tasks{writer, other_writer}));
  EXPECT_EQ(memory.writers(memory.part(all, 8, 512 + 24)), Tasks{writer});
  EXPECT_EQ(memory.buffer(all)->bytes, 1024U);
  EXPECT_NE(memory.buffer(memory.root(0x1400, 1)), memory.buffer(all)) << "no byte is shared";
}

/// The whole after its halves: what was written of them was written of it, and they are parts of it
/// from then on.
TEST(SharedBytes, WhoReachesIntoSeveralMakesThemOne) {
  SharedBytes memory;
  const uint64_t high = memory.root(0x1200, 512);
  const uint64_t low = memory.root(0x1000, 512);
  const uint64_t end_of_high = memory.part(high, 256, 256);
  EXPECT_NE(memory.buffer(low), memory.buffer(high));
  memory.write(low, writer);
  memory.write(high, other_writer);
  const uint64_t all = memory.root(0x1000, 1024);
  EXPECT_EQ(memory.writers(all), (Tasks{writer, other_writer}));
  EXPECT_EQ(memory.writers(low), Tasks{writer});
  EXPECT_EQ(memory.writers(end_of_high), Tasks{other_writer});
  EXPECT_EQ(memory.address(end_of_high), 0x1300U);
  EXPECT_EQ(memory.buffer(end_of_high), memory.buffer(all));
  const TaskId last_writer = make_id(0, 2);
  memory.write(end_of_high, last_writer);
  EXPECT_EQ(memory.writers(all), (Tasks{writer, other_writer, last_writer}));
  EXPECT_EQ(memory.table().external_buffers(), 1U);
  EXPECT_TRUE(memory.map().invariant_holds());
}

/// Places are counted from a begin that comes to lie further in front.
TEST(SharedBytes, WhoBeginsInFrontTakesOthersIn) {
  SharedBytes memory;
  const uint64_t one = memory.root(0x1100, 64);
  const uint64_t other = memory.root(0x1140, 64);
  const uint64_t part = memory.part(other, 8, 8);
  memory.write(part, writer);
  memory.write(one, other_writer);
  const uint64_t all = memory.root(0x1000, 0x141);
  EXPECT_EQ(memory.writers(all), Tasks{other_writer}) << "it ends in front of that part";
  EXPECT_EQ(memory.buffer(all)->key, 0x1000U);
  EXPECT_EQ(memory.table().find(part)->base, 0x1000U);
  EXPECT_EQ(memory.address(part), 0x1148U);
  EXPECT_EQ(memory.writers(other), Tasks{writer});
  EXPECT_EQ(memory.writers(one), Tasks{other_writer});
  EXPECT_EQ(memory.writers(memory.root(0x1148, 1)), Tasks{writer}) << "what was taken in is known";
  EXPECT_TRUE(memory.map().invariant_holds());
}

/// Boxes are compared where their tensors are of one space, before and after it is taken in.
TEST(SharedBytes, ColumnsStayApart) {
  SharedBytes memory;
  constexpr uint64_t shape[] = {16, 8};
  const uint64_t matrix = memory.table().make(0x1100, shape, 2, DataType::UINT8).handle;
  const auto columns = [&](uint64_t begin, uint64_t count) {
    const uint64_t box[] = {16, count};
    const uint64_t offsets[] = {0, begin};
    return memory.table().view(matrix, box, offsets).handle;
  };
  const uint64_t left = columns(0, 4);
  const uint64_t right = columns(4, 4);
  memory.write(left, writer);
  (void)memory.root(0x10f0, 0x20);
  EXPECT_EQ(memory.table().find(right)->region.origin, 16U);
  EXPECT_EQ(memory.writers(right), Tasks{});
  EXPECT_EQ(memory.writers(columns(3, 2)), Tasks{writer});
  memory.write(right, other_writer);
  EXPECT_EQ(memory.writers(left), Tasks{writer});
  EXPECT_EQ(memory.writers(columns(3, 2)), (Tasks{writer, other_writer}));
}

/// What is taken in has its entries already.
TEST(SharedBytes, AFullPoolTakesThemIn) {
  SharedBytes memory(1, 4);
  const uint64_t low = memory.root(0x1000, 64);
  const uint64_t high = memory.root(0x1040, 64);
  memory.write(memory.part(low, 8, 0), writer);
  memory.write(memory.part(low, 8, 8), writer);
  memory.write(memory.part(high, 8, 0), writer);
  memory.write(high, other_writer);
  EXPECT_EQ(memory.map().available(), 0U);
  EXPECT_EQ(memory.writers(memory.root(0xfff, 0x80)), (Tasks{writer, other_writer}));
  EXPECT_EQ(memory.map().live(), 4U);
  EXPECT_TRUE(memory.map().invariant_holds());
}

/// Tensors end in the opposite order in which they are made.
class OldestTensor : public testing::Test {
 protected:
  /// Ends the scope, and lets buffers be forgotten.
  std::size_t buffers_after_scope() {
    for (uint64_t i = 0; i < 5000; ++i) (void)memory_.root(0x100000 + 64 * i, 2);
    memory_.table().scope_end();
    memory_.table().forget_external_buffers();
    return memory_.table().external_buffers();
  }

  SharedBytes memory_;
};

TEST_F(OldestTensor, OfOneThatIsTakenInKeepsABuffer) {
  (void)memory_.root(0x1140, 64);
  memory_.table().scope_begin();
  (void)memory_.root(0x1000, 0x150);
  EXPECT_EQ(buffers_after_scope(), 1U);
}

TEST_F(OldestTensor, OfOneThatTakesInKeepsABuffer) {
  (void)memory_.root(0x1000, 64);
  memory_.table().scope_begin();
  (void)memory_.root(0x1140, 64);
  (void)memory_.root(0x1000, 0x150);
  EXPECT_EQ(buffers_after_scope(), 1U);
}

/// A tensor that has ended keeps nothing, although its place is a low one.
TEST_F(OldestTensor, IsOneThatLives) {
  memory_.table().scope_begin();
  const uint64_t ended = memory_.root(0x1000, 64);
  memory_.write(ended, writer);
  memory_.table().scope_end();
  (void)memory_.root(0x9000, 64);
  (void)memory_.root(0x1040, 64);
  memory_.table().scope_begin();
  (void)memory_.root(0x1000, 0x50);
  memory_.map().sync({1, 0, 0, 0}, true);
  EXPECT_EQ(buffers_after_scope(), 2U);
}

/// A buffer that only its writer has kept is kept by the next tensor of it.
TEST_F(OldestTensor, IsANewOneWhereAllHadEnded) {
  memory_.table().scope_begin();
  memory_.write(memory_.root(0x1000, 64), writer);
  memory_.table().scope_end();
  (void)memory_.root(0x1000, 64);
  memory_.table().scope_begin();
  memory_.map().sync({1, 0, 0, 0}, true);
  EXPECT_EQ(buffers_after_scope(), 1U);
}

/// Memory that is cut anew, when nobody uses the former pieces any more.
TEST(SharedBytes, OfBuffersThatNobodyNeedsNothingIsLeft) {
  SharedBytes memory;
  memory.table().scope_begin();
  memory.write(memory.root(0x1000, 1024), writer);
  memory.table().scope_end();
  memory.table().scope_begin();
  const uint64_t again = memory.root(0x1000, 16);
  EXPECT_EQ(memory.buffer(memory.root(0x1010, 16)), memory.buffer(again)) << "it is written still";
  memory.table().scope_end();
  memory.map().sync({1, 0, 0, 0}, true);
  memory.table().scope_begin();
  const uint64_t inside = memory.root(0x1010, 16);
  EXPECT_EQ(memory.buffer(inside)->key, 0x1010U);
  EXPECT_NE(memory.buffer(memory.root(0x1000, 16)), memory.buffer(inside));
  memory.table().scope_end();
  memory.table().scope_begin();
  const uint64_t whole = memory.root(0x1000, 0x18);
  EXPECT_NE(memory.buffer(memory.root(0x1018, 8)), memory.buffer(whole));
  EXPECT_EQ(memory.table().external_buffers(), 2U);
}

/// Against a list of all writes and their bytes.
class SharedBytesRandom : public testing::TestWithParam<uint32_t> {
 protected:
  struct Write {
    uint64_t begin;
    uint64_t end;
    TaskId task;
  };
  struct Made {
    uint64_t tensor;
    uint64_t begin;
    uint64_t end;
  };

  /// A root or, of one time in three, a part of an older tensor.
  void make() {
    if (!made_.empty() && below(3) == 0) {
      const Made of = made_[below(made_.size())];
      const uint64_t begin = of.begin + below(of.end - of.begin);
      const uint64_t bytes = 1 + below(of.end - begin);
      made_.push_back({memory_.part(of.tensor, bytes, begin - of.begin), begin, begin + bytes});
    } else {
      const uint64_t begin = memory_begin_ + below(700);
      const uint64_t bytes = 1 + below(below(4) == 0 ? 1000 : 50);
      made_.push_back({memory_.root(begin, bytes), begin, begin + bytes});
    }
  }
  /// A task that reads one tensor, or updates it.
  void submit(const Made& tensor) {
    const uint32_t ring = static_cast<uint32_t>(below(GetParam()));
    const TaskId task = make_id(RingId(ring), next_[ring]++);
    const bool updates = below(2) == 0;
    std::set<TaskId> expected;
    std::erase_if(writes_, [&](const Write& write) {
      if (write.begin >= tensor.end || tensor.begin >= write.end) return false;
      expected.insert(write.task);
      return updates && tensor.begin <= write.begin && write.end <= tensor.end;
    });
    const Access access = updates ? Access::inout : Access::input;
    ASSERT_EQ(memory_.writers(tensor.tensor, access), expected);
    found_ += expected.size();
    if (!updates) return;
    memory_.write(tensor.tensor, task);
    writes_.push_back({tensor.begin, tensor.end, task});
  }
  void retire() {
    for (uint32_t ring = 0; ring < GetParam(); ++ring) {
      if (next_[ring] > oldest_[ring] + 100) oldest_[ring] = next_[ring] - below(100);
    }
    std::erase_if(writes_, [&](const Write& write) {
      return local_of(write.task) < oldest_[ring_of(write.task).value];
    });
    memory_.map().sync(oldest_, true);
  }
  void check() {
    for (const Made& tensor : made_) {
      ASSERT_EQ(memory_.address(tensor.tensor), tensor.begin);
      std::set<TaskId> expected;
      for (const Write& write : writes_) {
        if (write.begin < tensor.end && tensor.begin < write.end) expected.insert(write.task);
      }
      ASSERT_EQ(memory_.writers(tensor.tensor), expected);
    }
    ASSERT_TRUE(memory_.map().invariant_holds());
  }

  uint64_t below(uint64_t bound) { return random_() % bound; }

  std::mt19937_64 random_{7};
  uint64_t memory_begin_ = 0;
  SharedBytes memory_{GetParam()};
  std::vector<Made> made_;
  std::vector<Write> writes_;
  std::array<uint64_t, max_rings> next_{};
  std::array<uint64_t, max_rings> oldest_{};
  uint64_t found_ = 0;
};

TEST_P(SharedBytesRandom, FindsWhoWroteThem) {
  for (int round = 0; round < 400; ++round) {
    memory_begin_ = 0x1000 + static_cast<uint64_t>(round % 10) * 0x10000;
    memory_.table().scope_begin();
    for (int i = 0; i < 20; ++i) {
      make();
      submit(made_[below(made_.size())]);
      if (HasFatalFailure()) return;
    }
    check();
    if (HasFatalFailure()) return;
    memory_.table().scope_end();
    made_.clear();
    retire();
  }
  EXPECT_GT(found_, 5'000U);
}

INSTANTIATE_TEST_SUITE_P(Rings, SharedBytesRandom, testing::Values(1U, 2U));

}  // namespace
}  // namespace pto2

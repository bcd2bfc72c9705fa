/// TensorMap against a model that keeps every access as a set of elements and searches them all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "runtime/tensormap/tensor_map.hpp"
#include "tests/support/element_set.hpp"

namespace pto2 {
namespace {

using testing_support::ElementSet;
using testing_support::RandomTensors;

struct ModelEntry {
  const BufferWrites* buffer;
  Region region;
  ElementSet elements;
  TaskId producer;
  bool allocated;
};

struct Parameters {
  uint32_t rings;
  uint32_t window;
  uint32_t pool_size;
  uint32_t num_buckets;
};

class Differential {
 public:
  Differential(const Parameters& parameters, uint64_t seed)
      : parameters_(parameters),
        map_({parameters.rings, parameters.window, parameters.pool_size, parameters.num_buckets}),
        random_(seed) {}

  void step() {
    const auto ring = static_cast<uint32_t>(random_.below(parameters_.rings));
    if (random_.below(3) == 0) retire(static_cast<uint32_t>(random_.below(parameters_.rings)));
    while (submitted_[ring] - watermarks_[ring] >= parameters_.window - 1) retire(ring);
    map_.sync(watermarks_);
    auto writes = static_cast<uint32_t>(random_.below(3));
    make_room(writes);
    if (::testing::Test::HasFatalFailure()) return;
    const TaskId task = make_id(RingId(ring), submitted_[ring]++);
    if (writes != 0 && random_.below(4) == 0) {
      allocate(task);
      --writes;
    }
    table_.scope_begin();
    submit(task, writes);
    table_.scope_end();
    ASSERT_TRUE(map_.invariant_holds());
  }

  uint64_t matches() const { return matches_; }
  uint64_t displaced() const { return displaced_; }

 private:
  void retire(uint32_t ring) {
    const uint64_t live = submitted_[ring] - watermarks_[ring];
    watermarks_[ring] += random_.below(live + 1);
  }

  /// Retires tasks until the pool has room by the model; the map must agree each time.
  void make_room(uint32_t writes) {
    drop_retired();
    while (model_.size() + writes > parameters_.pool_size) {
      ASSERT_FALSE(map_.reserve(writes)) << "an entry was lost";
      ASSERT_EQ(map_.live(), model_.size()) << "an entry was lost or leaked";
      for (uint32_t ring = 0; ring < parameters_.rings; ++ring) retire(ring);
      map_.sync(watermarks_);
      drop_retired();
    }
    ASSERT_TRUE(map_.reserve(writes)) << "what has retired is given back when it is needed";
  }

  void drop_retired() {
    std::erase_if(model_, [&](const ModelEntry& entry) {
      return local_of(entry.producer) < watermarks_[ring_of(entry.producer).value];
    });
  }

  void submit(TaskId task, uint32_t writes) {
    drop_retired();
    for (uint64_t reads = random_.below(3); reads > 0; --reads)
      look_up(tensor(task), Access::input);
    std::vector<uint64_t> written;
    for (uint32_t i = 0; i < writes; ++i) {
      written.push_back(tensor(task));
      if (random_.below(2) == 0) look_up(written.back(), Access::inout);
    }
    for (const uint64_t handle : written) insert(handle, task);
  }

  /// Of two buffers of the caller, under roots of any shape, or of the one that a task before this
  /// has allocated.
  uint64_t tensor(TaskId task) {
    const uint64_t buffer = random_.below(3);
    if (buffer == 2 && root_ != 0 && table_.find(root_)->owner.task != task)
      return random_.tensor(table_, 0, root_);
    return random_.tensor(table_, 4096 * (1 + buffer % 2), 0);
  }

  /// A buffer where the former one was.
  void allocate(TaskId task) {
    constexpr uint64_t shape[] = {8, 12};
    root_ = table_.make(0, shape, 2, DataType::FLOAT32).handle;
    table_.set_buffer(root_, 12288, {task, 0, 0});
    insert(root_, task);
  }

  void look_up(uint64_t handle, Access access) {
    const TensorRecord& record = *table_.find(handle);
    std::vector<Match> found;
    map_.lookup(*record.writes, record.region, access, no_task,
                [&](const Match& match) { found.push_back(match); });
    matches_ += found.size();
    const ElementSet elements = ElementSet::of(record);
    for (size_t i = model_.size(); i-- > 0;) {
      const ModelEntry entry = model_[i];
      if (entry.buffer != record.writes) continue;
      const Relation truth = elements.relation_to(entry.elements);
      const bool exact = same_space(record.region, entry.region) ||
                         (record.region.contiguous && entry.region.contiguous);
      // Between spaces the map may take disjoint regions for overlapping ones, as relation() says.
      const Relation expected = exact ? truth : relation(record.region, entry.region);
      ASSERT_TRUE(expected == truth || expected == Relation::other);
      if (expected == Relation::disjoint) continue;
      const bool replaced =
          access == Access::inout && !entry.allocated && expected == Relation::covered;
      const auto match = std::ranges::find_if(found, [&](const Match& one) {
        return one.producer == entry.producer && one.relation == expected &&
               one.replaced == replaced;
      });
      ASSERT_NE(match, found.end()) << "an overlap was missed, or taken for another";
      found.erase(match);
      if (replaced) model_.erase(model_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    ASSERT_TRUE(found.empty()) << "a match that overlaps nothing";
  }

  void insert(uint64_t handle, TaskId task) {
    const TensorRecord& record = *table_.find(handle);
    ASSERT_TRUE(map_.reserve(1));
    map_.insert(map_.begin_inserts(task, 1), *record.writes, record.region,
                [&](const BufferWrites& buffer) { return displace(buffer, record); });
    model_.push_back(
        {record.writes, record.region, ElementSet::of(record), task, task == record.owner.task});
  }

  /// Every other time the writer is ordered behind the one that stands at the buffer.
  bool displace(const BufferWrites& buffer, const TensorRecord& writer) {
    if (random_.below(2) == 0) return false;
    const auto last = std::find_if(model_.rbegin(), model_.rend(), [&](const ModelEntry& entry) {
      return entry.buffer == &buffer && entry.producer == buffer.writer &&
             entry.region.contiguous && entry.region.begin == 0 &&
             entry.region.end == buffer.written;
    });
    EXPECT_NE(last, model_.rend());
    EXPECT_EQ(ElementSet::of(writer).relation_to(last->elements), Relation::covered);
    EXPECT_FALSE(last->allocated);
    model_.erase(std::next(last).base());
    ++displaced_;
    return true;
  }

  Parameters parameters_;
  TensorMap map_;
  RandomTensors random_;
  TensorTable table_{1, {}, &map_};
  std::vector<ModelEntry> model_;
  uint64_t root_ = 0;  // of the buffer that a task has allocated last
  std::array<uint64_t, max_rings> watermarks_{};
  std::array<uint64_t, max_rings> submitted_{};
  uint64_t matches_ = 0;
  uint64_t displaced_ = 0;
};

TEST(TensorMapRandom, AgreesWithTheModel) {
  uint64_t matches = 0;
  uint64_t displaced = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Parameters parameters{seed % 2 == 0 ? 1U : 1 + static_cast<uint32_t>(seed / 2 % 4),
                                4U << seed % 4, 4U << seed % 5, 1U << seed % 3};
    Differential run(parameters, seed);
    for (int i = 0; i < 300; ++i) {
      run.step();
      ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "seed " << seed << ", step " << i;
    }
    matches += run.matches();
    displaced += run.displaced();
  }
  EXPECT_GT(matches, 10000U);
  EXPECT_GT(displaced, 1000U);
}

}  // namespace
}  // namespace pto2

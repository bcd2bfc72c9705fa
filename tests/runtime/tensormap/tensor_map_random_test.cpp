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
  uint64_t base;
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
    const auto writes = static_cast<uint32_t>(random_.below(3));
    make_room(writes);
    if (::testing::Test::HasFatalFailure()) return;
    table_.scope_begin();
    submit(ring, writes);
    table_.scope_end();
    ASSERT_TRUE(map_.invariant_holds());
  }

  uint64_t matches() const { return matches_; }

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

  void submit(uint32_t ring, uint32_t writes) {
    drop_retired();
    const TaskId task = make_id(RingId(ring), submitted_[ring]++);
    for (uint64_t reads = random_.below(3); reads > 0; --reads) look_up(tensor(), Access::input);
    std::vector<uint64_t> written;
    std::vector<bool> allocated;
    for (uint32_t i = 0; i < writes; ++i) {
      written.push_back(tensor());
      const uint64_t kind = random_.below(8);
      if (kind < 4) look_up(written.back(), Access::inout);
      allocated.push_back(kind == 7);
    }
    for (uint32_t i = 0; i < writes; ++i) insert(written[i], task, allocated[i]);
  }

  uint64_t tensor() { return random_.tensor(table_, 4096 * (1 + random_.below(3)), 0); }

  void look_up(uint64_t handle, Access access) {
    const TensorRecord& record = *table_.find(handle);
    std::vector<Match> found;
    map_.lookup(record.base, record.region, access,
                [&](const Match& match) { found.push_back(match); });
    matches_ += found.size();
    const ElementSet elements = ElementSet::of(record);
    // The model lists newest first, as the map does within one buffer.
    size_t next = 0;
    for (size_t i = model_.size(); i-- > 0;) {
      const ModelEntry entry = model_[i];
      if (entry.base != record.base) continue;
      const Relation truth = elements.relation_to(entry.elements);
      const bool exact = same_space(record.region, entry.region) ||
                         (record.region.contiguous && entry.region.contiguous);
      // Between spaces the map may take disjoint regions for overlapping ones, as relation() says.
      const Relation expected = exact ? truth : relation(record.region, entry.region);
      ASSERT_TRUE(expected == truth || expected == Relation::other);
      if (expected == Relation::disjoint) continue;
      ASSERT_LT(next, found.size()) << "an overlap was missed";
      const Match match = found[next++];
      ASSERT_EQ(match.producer, entry.producer);
      ASSERT_EQ(match.relation, expected);
      ASSERT_EQ(match.replaced,
                access == Access::inout && !entry.allocated && match.relation == Relation::covered);
      if (match.replaced) model_.erase(model_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    ASSERT_EQ(next, found.size()) << "a match that overlaps nothing";
  }

  void insert(uint64_t handle, TaskId task, bool allocated) {
    const TensorRecord& record = *table_.find(handle);
    ASSERT_TRUE(map_.insert(record.base, record.region, task, allocated));
    if (allocated) {
      std::erase_if(model_, [&](const ModelEntry& entry) { return entry.base == record.base; });
    }
    model_.push_back({record.base, record.region, ElementSet::of(record), task, allocated});
  }

  Parameters parameters_;
  TensorMap map_;
  RandomTensors random_;
  TensorTable table_;
  std::vector<ModelEntry> model_;
  std::array<uint64_t, max_rings> watermarks_{};
  std::array<uint64_t, max_rings> submitted_{};
  uint64_t matches_ = 0;
};

TEST(TensorMapRandom, AgreesWithTheModel) {
  uint64_t matches = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const Parameters parameters{seed % 2 == 0 ? 1U : 1 + static_cast<uint32_t>(seed / 2 % 4),
                                4U << seed % 4, 4U << seed % 5, 1U << seed % 3};
    Differential run(parameters, seed);
    for (int i = 0; i < 300; ++i) {
      run.step();
      ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "seed " << seed << ", step " << i;
    }
    matches += run.matches();
  }
  EXPECT_GT(matches, 10000U);
}

}  // namespace
}  // namespace pto2

#include "stress/oracles/demanded_edges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "runtime/device/device.hpp"
#include "stress/oracles/recording_runtime.hpp"

namespace pto2::oracle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void submit(PTO2Runtime* rt, const std::vector<PTOParam>& params) {
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params.data(),
                      static_cast<int32_t>(params.size()));
}

/// 0 writes, 1 changes that, 2 reads it, and 3 writes it again; 4 and 5, in a scope of their own,
/// change something else, and 6 behind it does, too.
void graph(PTO2Runtime* rt) {
  static uint64_t memory[4];
  const uint64_t shape[] = {4};
  pto2_rt_init_tensor_pool(rt);
  const Tensor made = make_tensor(shape, 1);
  const Tensor other = make_tensor_external(memory, shape, 1);
  submit(rt, {make_output_param(made)});
  submit(rt, {make_inout_param(made)});
  submit(rt, {make_input_param(made)});
  submit(rt, {make_output_param(made)});
  PTO2_SCOPE(rt) {
    submit(rt, {make_inout_param(other)});
    submit(rt, {make_inout_param(other)});
  }
  submit(rt, {make_inout_param(other)});
}

class DemandedEdges : public testing::Test {
 protected:
  DemandedEdges() {
    RecordingRuntime recorder;
    recorder.scope_begin();
    graph(&recorder);
    recorder.scope_end();
    EXPECT_TRUE(recorder.boxes_are_apart());
    demanded_ = recorder.tasks();
  }

  static RunResult run(uint64_t seed = 1, void (*entry)(PTO2Runtime*) = graph) {
    static constexpr KernelEntry kernels[] = {[](int64_t*) {}};
    DeviceConfig config;
    config.window = 16;
    config.chip.clusters = 2;
    config.chip.schedulers = 1;
    config.events = 1024;
    RunResult result = launch(config, executors::SeededOptions{.seed = seed}, {kernels, entry, {}});
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    return result;
  }
  std::vector<std::string> problems(bool is_whole = true) {
    return edge_problems(demanded_, is_whole, run().record);
  }

  std::vector<RecordedTask> demanded_;
};

TEST_F(DemandedEdges, AreThoseOfTheRun) {
  EXPECT_THAT(demanded_[2].producers, ElementsAre(0, 1));
  EXPECT_THAT(demanded_[3].owners, ElementsAre(0));
  EXPECT_EQ(demanded_[5].scope_end, 6U);
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_THAT(edge_problems(demanded_, true, run(seed).record), IsEmpty()) << seed;
  }
}

TEST_F(DemandedEdges, AreMissedWhereverTheyLack) {
  demanded_[2].producers.push_back(3);
  demanded_[2].scope_end = 7;
  demanded_[3].producers.push_back(1);
  demanded_[3].owners.push_back(2);
  EXPECT_THAT(problems(),
              ElementsAre("task 2 lacks its edge to task 3", "task 3 lacks its edge to task 1",
                          "task 3 lacks its reference to the buffer of task 2"));
}

TEST_F(DemandedEdges, AreToldOfTheFirstOnly) {
  for (RecordedTask& task : demanded_) task.producers.push_back(6);
  EXPECT_THAT(problems(),
              ElementsAre("task 0 lacks its edge to task 6", "task 1 lacks its edge to task 6",
                          "task 2 lacks its edge to task 6", "task 3 lacks its edge to task 6"));
}

TEST_F(DemandedEdges, AreMoreThanReferences) {
  demanded_[3].owners.clear();
  demanded_[3].producers = {0};
  EXPECT_THAT(problems(false), ElementsAre("task 3 lacks its edge to task 0"));
}

TEST_F(DemandedEdges, AreNotMoreThanThose) {
  std::erase(demanded_[2].producers, 1);
  demanded_[3].owners.clear();
  EXPECT_THAT(problems(),
              ElementsAre("task 2 has the edge to task 1, which it does not need",
                          "task 3 has the reference to the buffer of task 0, which it does "
                          "not need"));
  EXPECT_THAT(problems(false), IsEmpty());
}

/// The first and the last tick of such an event of a task.
std::pair<uint64_t, uint64_t> ticks_of(const RunResult& result, EventKind kind, std::size_t task) {
  const TaskId id = result.record.tasks[task].task;
  std::vector<uint64_t> ticks;
  for (const Event& event : result.record.events) {
    if (event.task == id && event.kind == kind) ticks.push_back(event.t);
  }
  EXPECT_FALSE(ticks.empty());
  if (ticks.empty()) return {0, 0};
  const auto [first, last] = std::ranges::minmax(ticks);
  return {first, last};
}
uint64_t tick_of(const RunResult& result, EventKind kind, std::size_t task) {
  return ticks_of(result, kind, task).first;
}

/// After the end of its scope a producer that has ended may be gone.
TEST_F(DemandedEdges, MayBeMissingOfWhoCanBeReclaimed) {
  demanded_[6].producers.push_back(2);
  demanded_[2].scope_end = 6;
  std::size_t gone = 0;
  constexpr uint64_t seeds = 100;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const RunResult result = run(seed);
    const bool can_be_gone =
        tick_of(result, EventKind::fin, 2) < tick_of(result, EventKind::submit, 6);
    EXPECT_EQ(edge_problems(demanded_, true, result.record).empty(), can_be_gone) << seed;
    gone += can_be_gone ? 1 : 0;
  }
  EXPECT_GT(gone, 0U);
  EXPECT_LT(gone, seeds);
}

/// Of a run that was replayed.
TEST_F(DemandedEdges, MayBeMissingBesideAPathOfRecordedOnes) {
  Record record = run().record;
  demanded_[5].scope_end = demanded_[4].scope_end = 7;
  demanded_[6].producers = {4, 5};
  EXPECT_THAT(edge_problems(demanded_, true, record),
              ElementsAre("task 6 lacks its edge to task 4"));
  record.manner.replayed = true;
  EXPECT_THAT(edge_problems(demanded_, true, record), IsEmpty());
  demanded_[6].producers = {3, 5};
  EXPECT_THAT(edge_problems(demanded_, true, record),
              ElementsAre("task 6 lacks its edge to task 3"));
  // A buffer is held that somebody writes who is ordered behind its owner by others.
  demanded_[6].producers = {5};
  demanded_[2].producers = {0};
  demanded_[3] = {.producers = {0}};
  EXPECT_THAT(edge_problems(demanded_, true, record),
              ElementsAre("task 2 has the edge to task 1, which it does not need",
                          "task 3 lacks its edge to task 0"));
}

/// A path orders tasks, but keeps no buffer.
TEST_F(DemandedEdges, AreNotInPlaceOfReferences) {
  Record record = run().record;
  record.manner.replayed = true;
  record.tasks[3].holds.clear();
  record.tasks[3].producers = {{record.tasks[2].task}};
  demanded_[3].producers = {1, 2};
  EXPECT_THAT(edge_problems(demanded_, true, record),
              ElementsAre("task 3 lacks its reference to the buffer of task 0"));
}

/// Who can have been reclaimed needs no edge on such a path either.
TEST_F(DemandedEdges, MayBeMissingBesideAPathThroughWhoCanBeReclaimed) {
  demanded_[4].scope_end = 7;
  demanded_[6].producers = {4, 5};
  std::size_t gone = 0;
  constexpr uint64_t seeds = 100;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    RunResult result = run(seed);
    const bool can_be_gone =
        tick_of(result, EventKind::fin, 5) < tick_of(result, EventKind::submit, 6);
    result.record.manner.replayed = true;
    result.record.tasks[6].producers.clear();
    EXPECT_EQ(edge_problems(demanded_, true, result.record).empty(), can_be_gone) << seed;
    gone += can_be_gone ? 1 : 0;
  }
  EXPECT_GT(gone, 0U);
  EXPECT_LT(gone, seeds);
}

/// One task of many parts in a scope of its own, and others behind it.
void block_graph(PTO2Runtime* rt) {
  PTO2_SCOPE(rt) {
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0, 12);
  }
  for (int i = 0; i < 3; ++i) submit(rt, {});
}

/// Who has ended in part has not ended.
TEST_F(DemandedEdges, MayNotBeMissingOfABlockTaskUntilItsLastPartHasEnded) {
  std::vector<RecordedTask> demanded(4);
  demanded[0].scope_end = 1;
  demanded[3].producers.push_back(0);
  std::size_t in_between = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const RunResult result = run(seed, block_graph);
    const uint64_t submitted = tick_of(result, EventKind::submit, 3);
    const auto [first, last] = ticks_of(result, EventKind::fin, 0);
    EXPECT_EQ(edge_problems(demanded, true, result.record).empty(), last < submitted) << seed;
    in_between += first < submitted && submitted <= last ? 1 : 0;
  }
  EXPECT_GT(in_between, 0U);
}

TEST_F(DemandedEdges, AreToTasksThatAreSubmitted) {
  Record record = run().record;
  record.tasks[1].producers.push_back({make_id(1, 77), Claim::linked});
  record.tasks[3].holds.push_back(make_id(0, 99));
  for (const bool is_whole : {true, false}) {
    EXPECT_THAT(edge_problems(demanded_, is_whole, record),
                ElementsAre("task 1 has an edge to task 77 of ring 1, which was not submitted",
                            "task 3 has a reference to the buffer of task 99 of ring 0, which was "
                            "not submitted"));
  }
}

TEST_F(DemandedEdges, AreOfNoMoreTasksThanThereAre) {
  demanded_.pop_back();
  EXPECT_THAT(problems(), ElementsAre("7 tasks, and 6 are demanded"));
}

/// A run that ends early has the first of them.
TEST_F(DemandedEdges, AreOfAllTasksThatThereAre) {
  demanded_.push_back({.producers = {6}});
  EXPECT_THAT(problems(), IsEmpty());
}

}  // namespace
}  // namespace pto2::oracle

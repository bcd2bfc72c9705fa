/// What a census makes of the events of a run.
#include "stress/graphs/census.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pto2::graphs::census_test {
namespace {

using enum EventKind;

/// Of a run in which the orchestrator did this with groups 0, 1, .. on cluster 0, 1, ..
Census census_of(const std::vector<std::pair<EventKind, uint32_t>>& steps) {
  RunResult result;
  for (const auto& [kind, group] : steps) {
    result.record.events.push_back({.group = group, .place = group, .kind = kind});
  }
  Census census;
  census.add({}, {}, result);
  return census;
}

TEST(Census, GroupsOneAfterTheOtherAreNotSeveralAtOnce) {
  const Census in_turn = census_of({{allocate, 0}, {close, 0}, {allocate, 1}, {close, 1}});
  EXPECT_EQ(in_turn.of(Case::groups), 1U);
  EXPECT_EQ(in_turn.of(Case::several_groups), 0U);
  const Census at_once = census_of({{allocate, 0}, {allocate, 1}, {close, 0}, {close, 1}});
  EXPECT_EQ(at_once.of(Case::several_groups), 1U);
}

/// Two clusters of two vector cores each, two schedulers, and an accelerator. Its cores are 0 and 1
/// (cubes), 2 to 5, and 6; the schedulers are the workers 7 and 8.
const Chip chip{"test", 2, 1, 2, 2, 1};

using enum Case;
using Cases = std::vector<Case>;
using testing::ElementsAre;
using testing::IsEmpty;

/// The cases that one run shows, in their order.
Cases met_by(const Program& program, const RunResult& result) {
  Census census;
  census.add(program, chip, result);
  Cases met;
  for (std::size_t i = 0; i < cases; ++i) {
    if (census.of(static_cast<Case>(i)) != 0) met.push_back(static_cast<Case>(i));
  }
  return met;
}
Cases met_by_program(std::vector<Step> steps) {
  return met_by({{}, std::move(steps)}, {});
}
Cases met_by_events(std::vector<Event> events, const std::vector<uint32_t>& block_dims = {}) {
  RunResult result;
  result.record.events = std::move(events);
  for (const uint32_t block_dim : block_dims) {
    TaskRecord& task = result.record.tasks.emplace_back();
    task.task.value = result.record.tasks.size();
    task.block_dim = block_dim;
  }
  return met_by({}, result);
}

TEST(Census, OfInnerScopes) {
  EXPECT_THAT(met_by_program({Allocate{}, ScopeBegin{}, Free{0}, ScopeEnd{}}),
              ElementsAre(inner_free));
  EXPECT_THAT(met_by_program({Allocate{}, ScopeBegin{}, ScopeEnd{}, Free{0}}), IsEmpty());
  EXPECT_THAT(met_by_program({ScopeBegin{}, Allocate{}, Free{0}, ScopeEnd{}}), IsEmpty());
  EXPECT_THAT(met_by_program({Allocate{}, ScopeBegin{}, Submit{.group = 0}, ScopeEnd{}}),
              ElementsAre(inner_submission));
  EXPECT_THAT(met_by_program({Allocate{}, ScopeBegin{}, Submit{}, ScopeEnd{}, Submit{.group = 0}}),
              IsEmpty());
}

TEST(Census, OfMorePartsThanCores) {
  EXPECT_THAT(met_by_program({Submit{.core = CoreType::vector, .block_dim = 4},
                              Submit{.core = CoreType::cube, .block_dim = 2},
                              Submit{.core = CoreType::ai_cpu, .block_dim = 2},
                              Submit{.core = CoreType::accelerator, .block_dim = 1}}),
              IsEmpty());
  for (const auto& [core, parts] :
       {std::pair{CoreType::vector, 5u}, std::pair{CoreType::cube, 3u},
        std::pair{CoreType::ai_cpu, 3u}, std::pair{CoreType::accelerator, 2u}}) {
    EXPECT_THAT(met_by_program({Submit{.core = core, .block_dim = parts}}), ElementsAre(more_parts))
        << core_type_name(core);
  }
}

TEST(Census, OfPipes) {
  const auto met_by_use = [](PipeFill before, int64_t popped, PipeFill after) {
    RunResult result;
    result.record.events = {{.kind = submit}, {.place = 1, .kind = pipe}};
    result.record.pipe_uses.resize(2);
    PipeUse& use = result.record.pipe_uses[1];
    use.capacity = 3;
    use.before = before;
    use.popped = popped;
    use.after = after;
    return met_by({}, result);
  };
  EXPECT_THAT(met_by_use({0, 0}, 0, {2, 0}), ElementsAre(pipes));
  EXPECT_THAT(met_by_use({0, 0}, 1, {0, 1}), ElementsAre(pipes)) << "its own entry";
  EXPECT_THAT(met_by_use({1, 0}, 0, {1, 1}), ElementsAre(pipes));
  EXPECT_THAT(met_by_use({1, 0}, 1, {0, 1}), ElementsAre(pipes, pipe_of_two));
  EXPECT_THAT(met_by_use({0, 0}, 0, {2, 1}), ElementsAre(pipes, pipe_full));
  EXPECT_THAT(met_by_events({{.kind = leftover}}), ElementsAre(pipe_leftovers));
}

Event join_of(uint64_t task, uint64_t group) {
  return {.task = {.value = task}, .group = group, .kind = join};
}

TEST(Census, OfBlockTasksAndThoseThatArePinned) {
  EXPECT_THAT(met_by_events({}, {0, 0}), IsEmpty());
  EXPECT_THAT(met_by_events({}, {1}), ElementsAre(single_parts));
  EXPECT_THAT(met_by_events({}, {2}), ElementsAre(block_tasks));
  EXPECT_THAT(met_by_events({join_of(1, 0)}, {0}), ElementsAre(pinned));
  EXPECT_THAT(met_by_events({join_of(2, 0)}, {0, 0}), ElementsAre(pinned, beside_unpinned));
  EXPECT_THAT(met_by_events({join_of(1, 0), join_of(2, 1)}, {0, 0}), ElementsAre(pinned));
  EXPECT_THAT(met_by_events({join_of(1, 0), join_of(1, 0)}, {2}),
              ElementsAre(block_tasks, pinned_parts));
  EXPECT_THAT(met_by_events({join_of(1, 0), join_of(1, 1)}, {2}),
              ElementsAre(block_tasks, pinned_parts, parts_on_clusters));
  EXPECT_THAT(met_by_events({join_of(1, 0), join_of(2, 1)}, {2, 2}),
              ElementsAre(block_tasks, pinned_parts));
}

TEST(Census, OfClusters) {
  const Event lacks_cluster{.kind = wait, .lacking = Resource::clusters};
  const Event lacks_slot{.kind = wait, .lacking = Resource::task_ring};
  EXPECT_THAT(met_by_events({{.kind = allocate}}), ElementsAre(groups));
  EXPECT_THAT(met_by_events({lacks_cluster, {.kind = allocate}}),
              ElementsAre(groups, cluster_waits));
  EXPECT_THAT(met_by_events({lacks_cluster}), IsEmpty());
  EXPECT_THAT(met_by_events({lacks_slot, {.kind = allocate}}), ElementsAre(groups));
  EXPECT_THAT(met_by_events({lacks_cluster, {.kind = submit}, {.kind = allocate}}),
              ElementsAre(groups));
  EXPECT_THAT(
      met_by_events(
          {{.place = 1, .kind = allocate}, {.kind = close}, {.place = 1, .kind = allocate}}),
      ElementsAre(groups, cluster_again));
}

TEST(Census, OfSchedulers) {
  const auto event_of = [](uint32_t thread, EventKind kind, uint32_t place = 0) {
    return std::vector<Event>{{.thread = thread, .place = place, .kind = kind}};
  };
  EXPECT_THAT(met_by_events(event_of(1, give_back)), ElementsAre(closed_early));
  EXPECT_THAT(met_by_events(event_of(0, give_back)), IsEmpty()) << "by the orchestrator";
  EXPECT_THAT(met_by_events(event_of(1, allocate)), IsEmpty());
  EXPECT_THAT(met_by_events(event_of(1, dispatch, 5)), IsEmpty());
  EXPECT_THAT(met_by_events(event_of(1, dispatch, 6)), ElementsAre(accelerator_tasks));
  EXPECT_THAT(met_by_events(event_of(1, dispatch, 8)), ElementsAre(ai_cpu_tasks));
  EXPECT_THAT(met_by_events(event_of(1, ack, 8)), IsEmpty());
}

TEST(Census, CountsRuns) {
  const Census grouped = census_of({{allocate, 0}});
  Census census = census_of({});
  census.add(grouped);
  census.add(grouped);
  EXPECT_EQ(census.runs(), 3U);
  EXPECT_EQ(census.of(Case::groups), 2U);
  EXPECT_THAT(census.text(), testing::StartsWith("  groups "));
  EXPECT_THAT(census.text(), testing::HasSubstr(" 2 of 3 runs, 66.7 %\n"));
  EXPECT_THAT(Census().text(), testing::HasSubstr(" 0 of 0 runs, 0.0 %\n"));
}

}  // namespace
}  // namespace pto2::graphs::census_test

/// VR-I21 and VR-I31 at the last entry or node: task d of the made-up run waits for it.
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Task a has one entry when d begins to wait for `requested` of a pool of so many.
std::vector<std::string> broken_with(uint64_t pool, uint64_t requested) {
  Story story;
  Event& wait = story.at(orchestrator, EventKind::wait, d);
  wait.lacking = Resource::tensormap_pool;
  wait.requested = requested;
  Record record = story.record();
  record.tensormap_pool = pool;
  for (uint64_t i = 0; i < requested; ++i) {
    record.tasks[3].params.push_back({.direction = Direction::out,
                                      .external = true,
                                      .base = 8 * i,
                                      .element = 8,
                                      .dims = 1,
                                      .strides = {1},
                                      .start = {0},
                                      .extent = {1}});
  }
  return judging::problems_of(record);
}

TEST(WaitStories, NobodyWaitsForEntriesThatJustHaveRoom) {
  EXPECT_THAT(broken_with(2, 2), testing::IsEmpty());
  EXPECT_THAT(broken_with(3, 2), Contains(HasSubstr("VR-I21: there is room for 2 of what it")));
  EXPECT_THAT(broken_with(1, 1), Not(Contains(HasSubstr("VR-I21"))));
  EXPECT_THAT(broken_with(2, 1), Contains(HasSubstr("VR-I21: there is room for 1 of what it")));
}

/// Task d has a producer and holds a buffer when it has waited for so many nodes.
std::vector<std::string> broken_with_nodes(uint64_t requested) {
  Story story;
  Event& wait = story.at(orchestrator, EventKind::wait, d);
  wait.lacking = Resource::dependency_pool;
  wait.requested = requested;
  Record record = story.record();
  record.tasks[3].producers = {{c, Claim::none}};
  record.tasks[3].holds = {a};
  return judging::problems_of(record);
}

TEST(WaitStories, TheNodesThatWereWaitedForAreThoseOfProducersAndHolds) {
  const auto too_few = Contains(HasSubstr("were waited for, which is not what it takes"));
  EXPECT_THAT(broken_with_nodes(2), Not(too_few));
  EXPECT_THAT(broken_with_nodes(3), Not(too_few)) << "a producer may be reclaimed meanwhile";
  EXPECT_THAT(broken_with_nodes(1), too_few);
}

/// Task d waits at 16 for so many clusters. Both have a group; one comes back at `back`.
std::vector<std::string> broken_with_clusters(uint64_t requested, uint64_t back) {
  Story story;
  for (const uint32_t cluster : {0U, 1U}) {
    story.insert(orchestrator, 9, EventKind::allocate, no_task, cluster);
  }
  story.insert(scheduler1, back, EventKind::give_back);
  Event& wait = story.at(orchestrator, EventKind::wait, d);
  wait.lacking = Resource::clusters;
  wait.requested = requested;
  return story.broken();
}

/// The orchestrator has looked after 15 at the earliest.
TEST(WaitStories, NobodyWaitsForAClusterThatCameBackBefore) {
  EXPECT_THAT(broken_with_clusters(1, 14), Contains(HasSubstr("VR-I21: 1 of 2 clusters are free")));
  EXPECT_THAT(broken_with_clusters(1, 15), Not(Contains(HasSubstr("VR-I21: 1 of 2 clusters"))));
}

TEST(WaitStories, OneClusterIsWaitedForAtATime) {
  EXPECT_THAT(broken_with_clusters(2, 60), Contains(HasSubstr("VR-I21: a task takes one")));
  EXPECT_THAT(broken_with_clusters(1, 60), Not(Contains(HasSubstr("VR-I21: a task takes one"))));
}

/// Scheduler1 tells of a's reclaim at `told`, scheduler0 of b's and c's at 61 and 62; from 64 on d
/// waits for the only node of the pool, which was b's.
std::vector<std::string> broken_when_told(uint64_t told) {
  Story story;
  story.erase(scheduler0, EventKind::reclaim, a);
  story.insert(scheduler1, told, EventKind::reclaim, a);
  std::vector<Event>& log = story.log(orchestrator);
  const auto begin = std::ranges::find(log, 3U, &Event::scope);
  for (auto at = begin; at + 1 != log.end(); ++at) {
    at->t = 63 + static_cast<uint64_t>(at - begin);
  }
  Event& wait = story.at(orchestrator, EventKind::wait, d);
  wait.lacking = Resource::dependency_pool;
  Record record = story.record();
  record.rings.front().dep_pool = 1;
  return judging::problems_of(record);
}

/// Whoever reclaims a task may tell of it after others have told of later tasks.
TEST(WaitStories, ATaskStaysReclaimedWhenOneBeforeItIsToldOfLater) {
  const auto room = Contains(HasSubstr("VR-I21: there is room for 1 of what it"));
  EXPECT_THAT(broken_when_told(52), room);
  EXPECT_THAT(broken_when_told(62), room);
}

struct NamedPipe {
  int64_t group;
  int64_t tag;
};

/// Entries of tasks a and b in a pool of one, each with a pipe.
std::vector<std::string> broken_with_pipes(const NamedPipe& of_a, const NamedPipe& of_b) {
  Record record = Story().record();
  record.tensormap_pool = 1;
  for (const auto& [task, pipe] : {std::pair(0, of_a), std::pair(1, of_b)}) {
    record.tasks[task].group = pipe.group;
    record.tasks[task].params = {{.pipe = true, .tag = pipe.tag}};
  }
  return judging::problems_of(record);
}

/// VR-I31: who has a pipe after another takes its entry over, if it is the same one.
TEST(WaitStories, AnotherPipeHasAnEntryOfItsOwn) {
  const auto short_of = Contains(HasSubstr("VR-I31: it takes 1 of 1 entries, 1 of which are"));
  EXPECT_THAT(broken_with_pipes({0, 1}, {1, 1}), short_of) << "of another group";
  EXPECT_THAT(broken_with_pipes({1, 1}, {1, 2}), short_of) << "with another tag";
  EXPECT_THAT(broken_with_pipes({1, 1}, {1, 1}), Not(short_of));
}

/// Task a writes two memories; b, c and d go on with the first, one after the other.
TEST(WaitStories, WhoTakesAnEntryOverTakesItOnce) {
  Record record = Story().record();
  record.tensormap_pool = 1;
  const auto use_of = [](Direction direction, uint64_t memory) {
    return ParamRecord{.direction = direction, .external = true, .memory = memory};
  };
  record.tasks[0].params = {use_of(Direction::out, 0), use_of(Direction::out, 1)};
  record.tasks[1].params = record.tasks[2].params = {use_of(Direction::inout, 0)};
  for (const char* task : {"1", "2"}) {
    EXPECT_THAT(judging::problems_of(record),
                Contains(testing::ContainsRegex("VR-I31: it takes 1 of 1 entries, 1 of which are "
                                                "in use .line [0-9]+: submit of task " +
                                                std::string(task))));
  }
}

/// Whether c finds all entries of the pool in use when a and b have had these parameters, and
/// nothing orders them.
bool are_all_in_use(uint64_t pool, const ParamRecord& of_a, const ParamRecord& of_b) {
  Record record = Story().record();
  for (TaskRecord& task : record.tasks) task.producers.clear();
  record.tensormap_pool = pool;
  record.tasks[0].params = {of_a};
  record.tasks[1].params = {of_b};
  record.tasks[2].params = {{.direction = Direction::out, .external = true, .memory = 1}};
  const auto none_left = Contains(testing::ContainsRegex(
      "VR-I31: it takes 1 of " + std::to_string(pool) + " entries, " + std::to_string(pool) +
      " of which are in use .line [0-9]+: submit of task 2"));
  return testing::Matches(none_left)(judging::problems_of(record));
}

TEST(WaitStories, OnlyWhoReadsAndWritesAMemoryTakesItsEntryOver) {
  const ParamRecord written{.direction = Direction::out, .external = true};
  ParamRecord param = written;
  EXPECT_TRUE(are_all_in_use(2, written, param)) << "both have one";
  param.direction = Direction::in;
  EXPECT_TRUE(are_all_in_use(1, written, param)) << "a has one";
  param.direction = Direction::inout;
  EXPECT_TRUE(are_all_in_use(1, written, param)) << "b has it now";
  EXPECT_FALSE(are_all_in_use(2, written, param));
}

/// If there is an edge between them, or two. Task d comes before a is reclaimed.
TEST(WaitStories, WhoWritesAMemoryBehindAnotherMayTakeItsEntryOver) {
  const ParamRecord written{.direction = Direction::out, .external = true, .memory = 1};
  const auto are_in_use = [&](const std::vector<std::pair<uint32_t, TaskId>>& edges) {
    Story story;
    story.at(orchestrator, EventKind::submit, d).t = 20;
    Record record = story.record();
    record.tensormap_pool = 2;
    for (TaskRecord& task : record.tasks) task.producers.clear();
    for (const auto& [task, producer] : edges) record.tasks[task].producers.push_back({producer});
    record.tasks[0].params = record.tasks[2].params = record.tasks[3].params = {written};
    return testing::Matches(Contains(HasSubstr("VR-I31: it takes 1 of 2 entries, 2 of which")))(
        judging::problems_of(record));
  };
  EXPECT_TRUE(are_in_use({}));
  EXPECT_FALSE(are_in_use({{2, a}}));
  EXPECT_FALSE(are_in_use({{1, a}, {2, b}}));
  EXPECT_TRUE(are_in_use({{2, b}})) << "which does not come behind a";
  EXPECT_TRUE(are_in_use({{1, a}}));
  // With more producers than entries.
  EXPECT_FALSE(are_in_use({{2, b}, {2, a}}));
  EXPECT_FALSE(are_in_use({{1, b}, {1, a}, {2, b}}));
  EXPECT_TRUE(are_in_use({{2, b}, {2, c}}));
}

/// In each memory that both write.
TEST(WaitStories, WhoWritesTwoMemoriesBehindAnotherMayTakeBothEntriesOver) {
  const auto written = [](uint64_t memory) {
    return ParamRecord{.direction = Direction::out, .external = true, .memory = memory};
  };
  const auto are_in_use = [&](bool has_edges) {
    Story story;
    story.at(orchestrator, EventKind::submit, d).t = 20;
    Record record = story.record();
    record.tensormap_pool = 4;
    for (TaskRecord& task : record.tasks) task.producers.clear();
    if (has_edges) {
      record.tasks[1].producers.push_back({a});
      record.tasks[2].producers.push_back({b});
    }
    for (const uint32_t task : {0, 2, 3}) record.tasks[task].params = {written(1), written(2)};
    return testing::Matches(Contains(HasSubstr("VR-I31: it takes 2 of 4 entries")))(
        judging::problems_of(record));
  };
  EXPECT_TRUE(are_in_use(false));
  EXPECT_FALSE(are_in_use(true));
}

/// Task a has ended at 26, and is reclaimed at 51.
TEST(WaitStories, WhoWritesAMemoryWhenAnotherHasEndedMayTakeItsEntryOver) {
  const ParamRecord written{.direction = Direction::out, .external = true, .memory = 1};
  const auto are_in_use = [&](uint64_t c_comes) {
    Story story;
    story.at(orchestrator, EventKind::submit, c).t = c_comes;
    story.at(orchestrator, EventKind::submit, d).t = c_comes + 1;
    Record record = story.record();
    record.tensormap_pool = 2;
    for (TaskRecord& task : record.tasks) task.producers.clear();
    record.tasks[0].params = record.tasks[2].params = record.tasks[3].params = {written};
    return testing::Matches(Contains(HasSubstr("VR-I31: it takes 1 of 2 entries, 2 of which")))(
        judging::problems_of(record));
  };
  EXPECT_TRUE(are_in_use(14));
  EXPECT_FALSE(are_in_use(40));
}

/// The entry of another task's buffer may go when the runtime likes.
TEST(WaitStories, TheEntryOfABufferIsItsOwners) {
  const ParamRecord own{.direction = Direction::out, .owner = a};
  EXPECT_TRUE(are_all_in_use(1, own, {}));
  const ParamRecord others{.direction = Direction::inout, .owner = a};
  EXPECT_TRUE(are_all_in_use(1, own, others));
  EXPECT_FALSE(are_all_in_use(2, own, others));
  const ParamRecord written{.direction = Direction::out, .external = true};
  EXPECT_TRUE(are_all_in_use(1, written, others)) << "it has no number of a memory";
}

/// Nobody takes a part of its ring.
TEST(WaitStories, WhoWaitsForAClusterNeedNameNoTask) {
  for (const TaskId task : {no_task, a}) {
    Story story;
    Event& wait = story.at(orchestrator, EventKind::wait, d);
    wait.task = task;
    wait.lacking = Resource::clusters;
    EXPECT_THAT(story.broken(), Not(tells("VR-I21: it names no task of a ring")));
    EXPECT_THAT(story.broken(), Not(tells("is not its ring's next")));
  }
}

/// Task d waits at 16. What is left in a pipe is told when its cluster has come.
TEST(WaitStories, OnlyBehindAClusterAreLeftoversTold) {
  const auto early = tells("VR-I21: it comes before what was waited for");
  for (const Resource resource :
       {Resource::task_ring, Resource::heap_ring, Resource::dependency_pool,
        Resource::tensormap_pool, Resource::clusters}) {
    Story story;
    story.at(orchestrator, EventKind::wait, d).lacking = resource;
    story.insert(orchestrator, 51, EventKind::close);
    Record record = story.record();
    const auto told = std::ranges::find(record.events, EventKind::close, &Event::kind);
    told->kind = EventKind::leftover;
    record.pipe_uses.emplace_back().event = static_cast<uint32_t>(told - record.events.begin());
    const std::vector<std::string> broken = judging::problems_of(record);
    if (resource == Resource::clusters) {
      EXPECT_THAT(broken, Not(early));
    } else {
      EXPECT_THAT(broken, early) << resource_name(resource);
    }
  }
}

/// The run ends while the orchestrator waits for a slot for d.
Story ended_with(ErrorCode code) {
  Story story;
  story.result.error.code = code;
  for (uint32_t thread = 0; thread < threads; ++thread) {
    std::erase_if(story.log(thread), [](const Event& event) {
      return event.task == d && event.kind != EventKind::wait;
    });
  }
  return story;
}

TEST(WaitStories, AKernelMayEndARunInWhichSomebodyWaits) {
  EXPECT_THAT(ended_with(ErrorCode::bad_submission).broken(),
              tells("VR-I30: the run ends with bad_submission, but with this wait"));
  EXPECT_THAT(ended_with(ErrorCode::kernel_threw).broken(), Not(tells("VR-I30:")));
}

/// All its producers may have been reclaimed while it waited. The bytes that it takes stay as many.
TEST(WaitStories, ATaskMayNeedFewerNodesThanItWaitedFor) {
  const auto is_told_of = [](Resource resource) {
    Story story = ended_with(ErrorCode::tensormap_overflow);
    Event& wait = story.at(orchestrator, EventKind::wait, d);
    wait.lacking = resource;
    wait.requested = 100;
    Record record = story.record();
    record.rings.front().dep_pool = record.rings.front().heap = 16;
    return testing::Matches(Contains(HasSubstr(
        "VR-I30: the run ends with tensormap_overflow, but another resource is lacking")))(
        judging::problems_of(record));
  };
  EXPECT_FALSE(is_told_of(Resource::dependency_pool));
  EXPECT_TRUE(is_told_of(Resource::heap_ring));
}

/// Task c never ends; if it is dispatched twice, nothing is certain of it.
TEST(WaitStories, ADeadlockHasNoTaskThatCouldEnd) {
  const auto could_end = tells("VR-I30: the run ends with flow_control_deadlock, but a task that");
  Story story = ended_with(ErrorCode::flow_control_deadlock);
  EXPECT_THAT(story.broken(), Not(could_end));
  story.erase(aiv2, EventKind::fin, c);
  story.erase(scheduler1, EventKind::consume, c);
  story.erase(scheduler0, EventKind::reclaim, c);
  EXPECT_THAT(story.broken(), could_end);
  story.insert(scheduler1, 23, EventKind::dispatch, c, aiv2 - first_core);
  EXPECT_THAT(story.broken(), Not(could_end));
}

/// Task b's reclaim is told of behind that of c, whose node d waits for.
TEST(WaitStories, TheLatestTaskThatIsReclaimedCounts) {
  Story story;
  story.erase(scheduler0, EventKind::reclaim, b);
  story.insert(scheduler1, 62, EventKind::reclaim, b);
  std::vector<Event>& log = story.log(orchestrator);
  for (auto at = std::ranges::find(log, 3U, &Event::scope); at + 1 != log.end(); ++at) at->t = 64;
  Event& wait = story.at(orchestrator, EventKind::wait, d);
  wait.lacking = Resource::dependency_pool;
  Record record = story.record();
  record.rings.front().dep_pool = 1;
  record.tasks[2].producers = {{b, Claim::linked}};
  EXPECT_THAT(judging::problems_of(record),
              Contains(HasSubstr("VR-I21: there is room for 1 of what it")));
}

TEST(WaitStories, TheOrchestratorWaitsForWhatTheNextTaskTakes) {
  const auto broken_by = [](uint32_t thread, TaskId task) {
    Story story;
    Event& wait = story.at(thread, EventKind::wait, thread == orchestrator ? d : no_task);
    wait.task = task;
    wait.lacking = Resource::task_ring;
    wait.requested = 1;
    return story.broken();
  };
  EXPECT_THAT(broken_by(orchestrator, d), testing::IsEmpty());
  EXPECT_THAT(broken_by(orchestrator, make_id(1, 0)),
              Contains(HasSubstr("VR-I21: it names no task of a ring")));
  EXPECT_THAT(broken_by(orchestrator, make_id(0, 4)),
              Contains(HasSubstr("VR-I21: the task that it waits for is not its ring's next")));
  EXPECT_THAT(broken_by(scheduler0, a), Contains(HasSubstr("VR-I21: the thread submits no tasks")));
}

}  // namespace
}  // namespace pto2::test

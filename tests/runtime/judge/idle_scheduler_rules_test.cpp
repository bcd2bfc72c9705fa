/// VR-I36: runs in which a scheduler runs a task itself, and serves nobody meanwhile, or has left.
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using enum EventKind;

/// Task b is ready from 40 on, but scheduler0 runs d itself until 49, and sends b to aiv0 at 50;
/// aiv2, which scheduler1 serves, is idle.
Story b_beside_own_task() {
  Story story;
  story.config.window = 8;
  story.erase(orchestrator, wait, d);
  story.result.waits = 0;
  story.at(orchestrator, submit, d).t = 38;
  story.at(orchestrator, ready, d).t = 39;
  story.at(orchestrator, ready, d).place = static_cast<uint32_t>(CoreType::ai_cpu);
  story.own_task = d;
  std::erase_if(story.log(aiv2), [](const Event& e) { return e.task == d || e.t == 70; });
  for (const EventKind kind : {dispatch, consume, reclaim}) story.erase(scheduler1, kind, d);
  story.insert(scheduler0, 41, dispatch, d, story.config.chip.worker_of(SchedulerId(0)).value);
  story.insert(scheduler0, 41, ack, d);
  story.at(scheduler0, dispatch, b).t = 50;
  for (const EventKind kind : {consume, reclaim}) story.at(scheduler0, kind, a).t = 59;
  story.insert(scheduler0, 49, fin, d);
  story.insert(scheduler0, 60, consume, d);
  story.insert(scheduler0, 63, reclaim, d);
  for (Event& event : story.log(aiv0)) event.t += event.t >= 45 && event.t < 60 ? 8 : 0;
  return story;
}
Story simulated(Story story) {
  story.result.points = 100;
  story.result.kernels_last = true;
  return story;
}

TEST(IdleCores, ATaskInTheBacklogOfASchedulerThatRunsItsOwnIsUnserved) {
  Story story = b_beside_own_task();
  expect_broken(simulated(story), "VR-I36", "aiv2 is idle, and at 49, when a kernel ends");
  expect_broken(story, "VR-I36", "aiv2 is idle, all the time until 49", 9);
  story.insert(scheduler0, 40, backlog, b);
  EXPECT_THAT(simulated(story).broken(), IsEmpty());
  EXPECT_THAT(story.broken(9), IsEmpty());
}

/// Task c, too, is in the backlog of scheduler0, and comes to aiv2 at 52.
TEST(IdleCores, AllTasksInABacklogAreUnserved) {
  Story story = b_beside_own_task();
  story.insert(scheduler0, 40, backlog, b);
  story.erase(orchestrator, ready, c);
  story.insert(orchestrator, 42, ready, c, vector);
  story.insert(scheduler0, 43, backlog, c);
  story.erase(scheduler1, dispatch, c);
  story.insert(scheduler1, 52, dispatch, c, aiv2 - first_core);
  story.at(scheduler1, consume, c).t = 60;
  for (Event& event : story.log(aiv2)) event.t += event.t >= 24 && event.t <= 30 ? 29 : 0;
  EXPECT_THAT(simulated(story).broken(), Not(tells("VR-I36")));
  story.erase(scheduler0, backlog, c);
  EXPECT_THAT(simulated(story).broken(), tells("aiv2 is idle, and at 49, when a kernel ends"));
}

TEST(IdleCores, ATaskInTheBacklogOfASchedulerThatServesIsServed) {
  Story story = b_beside_own_task();
  story.insert(scheduler0, 40, backlog, b);
  story.insert(scheduler1, 41, backlog, b);  // and no longer in that of the other
  EXPECT_THAT(simulated(story).broken(), Contains(HasSubstr("VR-I36: it is ready, aiv2 is idle")));
}

/// Beside b in the backlog of scheduler0, three parts of c are ready while that runs d itself; the
/// first is pinned to the cluster, the others are to cluster 1, whose scheduler serves.
Story parts_beside_own_task(uint32_t cluster_of_first) {
  Story story = b_beside_own_task();
  story.insert(scheduler0, 40, backlog, b);
  story.block_dims[c.value] = 3;
  story.erase(orchestrator, ready, c);
  story.insert(orchestrator, 42, ready, c, vector);
  story.erase(scheduler1, dispatch, c);
  story.at(scheduler1, consume, c).t = 60;
  std::erase_if(story.log(aiv2), [](const Event& e) { return e.task == c; });
  for (uint32_t part = 0; part < 3; ++part) {
    const uint32_t core = aiv1 + part;
    story.insert(orchestrator, 14, join, c, part == 0 ? cluster_of_first : 1, part);
    story.insert(part == 0 ? scheduler0 : scheduler1, 52, dispatch, c, core - first_core, part);
    story.insert(core, 53, ack, c, 0, part);
    story.insert(core, 54, fin, c, 0, part);
  }
  return story;
}

/// The ticket of a block task for cores of several schedulers may be with any of them.
TEST(IdleCores, PartsWhoseTicketMayBeWithABusySchedulerAreUnserved) {
  const Story of_two = parts_beside_own_task(0);
  const Story of_one = parts_beside_own_task(1);
  EXPECT_THAT(simulated(of_two).broken(), Not(tells("VR-I36")));
  EXPECT_THAT(simulated(of_one).broken(), tells("aiv2 is idle, and at 49, when a kernel"));
  EXPECT_THAT(of_two.broken(9), Not(tells("VR-I36")));
  EXPECT_THAT(of_one.broken(9), tells("aiv2 is idle, all the time until 51"));
}

/// Of the record one more scheduler, with a core that is itself: the number of that core.
uint32_t add_scheduler(Record& record) {
  const auto type = static_cast<uint32_t>(CoreType::ai_cpu);
  record.threads.emplace_back("scheduler2");
  record.roles.push_back(Role::scheduler);
  record.cores.push_back({"cpu2", type, threads, -1, threads});
  return static_cast<uint32_t>(record.cores.size() - 1);
}

/// The same, but a third scheduler runs d, which has none of their clusters.
TEST(IdleCores, ATicketIsWithSchedulersOfItsClustersAlone) {
  Record record = parts_beside_own_task(0).record();
  const uint32_t third = add_scheduler(record);
  for (Event& event : record.events) {
    const bool runs_d = event.kind == dispatch || event.kind == ack || event.kind == fin;
    if (event.task != d || !runs_d) continue;
    event.thread = threads;
    if (event.kind == dispatch) event.place = third;
  }
  EXPECT_THAT(judging::problems_of(record, {.idle_limit = 9}),
              tells("aiv2 is idle, all the time until 51"));
}

/// Two of three schedulers run a task themselves and have another one in their backlog; the third
/// has the idle core aiv3.
TEST(IdleCores, TasksInTheBacklogsOfAllBusySchedulersAreUnserved) {
  Story story = simulated(b_beside_own_task());
  story.insert(scheduler0, 40, backlog, b);
  story.insert(scheduler1, 41, backlog, c);
  Record record = story.record();
  const auto event = [&](EventKind kind, TaskId task) -> Event& {
    return *std::ranges::find_if(record.events,
                                 [&](const Event& e) { return e.kind == kind && e.task == task; });
  };
  // Task a is the one that scheduler1 runs, until 49.
  const uint32_t own = story.config.chip.worker_of(SchedulerId(1)).value;
  record.tasks[0].type = record.cores[own].type;
  event(dispatch, a).place = own;
  event(fin, a).t = 49;
  event(ready, c).t = 40;
  for (const EventKind kind : {dispatch, ack, fin}) event(kind, c).t += 30;
  add_scheduler(record);
  const auto aiv3 = std::ranges::find(record.cores, aiv2 + 1, &CoreRecord::thread);
  aiv3->scheduler = threads;
  EXPECT_THAT(judging::problems_of(record), Not(Contains(HasSubstr("VR-I36"))));
  event(backlog, c).thread = threads;
  EXPECT_THAT(judging::problems_of(record), Contains(HasSubstr("aiv3 is idle, and at 49")));
}

/// The same run with two threads in each other's place of the header.
Record with_threads_exchanged(Record record, uint32_t one, uint32_t other) {
  const auto exchange = [=](uint32_t& thread) {
    if (thread == one || thread == other) thread = one + other - thread;
  };
  std::swap(record.threads[one], record.threads[other]);
  std::swap(record.roles[one], record.roles[other]);
  for (Event& event : record.events) exchange(event.thread);
  for (CoreRecord& core : record.cores) {
    exchange(core.thread);
    exchange(core.scheduler);
  }
  return record;
}

/// Task b is a scheduler's own and ready from 40 on; the run is given up, and c ends at 60.
TEST(IdleCores, SchedulersTakeNothingOnceTheOrchestratorHasLeft) {
  Story story = simulated(given_up());
  story.own_task = b;
  story.at(scheduler0, ready, b).place = static_cast<uint32_t>(CoreType::ai_cpu);
  for (Event& event : story.log(aiv2)) event.t += event.t >= 29 && event.t <= 30 ? 31 : 0;
  for (const uint32_t first : {orchestrator, aic0, threads - 1}) {
    const auto broken = [&] {
      return judging::problems_of(with_threads_exchanged(story.record(), orchestrator, first));
    };
    story.at(orchestrator, exit).t = 61;
    EXPECT_THAT(broken(), Contains(HasSubstr("cpu0 is idle, and at 60, when a kernel ends")));
    story.at(orchestrator, exit).t = 59;
    EXPECT_THAT(broken(), Not(Contains(HasSubstr("VR-I36"))));
  }
}

/// Task b is a scheduler's own and ready from 39 on, which leaves at 95, behind its last core.
TEST(IdleCores, ASchedulerIsIdleUntilTheOrchestratorLeaves) {
  Story story = given_up();
  story.own_task = b;
  story.at(scheduler0, ready, b).place = static_cast<uint32_t>(CoreType::ai_cpu);
  story.at(orchestrator, exit).t = 60;
  EXPECT_THAT(story.broken(20), Not(tells("VR-I36")));
  EXPECT_THAT(story.broken(19), tells("cpu0 is idle, all the time until 59"));
}

}  // namespace
}  // namespace pto2::test

#include "runtime/device/run_audit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/task_word.hpp"
#include "runtime/executors/seeded.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using executors::Seeded;
using testing::ElementsAre;
using testing::IsEmpty;

DeviceConfig two_schedulers() {
  DeviceConfig config = tiny_device();
  config.chip.schedulers = 2;
  config.chip.clusters = 2;
  return config;
}

/// The orchestrator's answer for its own structures.
struct SomeOrchestrator {
  bool whole = true;
  uint64_t open_tickets = 0;
  [[nodiscard]] bool invariant_holds() const { return whole; }
  [[nodiscard]] uint64_t tickets() const { return open_tickets; }
};

/// A state after a run, made verb by verb, so that one verb can be left out or be one too many.
class RunAudit : public testing::Test {
 protected:
  using State = RunState<Seeded, TaskWord>;

  RunAudit() {
    start_up();
    state.startup.orchestrator_done.set();
    state.startup.shutdown.set();
    for (auto& core : state.cores) leave(core);
  }

  void start_up() {
    state.startup.sm_header_ready.set();
    EXPECT_TRUE(state.startup.elect_initialiser());
    state.startup.init_complete.set();
    state.startup.orch_pointers_ready.set();
  }
  static void leave(AiCore<Seeded>& core) {
    core.mailbox().report_ready();
    core.mailbox().send_exit();
    core.mailbox().acknowledge_exit();
  }
  /// Submits a task of ring `ring`, all but the release, that waits for these.
  TaskId submit(const std::vector<TaskId>& producers = {}, RingId ring = 0) {
    uint64_t retries = 0;
    const Demand demand{ring, packed_output_alignment, producers, {}};
    return state.admission.admit(demand, retries, [](uint32_t, Claim) {}).id;
  }
  /// Completes the task and ends its scope, all but the advance.
  void consume(TaskId id) {
    (void)state.life.release_hold(state.life.slot_of(id), 0);
    (void)state.life.slot(state.life.slot_id(id)).fan_out.close();
    EXPECT_TRUE(state.life.drop_scope(state.life.slot_of(id)));
    state.finished[0].add(1);
  }
  std::vector<std::string> damaged(uint64_t submitted, ErrorCode error = ErrorCode::ok) {
    return damaged_structures(state, orchestrator, submitted, error);
  }

  State state{two_schedulers()};
  SomeOrchestrator orchestrator;
};

TEST_F(RunAudit, ARunWithoutTasksIsWholeAndLeavesNothing) {
  EXPECT_THAT(damaged(0), IsEmpty());
  EXPECT_THAT(leftovers(state, 0), IsEmpty());
}

TEST_F(RunAudit, AFinishedRunIsWholeAndLeavesNothing) {
  const TaskId id = submit();
  consume(id);
  EXPECT_EQ(state.life.advance(id, [](TaskId) {}), Advance::advanced);
  EXPECT_THAT(damaged(1), IsEmpty());
  EXPECT_THAT(leftovers(state, 1), IsEmpty());
}

TEST_F(RunAudit, ARunThatWasGivenUpIsWholeButLeavesTasks) {
  const TaskId id = submit();
  (void)submit({id});
  State& run = state;
  (void)run.life.release_hold(run.life.slot_of(id), 0);
  EXPECT_TRUE(run.ready[1].push(0, run.life.slot_id(id)));
  run.fatal.latch(static_cast<int32_t>(ErrorCode::bad_submission), {2});
  EXPECT_THAT(damaged(2, ErrorCode::bad_submission), IsEmpty());
  EXPECT_THAT(leftovers(run, 2),
              ElementsAre("task 0 of ring 0 is not reclaimed",
                          "a vector task is left in a ready queue", "tasks have not finished"));
}

TEST_F(RunAudit, NamesARingWhoseBooksDisagree) {
  (void)submit({}, 2);
  EXPECT_THAT(damaged(1), IsEmpty());
  state.rings[2]->heap_ends[0] = 0;
  EXPECT_THAT(damaged(1), ElementsAre("ring 2"));
}

TEST_F(RunAudit, NamesARingWhosePoolDisagrees) {
  (void)submit({}, 2);
  state.rings[2]->pool_marks[0] = 99;
  EXPECT_THAT(damaged(1), ElementsAre("ring 2"));
}

TEST_F(RunAudit, NamesARingWithATaskThatCompletedBeforeItsProducers) {
  const TaskId id = submit({submit()});
  EXPECT_THAT(damaged(2), IsEmpty());
  (void)state.life.slot(state.life.slot_id(id)).fan_out.close();
  EXPECT_THAT(damaged(2), ElementsAre("ring 0"));
}

TEST_F(RunAudit, NamesALostAdvance) {
  consume(submit());
  EXPECT_THAT(damaged(1), ElementsAre("life cycle"));
}

TEST_F(RunAudit, NamesTheStallDetectorThatCountedTooMany) {
  state.finished[1].add(1);
  EXPECT_THAT(damaged(0), ElementsAre("stall detector"));
  orchestrator.open_tickets = 1;
  EXPECT_THAT(damaged(0), IsEmpty()) << "a ticket finishes beside its task";
}

TEST_F(RunAudit, NamesTheOrchestratorsMap) {
  orchestrator.whole = false;
  EXPECT_THAT(damaged(0), ElementsAre("TensorMap"));
}

TEST_F(RunAudit, NamesTheCountOfSubmissions) {
  EXPECT_THAT(damaged(1), ElementsAre("count of submissions"));
}

TEST_F(RunAudit, NamesSchedulersThatSleepForEver) {
  state.parked[0].announce(1);
  state.parked[1].announce(0);
  EXPECT_THAT(damaged(0), ElementsAre("parked schedulers for cube tasks",
                                      "parked schedulers for vector tasks"));
}

TEST_F(RunAudit, NamesACoreThatHasNotExited) {
  auto& core = state.cores[3];
  core.mailbox().report_ready();
  EXPECT_THAT(damaged(0), ElementsAre("mailbox of aiv1"));
}

TEST_F(RunAudit, NamesAFatalConditionAfterWhichATaskWasSubmitted) {
  state.fatal.latch(static_cast<int32_t>(ErrorCode::heap_ring_deadlock), {1});
  EXPECT_THAT(damaged(0, ErrorCode::heap_ring_deadlock), ElementsAre("fatal latch"));
}

TEST_F(RunAudit, NamesAFatalConditionThatIsNotTheError) {
  EXPECT_THAT(damaged(0, ErrorCode::bad_submission), ElementsAre("fatal latch"));
  state.fatal.latch(static_cast<int32_t>(ErrorCode::heap_ring_deadlock), {});
  EXPECT_THAT(damaged(0, ErrorCode::heap_ring_deadlock), IsEmpty());
  EXPECT_THAT(damaged(0), ElementsAre("fatal latch"));
}

TEST(RunAuditOfErrors, TellsWhatWasFoundAndKeepsWhatCameFirst) {
  RunError none;
  add_findings(none, {}, {});
  EXPECT_EQ(none.code, ErrorCode::ok);
  RunError error;
  add_findings(error, {"a task"}, {"ring 0"});
  EXPECT_EQ(error.code, ErrorCode::not_drained);
  EXPECT_EQ(error.message, "after a clean run: a task; damaged: ring 0");
  EXPECT_EQ(error.hint, "this is a bug of the runtime: report it with the command line");
  error = {ErrorCode::wrong_thread, "a call", "call it elsewhere"};
  add_findings(error, {"a task"}, {});
  EXPECT_EQ(error.code, ErrorCode::wrong_thread);
  EXPECT_EQ(error.message, "a call; besides, a task");
  EXPECT_EQ(error.hint,
            "call it elsewhere; that is a bug of the runtime: report it with the command line");
}

TEST(RunAuditOfFlags, NamesAShutdownThatWasNotSet) {
  DeviceConfig config = two_schedulers();
  RunState<Seeded, TaskWord> state(config);
  const std::vector<std::string> damaged =
      damaged_structures(state, SomeOrchestrator{}, 0, ErrorCode::ok);
  EXPECT_THAT(damaged, testing::Contains("start-up flags"));
  EXPECT_THAT(damaged, testing::Contains("mailbox of aic0"));
}

}  // namespace
}  // namespace pto2::test

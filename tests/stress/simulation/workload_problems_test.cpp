#include "stress/simulation/workload_problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pto2::simulations {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A run of three tasks that ended well.
class WorkloadProblems : public testing::Test {
 protected:
  WorkloadProblems() {
    result_.tasks = 3;
    run_.tasks = 3;
    run_.expected = "ok";
  }
  [[nodiscard]] std::vector<std::string> problems() const { return problems_of(result_, run_); }
  void have_values(bool right) {
    run_.verify = [right] {
      workloads::Verification verified;
      verified.pass = right;
      verified.detail = "wrong values";
      return verified;
    };
  }

  RunResult result_;
  WorkloadRun run_;
};

TEST_F(WorkloadProblems, AreNoneOfARightRun) {
  EXPECT_THAT(problems(), IsEmpty());
  have_values(true);
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(WorkloadProblems, AreValuesThatDiffer) {
  have_values(false);
  EXPECT_THAT(problems(), ElementsAre("wrong values"));
}

TEST_F(WorkloadProblems, AreTooFewTasksAndTooMany) {
  for (const uint64_t tasks : {2U, 4U}) {
    result_.tasks = tasks;
    EXPECT_THAT(problems(), ElementsAre(std::to_string(tasks) + " tasks, expected 3"));
  }
}

TEST_F(WorkloadProblems, AreWhatOthersFound) {
  run_.edges = {"edges"};
  run_.rules = {"rules"};
  run_.stubs = {"stubs"};
  EXPECT_THAT(problems(), ElementsAre("edges", "rules", "stubs"));
  result_.error.code = ErrorCode::heap_ring_deadlock;
  run_.expected = "heap_ring_deadlock";
  EXPECT_THAT(problems(), ElementsAre("edges", "rules", "stubs"));
}

TEST_F(WorkloadProblems, AreDeadlocksAtAnotherPlace) {
  result_.error = {ErrorCode::heap_ring_deadlock, "no room of ring 1\n", "more"};
  run_.expected = "heap_ring_deadlock";
  run_.told = " of ring 1\n";
  EXPECT_THAT(problems(), IsEmpty());
  result_.tasks = 2;
  EXPECT_THAT(problems(), ElementsAre("2 tasks, expected 3"));
  run_.told = " of ring 2\n";
  EXPECT_THAT(problems(), ElementsAre("expected ' of ring 2\n', got: no room of ring 1\n",
                                      "2 tasks, expected 3"));
}

TEST_F(WorkloadProblems, AreOtherEndsThanTheOneThatMustCome) {
  result_.error = {ErrorCode::heap_ring_deadlock, "no room", "more"};
  EXPECT_THAT(problems(), ElementsAre("expected ok, got heap_ring_deadlock: no room more"));
  run_.expected = "heap_ring_deadlock";
  result_.tasks = 1;
  have_values(false);
  run_.tasks.reset();
  EXPECT_THAT(problems(), IsEmpty()) << "who ends early has not done all of it";
  run_.tasks = 3;
  result_.error = {};
  EXPECT_THAT(
      problems(),
      ElementsAre("expected heap_ring_deadlock, got ok:  ", "1 tasks, expected 3", "wrong values"));
}

}  // namespace
}  // namespace pto2::simulations

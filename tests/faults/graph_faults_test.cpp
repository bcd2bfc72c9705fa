/// Memory fails while a graph is recorded, replayed or left: the launch that lacks it ends well or
/// says so, and the next ones with the same graph are right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <optional>

#include "runtime/executors/kept_memory.hpp"
#include "runtime/orchestrator/recorded_graph.hpp"
#include "tests/faults/machine_faults.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using Kind = GraphUse::Kind;

/// Under ASan a run takes twenty times as long: there not each allocation fails.
#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t stride = 23;
#else
constexpr uint64_t stride = 1;
#endif

/// Who calls while it is recorded does not hear that there is no memory for the tape.
TEST(GraphInWant, EndsTheTapeAlone) {
  CallTape tape;
  {
    const FailingMachine machine({Operation::allocation, 1, true});
    for (int i = 0; i < 100; ++i) tape.note(CallKind::scope_begin);
  }
  ASSERT_NE(tape.given_up(), nullptr);
  EXPECT_STREQ(tape.given_up(), "lack of memory");
}

/// The launch whose memory fails: the first, second or third of a graph.
enum class Launched { recorded, replayed, left };

class GraphsInWant : public testing::TestWithParam<std::tuple<Launched, bool>> {
 protected:
  /// A launch of the same tasks as ever or, if it `differs`, of one more.
  RunResult run(RecordedGraph& graph, bool differs) {
    static constexpr KernelEntry kernels[] = {hash_kernel};
    Launch what{kernels,
                [&](PTO2Runtime* rt) {
                  TaskGraph& tasks = built_.emplace(rt);
                  Value last = tasks.task({}, 4);
                  for (int i = 0; i < 3; ++i) {
                    if (differs && i == 2) (void)tasks.task({last}, 3);
                    PTO2_SCOPE(rt) {
                      Value inner = tasks.task({last}, 2);
                      tasks.update(inner, {last});
                    }
                    last = tasks.task({last}, 4);
                  }
                },
                {}};
    what.graph = &graph;
    return launch(small_device(), executors::SeededOptions{.seed = 3}, what);
  }

  void expect_right(RecordedGraph& graph, bool differs) {
    const RunResult result = run(graph, differs);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_THAT(result.damaged, testing::IsEmpty());
    built_->verify();
  }

  std::optional<TaskGraph> built_;
};

INSTANTIATE_TEST_SUITE_P(Each, GraphsInWant,
                         testing::Combine(testing::Values(Launched::recorded, Launched::replayed,
                                                          Launched::left),
                                          testing::Bool()));

TEST_P(GraphsInWant, LeaveTheGraphAsItWasOrAnotherOne) {
  const auto [launched, rest] = GetParam();
  uint64_t refused = 0;  // counted without memory
  uint64_t thrown = 0;
  uint64_t point = 1;
  for (bool is_met = true; is_met && !HasFailure(); point += stride) {
    SCOPED_TRACE(point);
    RecordedGraph graph;
    for (int before = 0; before < static_cast<int>(launched); ++before) expect_right(graph, false);
    KeptMemory::of_process().release();
    {
      const FailingMachine machine({Operation::allocation, point, rest});
      try {
        const RunResult result = run(graph, launched == Launched::left);
        const bool threw = result.error.code == ErrorCode::orchestration_threw;  // its own memory
        EXPECT_TRUE(threw || result.error.code == ErrorCode::ok) << result.error.message;
        refused += result.graph.kind == Kind::refused ? 1 : 0;
      } catch (const std::bad_alloc&) {
        ++thrown;
      }
      is_met = machine.counted() >= point;
    }
    for (const bool differs : {false, false, true, false}) expect_right(graph, differs);
  }
  EXPECT_GT(point, 100U);
  EXPECT_GT(thrown, 0U);
  // Who records can do without a graph, also if there is no memory for anything any more.
  if (launched == Launched::recorded) {
    EXPECT_GT(refused, 0U);
  }
}

}  // namespace
}  // namespace pto2::test

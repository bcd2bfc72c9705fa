#include "tests/support/graph_shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/graph_generator.hpp"
#include "tests/support/graph_interpreter.hpp"

namespace pto2::graphs {
namespace {

TEST(Shrink, LeavesWhatIsNeeded) {
  const auto reads_three = [](const Program& program) {
    const Interpreter after = interpret(program);
    return std::any_of(after.tasks().begin(), after.tasks().end(),
                       [](const PredictedTask& task) { return task.producers.count() >= 3; });
  };
  uint64_t shrunk = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Program program = generate(seed);
    if (interpret(program).refusal() || !reads_three(program)) continue;
    const Interpreter after = interpret(shrink(program, reads_three));
    EXPECT_FALSE(after.hazard());
    EXPECT_LE(after.tasks().size(), 5U) << "three writers, a reader, and an owner at most";
    ++shrunk;
  }
  EXPECT_GT(shrunk, 5U);
}

TEST(Shrink, TakesGroupsAndPartsAway) {
  const std::vector<Step> steps{
      Allocate{}, Allocate{},         Allocate{},
      Free{1},    Submit{.group = 0}, Submit{.block_dim = 5, .part_groups = {0, 2, 2, 0, 2}}};
  const Program kept = shrink({{}, steps}, [](const Program& candidate) {
    return std::any_of(candidate.steps.begin(), candidate.steps.end(), [](const Step& step) {
      const auto* task = std::get_if<Submit>(&step);
      return task != nullptr && task->part_groups.size() >= 2;
    });
  });
  ASSERT_EQ(kept.steps.size(), 2U) << "one group and one task: " << to_string(kept);
  EXPECT_EQ(std::get<Submit>(kept.steps[1]).part_groups, (std::vector<uint32_t>{0, 0}));
}

TEST(Shrink, KeepsWhatCannotGo) {
  const Program program{{}, {ScopeBegin{}, Submit{}, ScopeEnd{}, Submit{}}};
  const Program kept = shrink(
      program, [](const Program& candidate) { return interpret(candidate).tasks().size() == 2; });
  EXPECT_EQ(kept.steps.size(), 2U) << "the scope goes, the tasks stay";
}

}  // namespace
}  // namespace pto2::graphs

#include "stress/graphs/shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "stress/graphs/generator.hpp"
#include "stress/graphs/interpreter.hpp"

namespace pto2::graphs::shrink_test {
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

/// Whoever names it, first or last.
TEST(Shrink, KeepsAGroupThatSomebodyNames) {
  const std::vector<Step> steps{Allocate{}, Submit{.length = 1, .group = 0}, Allocate{},
                                Submit{.length = 2, .group = 1}};
  const Program kept = shrink({{}, steps}, [](const Program& candidate) {
    return std::ranges::count_if(candidate.steps, [](const Step& step) {
             const auto* task = std::get_if<Submit>(&step);
             return task != nullptr && task->group.has_value();
           }) == 2;
  });
  EXPECT_EQ(kept.steps.size(), 4U) << to_string(kept);
}

TEST(Shrink, TakesPipesAndTheirStepsAway) {
  using enum PipeStep;
  const std::vector<Step> steps{
      Allocate{}, Submit{.group = 0, .pipes = {{.tag = 1, .steps = {push, push, pop, release}}}},
      Submit{.group = 0, .pipes = {{.tag = 2}, {.tag = 1, .steps = {push, pop, pop}}}}};
  const Program kept = shrink({{}, steps}, [](const Program& candidate) {
    const Interpreter after = interpret(candidate);
    const auto pipe = after.pipes().find({0, 1});
    return pipe != after.pipes().end() && pipe->second.held != 0;
  });
  ASSERT_EQ(kept.steps.size(), 3U) << to_string(kept);
  for (const auto& [at, step] : {std::pair{1, push}, std::pair{2, pop}}) {
    const auto& task = std::get<Submit>(kept.steps[static_cast<std::size_t>(at)]);
    ASSERT_EQ(task.pipes.size(), 1U);
    EXPECT_EQ(task.pipes[0].steps, std::vector{step});
  }
}

/// Whatever is wrong with a program that is refused need not be wrong with one that is not.
TEST(Shrink, KeepsTheRefusalAndTheFault) {
  const auto anything = [](const Program&) { return true; };
  const std::vector<Step> refused{Submit{}, Allocate{}, Free{0}, Submit{.group = 0}};
  EXPECT_TRUE(interpret(shrink({{}, refused}, anything)).refusal());
  const std::vector<Step> faulty{
      Submit{}, Allocate{}, Submit{.group = 0, .pipes = {{.tag = 1, .steps = {PipeStep::pop}}}}};
  EXPECT_TRUE(interpret(shrink({{}, faulty}, anything)).fault());
}

TEST(Shrink, KeepsWhatCannotGo) {
  const Program program{{}, {ScopeBegin{}, Submit{}, ScopeEnd{}, Submit{}}};
  const Program kept = shrink(
      program, [](const Program& candidate) { return interpret(candidate).tasks().size() == 2; });
  EXPECT_EQ(kept.steps.size(), 2U) << "the scope goes, the tasks stay";
}

/// Of two tasks the later one is needed until the earlier one has gone.
TEST(Shrink, TriesAgainWhatCouldNotGoBefore) {
  const auto has = [](const Program& program, uint32_t length) {
    return std::any_of(program.steps.begin(), program.steps.end(), [&](const Step& step) {
      const auto* task = std::get_if<Submit>(&step);
      return task != nullptr && task->length == length;
    });
  };
  const Program kept =
      shrink({{}, {Submit{.length = 1}, Submit{.length = 2}}},
             [&](const Program& candidate) { return has(candidate, 2) || !has(candidate, 1); });
  EXPECT_TRUE(kept.steps.empty()) << to_string(kept);
}

/// Of three tasks the last can go once the second has lost something, and nothing of the first can:
/// what a pass has found last is not all that it has found.
TEST(Shrink, TriesAgainAfterAnyChange) {
  const auto with = [](const Program& program, uint32_t length) {
    const Submit* found = nullptr;
    for (const Step& step : program.steps) {
      const auto* task = std::get_if<Submit>(&step);
      if (task != nullptr && task->length == length) found = task;
    }
    return found;
  };
  const Submit changes[] = {
      {.length = 2},
      {.length = 2, .params = {{0, Use::input}}},
      {.length = 2, .group = 0, .pipes = {{.tag = 1}}},
      {.length = 2, .group = 0, .pipes = {{.tag = 1, .steps = {PipeStep::push}}}},
      {.length = 2, .group = 0},
      {.length = 2, .block_dim = 3}};
  const auto text_of = [](const Submit& task) { return to_string({{}, {task}}); };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    const auto wanted = [&](const Program& candidate) {
      const Submit* second = with(candidate, 2);
      if (with(candidate, 1) == nullptr || (i != 0 && second == nullptr)) return false;
      if (i == 3 && second->pipes.empty()) return false;
      const bool is_full = second != nullptr && text_of(*second) == text_of(changes[i]);
      return !is_full || with(candidate, 3) != nullptr;
    };
    const Program kept = shrink({{4},
                                 {Submit{.length = 1}, External{0, DataType::UINT8, {4}},
                                  Allocate{}, changes[i], Submit{.length = 3}}},
                                wanted);
    EXPECT_EQ(with(kept, 3), nullptr) << i << ": " << to_string(kept);
  }
}

}  // namespace
}  // namespace pto2::graphs::shrink_test

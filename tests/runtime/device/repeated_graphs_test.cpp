/// Random graphs that run several times, recorded first and replayed then: each run must do what is
/// predicted of it (stress/graphs/trial.hpp), and keep every rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "stress/graphs/trial.hpp"
#include "tests/support/executors_under_test.hpp"

namespace pto2::graphs {
namespace {

using Uses = std::vector<GraphUse>;
using Change = Trial::Change;

class RepeatedGraphs : public testing::TestWithParam<ExecutorKind> {
 protected:
  /// Three runs of graph `number` that must go well; how they used it.
  [[nodiscard]] static Uses repeat(const Trial& trial, uint64_t number, Change change) {
    std::vector<std::string> problems;
    Uses uses;
    const uint64_t seeds[] = {number, number + 1, number + 2};
    trial.repeat(GetParam(), seeds, change, problems, uses);
    EXPECT_THAT(problems, testing::IsEmpty())
        << "graph " << number << ", after " << uses.size() << " runs:\n"
        << to_string(trial.program());
    return uses;
  }

  /// Most is found on the seeded one, and OS threads take their time.
  static uint64_t graphs() { return GetParam() == ExecutorKind::seeded ? 200 : 40; }

  /// How often the last of three runs was of each kind, of those whose first was recorded.
  static std::map<GraphUse::Kind, uint64_t> repeat_all(Change change) {
    std::map<GraphUse::Kind, uint64_t> counts;
    for (uint64_t number = 0; number < graphs() && !HasFailure(); ++number) {
      Trial trial(number);
      trial.use(test::fan_out_under_test);
      // Recorded edges need no entries and fewer nodes, so that the want of them may not be met.
      const bool is_heap_enough =
          trial.expected() == Ending::no_entries || trial.expected() == Ending::no_nodes;
      if (change == Change::supplies && is_heap_enough) continue;
      const Uses uses = repeat(trial, number, change);
      if (uses.front().kind != GraphUse::Kind::recorded) continue;
      EXPECT_EQ(uses[1].kind, GraphUse::Kind::replayed);
      EXPECT_EQ(uses[1].tasks, uses[0].tasks);
      ++counts[uses.back().kind];
    }
    return counts;
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, RepeatedGraphs, testing::ValuesIn(test::everywhere()),
                         [](const auto& test) { return test::executor_name(test.param); });

TEST_P(RepeatedGraphs, AreReplayed) {
  const auto counts = repeat_all(Change::nothing);
  EXPECT_THAT(counts, testing::ElementsAre(
                          testing::Pair(GraphUse::Kind::replayed, testing::Gt(graphs() / 2))));
}

TEST_P(RepeatedGraphs, AreLeftWhereACallDiffers) {
  auto counts = repeat_all(Change::memory);
  EXPECT_GT(counts[GraphUse::Kind::left], graphs() / 4);
  EXPECT_GT(counts[GraphUse::Kind::replayed], graphs() / 20);  // those without memory of the caller
}

/// What ends in a deadlock is told as if it had never been recorded, sizes that work included.
TEST_P(RepeatedGraphs, AreLeftWhereTheyDeadlock) {
  auto counts = repeat_all(Change::supplies);
  EXPECT_GT(counts[GraphUse::Kind::left], graphs() / 20);
  EXPECT_GT(counts[GraphUse::Kind::replayed], graphs() / 4);
}

}  // namespace
}  // namespace pto2::graphs

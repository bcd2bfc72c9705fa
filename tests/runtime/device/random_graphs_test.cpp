/// Random graphs on random devices, everywhere: each must do what the interpreter and the counting
/// oracle predict (stress/graphs/trial.hpp), and the clustered ones must meet what they are
/// there for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stress/graphs/trial.hpp"
#include "tests/support/executors_under_test.hpp"

namespace pto2::graphs {
namespace {

#ifdef __SANITIZE_THREAD__
constexpr uint64_t graphs_run = 40;
#else
constexpr uint64_t graphs_run = 200;
#endif
/// Of fewer graphs, none need end in a rare way or have a rare case.
constexpr bool is_census = graphs_run >= 200;

/// `threw` is one in several hundred.
bool must_come(Ending ending, Graphs graphs) {
  return is_of_sound_chips(ending) && ending != Ending::threw &&
         (graphs == Graphs::clustered || is_for_plain(ending));
}

class RandomGraphs : public testing::TestWithParam<ExecutorKind> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, RandomGraphs, testing::ValuesIn(test::everywhere()),
                         [](const auto& test) { return test::executor_name(test.param); });

TEST_P(RandomGraphs, DoWhatIsPredicted) {
  std::array<uint64_t, endings> counts{};
  for (uint64_t number = 0; number < graphs_run; ++number) {
    Trial trial(number);
    trial.use(test::fan_out_under_test);
    std::vector<std::string> problems;
    ++counts[static_cast<std::size_t>(trial.run(GetParam(), number, problems))];
    ASSERT_THAT(problems, testing::IsEmpty()) << "graph " << number << ":\n"
                                              << to_string(trial.program());
  }
  for (std::size_t i = 0; is_census && i < endings; ++i) {
    const auto ending = static_cast<Ending>(i);
    if (!must_come(ending, Graphs::plain)) continue;
    EXPECT_NE(counts[i], 0U) << "no graph was " << name_of(ending);
  }
}

TEST_P(RandomGraphs, ClusteredOnesDoWhatIsPredicted) {
  std::array<uint64_t, endings> counts{};
  Census census;
  for (uint64_t number = 0; number < graphs_run; ++number) {
    Trial trial(number, Mistakes::sometimes, Graphs::clustered);
    trial.use(test::fan_out_under_test);
    std::vector<std::string> problems;
    ++counts[static_cast<std::size_t>(trial.run(GetParam(), number, problems, &census))];
    ASSERT_THAT(problems, testing::IsEmpty()) << "graph " << number << ":\n"
                                              << to_string(trial.program());
  }
  for (std::size_t i = 0; is_census && i < endings; ++i) {
    const auto ending = static_cast<Ending>(i);
    if (!must_come(ending, Graphs::clustered)) continue;
    EXPECT_NE(counts[i], 0U) << "no graph was " << name_of(ending);
  }
  // Whether a group's tasks are still on their way is up to the machine, unless it is seeded.
  const bool is_simulated = GetParam() == ExecutorKind::seeded;
  for (std::size_t i = 0; is_census && i < cases; ++i) {
    const auto which = static_cast<Case>(i);
    const bool is_up_to_time = which == Case::cluster_waits || which == Case::closed_early;
    if (is_up_to_time && !is_simulated) continue;
    EXPECT_GE(census.of(which), 8U) << name_of(which) << "\n" << census.text();
  }
}

}  // namespace
}  // namespace pto2::graphs

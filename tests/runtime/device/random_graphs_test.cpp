/// Random graphs on random devices, everywhere: each must do what the interpreter and the counting
/// oracle predict (tests/support/graph_trial.hpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/graph_trial.hpp"

namespace pto2::graphs {
namespace {

class RandomGraphs : public testing::TestWithParam<test::Where> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, RandomGraphs, testing::ValuesIn(test::everywhere()),
                         [](const auto& test) { return test::where_name(test.param); });

TEST_P(RandomGraphs, DoWhatIsPredicted) {
  std::array<uint64_t, outcomes> counts{};
  for (uint64_t number = 0; number < 200; ++number) {
    const Trial trial(number);
    std::vector<std::string> problems;
    ++counts[static_cast<std::size_t>(trial.run(GetParam(), number, problems))];
    ASSERT_THAT(problems, testing::IsEmpty()) << "graph " << number << ":\n"
                                              << to_string(trial.program());
  }
  for (std::size_t i = 0; i + 1 < outcomes; ++i) {
    EXPECT_NE(counts[i], 0U) << "no graph was " << name_of(static_cast<Outcome>(i));
  }
}

}  // namespace
}  // namespace pto2::graphs

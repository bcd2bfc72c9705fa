// The devices that trials draw, and what they predict on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "stress/graphs/trial.hpp"

namespace pto2::graphs::drawn_trial_test {
namespace {

/// Two groups, one after the other: where both find a cluster of their own, and where not.
TEST(DrawnTrial, PredictsWhatAKeptGroupKeeps) {
  const Program two{
      {}, {Allocate{}, Submit{.group = 0}, Free{0}, Allocate{}, Submit{.group = 1}, Free{1}}};
  bool fits = false;
  bool lacks = false;
  for (uint64_t number = 0; number < 100; ++number) {
    Trial trial(number, two);
    if (trial.expected() != Ending::passed) continue;
    ASSERT_EQ(trial.frees(), 2u);
    const uint64_t which = number % 2;
    trial.keep_group(which);
    ASSERT_EQ(trial.frees(), 1u);
    const Step& left = trial.program().steps[which == 0 ? 4 : 2];
    EXPECT_EQ(std::get<Free>(left).group, 1 - which);
    EXPECT_THAT(trial.predicted().open_groups(), testing::ElementsAre(which));
    const bool one = trial.config().chip.clusters == 1 && which == 0;
    EXPECT_EQ(trial.expected(), one ? Ending::no_clusters : Ending::passed) << number;
    std::vector<std::string> problems;
    EXPECT_EQ(trial.run(ExecutorKind::seeded, number, problems), trial.expected());
    (one ? lacks : fits) = true;
  }
  EXPECT_TRUE(fits && lacks);
}

TEST(DrawnTrial, ARefusedProgramKeepsItsGroups) {
  const Program twice{{}, {Allocate{}, Free{0}, Free{0}}};
  EXPECT_EQ(Trial(0, twice).frees(), 0U);
}

/// Whether nodes are taken as early as possible or as late: where that decides, there are enough.
TEST(DrawnTrial, NoDeadlockDependsOnTheSchedule) {
  for (uint64_t number = 0; number < 300; ++number) {
    const Trial trial(number);
    const DeviceConfig& config = trial.config();
    const Demand demand = demand_of(trial.program(), trial.predicted(), config.rings);
    const oracle::Configuration sizes{config.window,   config.heap_bytes,
                                      config.dep_pool, config.tensormap_pool,
                                      config.rings,    config.chip.clusters};
    const auto deadlock = oracle::first_deadlock(demand.program, sizes);
    EXPECT_EQ(oracle::first_deadlock(demand.slow_program, sizes), deadlock) << number;
    const auto& refusal = trial.predicted().refusal();
    const Ending ending = deadlock   ? static_cast<Ending>(1 + static_cast<int>(deadlock->resource))
                          : !refusal ? Ending::passed
                          : refusal->code == ErrorCode::bad_submission ? Ending::refused
                                                                       : Ending::threw;
    EXPECT_EQ(trial.expected(), ending) << number;
  }
}

/// Many trials end well, and each other end that is possible comes as well.
TEST(DrawnTrial, DevicesLackEverythingNowAndThen) {
  for (const Graphs graphs : {Graphs::plain, Graphs::clustered}) {
    std::map<Ending, uint64_t> found;
    for (uint64_t number = 0; number < 400; ++number) {
      ++found[Trial(number, Mistakes::sometimes, graphs).expected()];
    }
    EXPECT_GT(found[Ending::passed], 160U);
    for (std::size_t i = 0; i < endings; ++i) {
      const auto ending = static_cast<Ending>(i);
      const bool is_possible =
          is_of_sound_chips(ending) && (graphs == Graphs::clustered || is_for_plain(ending));
      EXPECT_EQ(found[ending] != 0, is_possible) << name_of(ending) << " " << found[ending];
    }
  }
}

TEST(DrawnTrial, AcceleratorsAreThereWhereTasksNeedThem) {
  uint64_t idle = 0;
  uint64_t without = 0;
  for (uint64_t number = 0; number < 120; ++number) {
    const Trial trial(number, Mistakes::sometimes, Graphs::clustered);
    const bool needed = std::ranges::any_of(trial.program().steps, [](const Step& step) {
      const auto* task = std::get_if<Submit>(&step);
      return task != nullptr && task->core == CoreType::accelerator;
    });
    const uint32_t accelerators = trial.config().chip.accelerators;
    EXPECT_TRUE(!needed || accelerators >= 1) << number;
    idle += !needed && accelerators == 1 ? 1 : 0;
    without += accelerators == 0 ? 1 : 0;
    if (number >= 40) continue;
    EXPECT_EQ(Trial(number).config().chip.accelerators, 0U) << number;
  }
  EXPECT_GE(idle, 2U);
  EXPECT_GE(without, 40U);
}

}  // namespace
}  // namespace pto2::graphs::drawn_trial_test

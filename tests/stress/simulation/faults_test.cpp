#include "stress/simulation/faults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

namespace pto2::simulations {
namespace {

using executors::ChipFaultKind;
using testing::HasSubstr;

const Chip chip{"test", 2, 1, 2, 2};

TEST(Faults, AListIsReadAndWritten) {
  for (const char* list : {"slow_core", "lost_before_ack,kept_group", "all"}) {
    EXPECT_EQ(to_string(parse_faults(list)), list);
  }
  EXPECT_EQ(to_string(parse_faults("kept_group,slow_core")), "slow_core,kept_group");
  EXPECT_EQ(to_string({}), "");
  EXPECT_TRUE(has(parse_faults("kept_group"), Fault::kept_group));
  EXPECT_FALSE(has(all_faults(), Fault::none));
  EXPECT_EQ(all_faults().count(), fault_kinds - 1);
}

TEST(Faults, AnotherListIsRefused) {
  for (const char* list : {"", "none", "odd", "slow_core,", ",slow_core", "slow_core,all"}) {
    try {
      static_cast<void>(parse_faults(list));
      ADD_FAILURE() << list;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("there are slow_core, lost_before_ack, "));
    }
  }
  EXPECT_THROW(static_cast<void>(parse_faults("slow_core,slow_core")), std::invalid_argument);
}

TEST(Faults, AListThatIsRefusedIsToldWhy) {
  const std::pair<const char*, const char*> refusals[] = {
      {"", "the list is empty; there are "},
      {"odd", "no fault is called 'odd'; there are "},
      {"all,slow_core", "'all' stands alone, and is every one of them; there are "},
      {"slow_core,all", "'all' stands alone, and is every one of them; there are "}};
  for (const auto& [list, why] : refusals) {
    try {
      static_cast<void>(parse_faults(list));
      ADD_FAILURE() << list;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(why));
      EXPECT_THAT(error.what(), testing::EndsWith("slow_scheduler, kept_group, or 'all' alone"));
    }
  }
}

/// How often each is drawn of `set` in 8000 seeds.
std::map<Fault, uint64_t> drawn_of(const FaultSet& set, const FaultScene& scene) {
  std::map<Fault, uint64_t> drawn;
  for (uint64_t seed = 0; seed < 8000; ++seed) ++drawn[draw_fault(seed, set, scene).fault];
  return drawn;
}

TEST(Faults, EachIsDrawnAsOftenAsNone) {
  const auto drawn = drawn_of(all_faults(), {.chip = chip, .tasks = 10, .frees = 3});
  EXPECT_EQ(drawn.size(), fault_kinds);
  for (const auto& [fault, count] : drawn) {
    EXPECT_GT(count, 900u) << name_of(fault);
    EXPECT_LT(count, 1100u) << name_of(fault);
  }
  EXPECT_EQ(drawn_of({}, {.chip = chip}).at(Fault::none), 8000u);
  EXPECT_EQ(drawn_of(parse_faults("answers_twice"), {.chip = chip}).size(), 2u);
}

TEST(Faults, WhatTheSceneDoesNotAllowIsNotDrawn) {
  const auto no_frees = drawn_of(all_faults(), {.chip = chip, .tasks = 10});
  EXPECT_EQ(no_frees.size(), fault_kinds - 1);
  EXPECT_FALSE(no_frees.contains(Fault::kept_group));
  const auto no_losses =
      drawn_of(all_faults(), {.chip = chip, .frees = 1, .may_lose_cores = false});
  EXPECT_EQ(no_losses.size(), fault_kinds - 3);
  EXPECT_FALSE(no_losses.contains(Fault::lost_before_ack));
  EXPECT_FALSE(no_losses.contains(Fault::lost_after_ack));
  EXPECT_FALSE(no_losses.contains(Fault::lost_before_fin));
}

/// Of six cores with 12 tasks each has two, and may be given one more.
TEST(Faults, AnyCoreFailsAtAnyOfItsTasks) {
  std::set<std::string> threads;
  std::set<uint64_t> tasks;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const DrawnFault drawn =
        draw_fault(seed, parse_faults("lost_after_ack"), {.chip = chip, .tasks = 12});
    if (drawn.fault == Fault::none) continue;
    EXPECT_EQ(drawn.chip.kind, ChipFaultKind::lost_after_ack);
    threads.insert(drawn.chip.thread);
    tasks.insert(drawn.chip.task);
  }
  EXPECT_THAT(threads, testing::ElementsAre("aic0", "aic1", "aiv0", "aiv1", "aiv2", "aiv3"));
  EXPECT_THAT(tasks, testing::ElementsAre(1, 2, 3));
}

/// Of two schedulers with ten tasks each has five, and may be given one more.
TEST(Faults, ASchedulerFailsAndAGroupIsKept) {
  std::set<std::string> schedulers;
  std::set<uint64_t> tasks;
  std::set<uint64_t> frees;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const FaultScene scene{.chip = chip, .tasks = 10, .frees = 3};
    const DrawnFault slow = draw_fault(seed, parse_faults("slow_scheduler"), scene);
    if (slow.fault != Fault::none) {
      schedulers.insert(slow.chip.thread);
      tasks.insert(slow.chip.task);
    }
    const DrawnFault kept = draw_fault(seed, parse_faults("kept_group"), scene);
    EXPECT_EQ(kept.chip.kind, ChipFaultKind::none);
    EXPECT_EQ(kept.chip.thread, "") << "no thread fails";
    if (kept.fault != Fault::none) frees.insert(kept.which);
  }
  EXPECT_THAT(schedulers, testing::ElementsAre("scheduler0", "scheduler1"));
  EXPECT_THAT(tasks, testing::ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(frees, testing::ElementsAre(0, 1, 2));
}

/// Calls count from 0 on, and to a reader from 1 on.
TEST(Faults, AStoryTellsWhatFailsAndWhere) {
  EXPECT_EQ(text_of({}), "");
  EXPECT_EQ(text_of({.fault = Fault::kept_group, .which = 2}),
            "fault: kept_group, free_cluster number 3\n");
  EXPECT_EQ(
      text_of({.fault = Fault::lost_after_ack, .chip = {ChipFaultKind::lost_after_ack, "aic1", 4}}),
      "fault: lost_after_ack of aic1, at its task 4\n");
}

}  // namespace
}  // namespace pto2::simulations

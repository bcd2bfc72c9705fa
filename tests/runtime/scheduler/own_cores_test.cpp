#include "runtime/scheduler/own_cores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace pto2::test {
namespace {

using testing::ElementsAre;

constexpr auto cube = static_cast<uint32_t>(CoreType::cube);
constexpr auto vector = static_cast<uint32_t>(CoreType::vector);

/// Two schedulers, with two clusters each of one cube and two vector cores.
Chip four_clusters() {
  return {"four", 4, 1, 2, 2};
}

std::vector<uint32_t> members(const CoreSet& cores) {
  std::vector<uint32_t> result;
  cores.for_each([&](CoreId core) { result.push_back(core.value); });
  return result;
}

std::vector<uint32_t> cores_of(const Chip& chip, SchedulerId scheduler, CoreType type) {
  std::vector<uint32_t> result;
  chip.for_each_core_of(scheduler, [&](CoreId core) {
    if (chip.type_of(core) == type) result.push_back(core.value);
  });
  return result;
}

TEST(OwnCores, AreThoseOfTheSchedulerAndIdle) {
  const Chip chip = four_clusters();
  const OwnCores cores(chip, SchedulerId(1));
  EXPECT_EQ(members(cores[cube].idle), cores_of(chip, 1, CoreType::cube));
  EXPECT_EQ(members(cores[vector].idle), cores_of(chip, 1, CoreType::vector));
  EXPECT_EQ(cores[cube].idle.size(), 2u);
  EXPECT_EQ(cores[vector].idle.size(), 4u);
  EXPECT_TRUE(cores.busy().empty());
  EXPECT_EQ(cores.all().size(), 6u);
  for (const CoreId core : cores.all()) EXPECT_EQ(chip.scheduler_of(core), SchedulerId(1));
}

TEST(OwnCores, ForgetOfWhatThereIsMoreTypeByType) {
  OwnCores cores(four_clusters(), SchedulerId(0));
  EXPECT_FALSE(cores.have_more());
  cores.note_more(cube);
  cores.note_more(vector);
  EXPECT_TRUE(cores.take_more(cube));
  EXPECT_FALSE(cores.take_more(cube));
  EXPECT_TRUE(cores.have_more());
  EXPECT_TRUE(cores.take_more(vector));
  EXPECT_FALSE(cores.have_more());
}

TEST(OwnCores, AreTakenFromTheLowestNumberOnAndGivenBack) {
  const Chip chip = four_clusters();
  OwnCores cores(chip, SchedulerId(0));
  const std::vector<uint32_t> own = cores_of(chip, 0, CoreType::vector);
  EXPECT_EQ(cores.take_lowest(vector), CoreId(own[0]));
  cores.take(CoreId(own[2]));
  EXPECT_THAT(members(cores.busy()), ElementsAre(own[0], own[2]));
  EXPECT_THAT(members(cores[vector].idle), ElementsAre(own[1], own[3]));
  EXPECT_FALSE(cores.busy().empty());
  cores.give_back(CoreId(own[0]));
  EXPECT_THAT(members(cores[vector].idle), ElementsAre(own[0], own[1], own[3]));
  EXPECT_FALSE(cores.busy().empty());
  cores.give_back(CoreId(own[2]));
  EXPECT_TRUE(cores.busy().empty());
}

TEST(OwnCores, RememberTheTaskOfEachWorker) {
  const Chip chip = four_clusters();
  OwnCores cores(chip, SchedulerId(0));
  const std::vector<uint32_t> own = cores_of(chip, 0, CoreType::vector);
  const WorkerId scheduler = chip.worker_of(SchedulerId(0));
  cores.note(CoreId(own[0]), make_slot(0, 3));
  cores.note(CoreId(own[1]), make_slot(0, 4));
  cores.note(scheduler, make_slot(0, 5));
  EXPECT_EQ(cores.task_of(CoreId(own[0])), make_slot(0, 3));
  EXPECT_EQ(cores.task_of(CoreId(own[1])), make_slot(0, 4));
  EXPECT_EQ(cores.task_of(scheduler), make_slot(0, 5));
}

TEST(OwnCoresDeathTest, AreNotTakenTwiceNorGivenBackTwice) {
  const Chip chip = four_clusters();
  OwnCores cores(chip, SchedulerId(0));
  const CoreId core(cores_of(chip, 0, CoreType::cube).front());
  EXPECT_DEATH(cores.give_back(core), "OC-I1");
  cores.take(core);
  EXPECT_DEATH(cores.take(core), "OC-I1");
}

}  // namespace
}  // namespace pto2::test

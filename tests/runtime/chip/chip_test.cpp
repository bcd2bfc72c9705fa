#include "runtime/chip/chip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "runtime/chip/config_error.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Chip five_blocks() {
  return {"five", 5, 2, 3, 2};
}

/// Chips of every shape: one and several of everything, schedulers that divide the blocks evenly
/// and that do not.
std::vector<Chip> many_chips() {
  std::vector<Chip> chips(known_chips().begin(), known_chips().end());
  for (const uint32_t blocks : {1, 2, 5, 7, 64}) {
    for (const uint32_t cubes : {1, 2, 5}) {
      for (const uint32_t vectors : {1, 2, 3}) {
        for (uint32_t schedulers = 1; schedulers <= std::min(blocks, 6U); ++schedulers) {
          chips.push_back({"some", blocks, cubes, vectors, schedulers, blocks % 3});
        }
      }
    }
  }
  return chips;
}

std::vector<uint32_t> cores_of_block(const Chip& chip, uint32_t block) {
  std::vector<uint32_t> cores;
  chip.for_each_core_of_block(block, [&](uint32_t core) { cores.push_back(core); });
  return cores;
}

std::vector<uint32_t> cores_of_scheduler(const Chip& chip, uint32_t scheduler) {
  std::vector<uint32_t> cores;
  chip.for_each_core_of_scheduler(scheduler, [&](uint32_t core) { cores.push_back(core); });
  return cores;
}

std::vector<std::string> names_of(const Chip& chip, const std::vector<uint32_t>& cores) {
  std::vector<std::string> names;
  for (const uint32_t core : cores) names.push_back(chip.core_name(core));
  return names;
}

/// What validate() says, or nothing.
std::string refusal(const Chip& chip) {
  try {
    validate(chip);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST(Chip, KnownOnesAreAsPublished) {
  const std::vector<Chip> known(known_chips().begin(), known_chips().end());
  EXPECT_THAT(known, ElementsAre(Chip{"a2a3sim", 24, 1, 2, 3}, Chip{"a5sim", 36, 1, 2, 4}));
  EXPECT_EQ(known[0].cores(), 72U);
  EXPECT_EQ(known[1].cores(), 108U);
  EXPECT_EQ(shape_text(known[0]), "24 blocks of 1 cube and 2 vector cores, 3 schedulers");
  EXPECT_EQ(shape_text({"one", 1, 4, 3, 1}), "1 block of 4 cube and 3 vector cores, 1 scheduler");
}

TEST(Chip, NumbersGoTypeByTypeAndBlockByBlock) {
  const Chip usual = known_chips().front();
  EXPECT_THAT(cores_of_block(usual, 0), ElementsAre(0, 24, 25));
  EXPECT_THAT(cores_of_block(usual, 1), ElementsAre(1, 26, 27));
  EXPECT_THAT(cores_of_block(usual, 23), ElementsAre(23, 70, 71));
  const Chip five = five_blocks();
  EXPECT_THAT(cores_of_block(five, 0), ElementsAre(0, 1, 10, 11, 12));
  EXPECT_THAT(cores_of_block(five, 1), ElementsAre(2, 3, 13, 14, 15));
  EXPECT_THAT(cores_of_block(five, 4), ElementsAre(8, 9, 22, 23, 24));
  EXPECT_EQ(five.place_of(9), (CorePlace{CoreType::cube, 4, 1}));
  EXPECT_EQ(five.place_of(10), (CorePlace{CoreType::vector, 0, 0}));
  EXPECT_EQ(five.place_of(23), (CorePlace{CoreType::vector, 4, 1}));
}

TEST(Chip, NamesFollowFromNumbers) {
  const Chip five = five_blocks();
  EXPECT_THAT(names_of(five, cores_of_block(five, 1)),
              ElementsAre("aic2", "aic3", "aiv3", "aiv4", "aiv5"));
  EXPECT_EQ(five.core_name(0), "aic0");
  EXPECT_EQ(five.core_name(10), "aiv0");
  EXPECT_EQ(five.core_name(24), "aiv14");
}

TEST(Chip, BlocksAreDealtToTheSchedulers) {
  const Chip five = five_blocks();
  EXPECT_THAT(cores_of_scheduler(five, 0),
              ElementsAre(0, 1, 10, 11, 12, 4, 5, 16, 17, 18, 8, 9, 22, 23, 24));
  EXPECT_THAT(cores_of_scheduler(five, 1), ElementsAre(2, 3, 13, 14, 15, 6, 7, 19, 20, 21));
  EXPECT_EQ(five.scheduler_of(24), 0U);
  EXPECT_EQ(five.scheduler_of(21), 1U);
  EXPECT_EQ(five.scheduler_of_block(3), 1U);
}

TEST(Chip, AcceleratorsAndSchedulersComeAfterTheBlocks) {
  Chip chip = five_blocks();
  EXPECT_EQ(chip.core_name(25), "cpu0");
  EXPECT_EQ(chip.worker_of_scheduler(1), 26U);
  EXPECT_FALSE(chip.runs(CoreType::accelerator));
  EXPECT_TRUE(chip.runs(CoreType::ai_cpu));
  chip.accelerators = 3;
  EXPECT_EQ(chip.cores(), 28U);
  EXPECT_EQ(chip.workers(), 30U);
  EXPECT_TRUE(chip.runs(CoreType::accelerator));
  EXPECT_THAT(cores_of_scheduler(chip, 1), ElementsAre(2, 3, 13, 14, 15, 6, 7, 19, 20, 21, 26));
  EXPECT_EQ(chip.scheduler_of(27), 0U);
  EXPECT_EQ(chip.core_name(27), "acc2");
  EXPECT_EQ(chip.core_name(29), "cpu1");
  EXPECT_EQ(chip.scheduler_of(29), 1U);
  EXPECT_EQ(chip.type_of(29), CoreType::ai_cpu);
  EXPECT_EQ(shape_text(chip),
            "5 blocks of 2 cube and 3 vector cores, 2 schedulers, 3 accelerators");
}

/// CH-I1.
TEST(Chip, EveryCoreHasOnePlace) {
  for (const Chip& chip : many_chips()) {
    std::set<uint32_t> seen;
    for (uint32_t block = 0; block < chip.blocks; ++block) {
      uint32_t cubes = 0;
      for (const uint32_t core : cores_of_block(chip, block)) {
        EXPECT_TRUE(seen.insert(core).second) << shape_text(chip);
        EXPECT_EQ(chip.place_of(core).block, block) << shape_text(chip);
        EXPECT_EQ(chip.core_at(chip.place_of(core)), core) << shape_text(chip);
        EXPECT_EQ(chip.place_of(core).type, chip.type_of(core)) << shape_text(chip);
        cubes += chip.type_of(core) == CoreType::cube;
      }
      EXPECT_EQ(cubes, chip.cubes_per_block) << shape_text(chip);
    }
    EXPECT_EQ(seen.size(), chip.blocks * (chip.cubes_per_block + chip.vectors_per_block));
    chip.for_each_accelerator([&](uint32_t core) {
      EXPECT_TRUE(seen.insert(core).second) << shape_text(chip);
      EXPECT_EQ(chip.type_of(core), CoreType::accelerator) << shape_text(chip);
    });
    EXPECT_EQ(*seen.rbegin() + 1, chip.cores()) << shape_text(chip);
    EXPECT_EQ(seen.size(), chip.cores()) << shape_text(chip);
  }
}

/// CH-I2.
TEST(Chip, EveryCoreHasOneScheduler) {
  for (const Chip& chip : many_chips()) {
    std::set<uint32_t> seen;
    std::size_t fewest = chip.cores();
    std::size_t most = 0;
    for (uint32_t scheduler = 0; scheduler < chip.schedulers; ++scheduler) {
      const std::vector<uint32_t> cores = cores_of_scheduler(chip, scheduler);
      for (const uint32_t core : cores) {
        EXPECT_TRUE(seen.insert(core).second) << shape_text(chip);
        EXPECT_EQ(chip.scheduler_of(core), scheduler) << shape_text(chip);
      }
      fewest = std::min(fewest, cores.size());
      most = std::max(most, cores.size());
    }
    EXPECT_EQ(seen.size(), chip.cores()) << shape_text(chip);
    EXPECT_LE(most - fewest, chip.cubes_per_block + chip.vectors_per_block + 1) << shape_text(chip);
  }
}

/// CH-I3.
TEST(Chip, EveryCoreHasAName) {
  for (const Chip& chip : many_chips()) {
    std::map<std::string, uint32_t> core_of;
    for (uint32_t core = 0; core < chip.workers(); ++core) {
      EXPECT_TRUE(core_of.emplace(chip.core_name(core), core).second) << shape_text(chip);
    }
    EXPECT_EQ(core_of.count("aic" + std::to_string(chip.cores(CoreType::cube) - 1)), 1U);
    EXPECT_EQ(core_of.count("aiv" + std::to_string(chip.cores(CoreType::vector) - 1)), 1U);
    EXPECT_EQ(core_of.count("cpu" + std::to_string(chip.schedulers - 1)), 1U);
    if (chip.accelerators == 0) continue;
    EXPECT_EQ(core_of.count("acc" + std::to_string(chip.accelerators - 1)), 1U);
  }
}

TEST(Chip, LimitsAreValid) {
  for (const Chip& chip : many_chips()) EXPECT_THAT(refusal(chip), IsEmpty());
  EXPECT_THAT(refusal({"most", 1024, 1, 3, 64}), IsEmpty());
  EXPECT_THAT(refusal({"most", 32, 64, 64, 32}), IsEmpty());
  EXPECT_THAT(refusal({"most", 1, 1, 1, 1, 64}), IsEmpty());
  EXPECT_THAT(refusal({"A-z_0.9", 1, 1, 1, 1}), IsEmpty());
  EXPECT_THAT(refusal({std::string(64, 'x'), 1, 1, 1, 1}), IsEmpty());
}

TEST(Chip, EachRefusalNamesKeyValueAndRange) {
  EXPECT_THAT(refusal({"", 1, 1, 1, 1}), HasSubstr("name is ''"));
  EXPECT_THAT(refusal({"a b", 1, 1, 1, 1}), AllOf(HasSubstr("'a b'"), HasSubstr("letters")));
  EXPECT_THAT(refusal({std::string(65, 'x'), 1, 1, 1, 1}), HasSubstr("1..64"));
  EXPECT_EQ(refusal({"x", 0, 1, 1, 1}), "blocks is 0, but must be in 1..1024");
  EXPECT_EQ(refusal({"x", 1025, 1, 1, 1}), "blocks is 1025, but must be in 1..1024");
  EXPECT_EQ(refusal({"x", 1, 0, 1, 1}), "cubes_per_block is 0, but must be in 1..64");
  EXPECT_EQ(refusal({"x", 1, 65, 1, 1}), "cubes_per_block is 65, but must be in 1..64");
  EXPECT_EQ(refusal({"x", 1, 1, 0, 1}), "vectors_per_block is 0, but must be in 1..64");
  EXPECT_EQ(refusal({"x", 1, 1, 65, 1}), "vectors_per_block is 65, but must be in 1..64");
  EXPECT_EQ(refusal({"x", 1, 1, 1, 0}), "schedulers is 0, but must be in 1..64");
  EXPECT_EQ(refusal({"x", 65, 1, 1, 65}), "schedulers is 65, but must be in 1..64");
  EXPECT_EQ(refusal({"x", 1, 1, 1, 1, 65}), "accelerators is 65, but must be in 0..64");
}

TEST(Chip, NumbersMustFitEachOther) {
  EXPECT_THAT(refusal({"x", 1, 1, 1, 2}), AllOf(HasSubstr("schedulers is 2"), HasSubstr("is 1;")));
  EXPECT_THAT(refusal({"x", 5, 1, 1, 6}),
              AllOf(HasSubstr("there are 5"), HasSubstr("fewer schedulers or more blocks")));
  EXPECT_THAT(refusal({"x", 1024, 2, 3, 1}),
              AllOf(HasSubstr("1024 blocks of 5 cores are 5120 cores"), HasSubstr("at most 4096")));
  EXPECT_THAT(refusal({"x", 33, 64, 64, 1}), HasSubstr("fewer blocks or cores per block"));
  EXPECT_THAT(refusal({"x", 32, 64, 64, 1, 1}),
              HasSubstr("32 blocks of 128 cores and 1 accelerator are 4097 cores"));
}

/// CH-P2.
TEST(ChipDeathTest, NobodyAsksForWhatThereIsNot) {
  const Chip chip = five_blocks();
  const auto nothing = [](uint32_t) {};
  EXPECT_DEATH((void)chip.place_of(25), "CH-P2");
  EXPECT_DEATH((void)chip.core_name(~0U), "CH-P2");
  EXPECT_DEATH((void)chip.type_of(27), "CH-P2");
  EXPECT_DEATH((void)chip.core_at({CoreType::cube, 0, 2}), "CH-P2");
  EXPECT_DEATH((void)chip.core_at({CoreType::cube, 5, 0}), "CH-P2");
  EXPECT_DEATH((void)chip.scheduler_of_block(5), "CH-P2");
  EXPECT_DEATH(chip.for_each_core_of_scheduler(2, nothing), "CH-P2");
}

}  // namespace
}  // namespace pto2::test

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

/// Of a cluster, or of a scheduler.
template <class Owner>
std::vector<uint32_t> cores_of(const Chip& chip, Owner owner) {
  std::vector<uint32_t> cores;
  chip.for_each_core_of(owner, [&](CoreId core) { cores.push_back(core.value); });
  return cores;
}

std::vector<std::string> names_of(const Chip& chip, const std::vector<uint32_t>& cores) {
  std::vector<std::string> names;
  for (const uint32_t core : cores) names.push_back(chip.name_of(CoreId(core)));
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

/// Each core is a worker, but not each worker a core.
static_assert(std::convertible_to<CoreId, WorkerId> && !std::constructible_from<CoreId, WorkerId>);

TEST(Chip, KnownOnesAreAsPublished) {
  const std::vector<Chip> known(known_chips().begin(), known_chips().end());
  EXPECT_THAT(known, ElementsAre(Chip{"a2a3sim", 24, 1, 2, 3}, Chip{"a5sim", 36, 1, 2, 4}));
  EXPECT_EQ(known[0].cores(), 72U);
  EXPECT_EQ(known[1].cores(), 108U);
  EXPECT_EQ(shape_text(known[0]), "24 blocks of 1 cube and 2 vector cores, 3 schedulers");
  EXPECT_EQ(shape_text({"one", 1, 4, 3, 1}), "1 block of 4 cube and 3 vector cores, 1 scheduler");
}

TEST(Chip, NumbersGoTypeByTypeAndClusterByCluster) {
  const Chip usual = known_chips().front();
  EXPECT_THAT(cores_of(usual, ClusterId(0)), ElementsAre(0, 24, 25));
  EXPECT_THAT(cores_of(usual, ClusterId(1)), ElementsAre(1, 26, 27));
  EXPECT_THAT(cores_of(usual, ClusterId(23)), ElementsAre(23, 70, 71));
  const Chip five = five_blocks();
  EXPECT_THAT(cores_of(five, ClusterId(0)), ElementsAre(0, 1, 10, 11, 12));
  EXPECT_THAT(cores_of(five, ClusterId(1)), ElementsAre(2, 3, 13, 14, 15));
  EXPECT_THAT(cores_of(five, ClusterId(4)), ElementsAre(8, 9, 22, 23, 24));
  EXPECT_EQ(five.place_of(CoreId(9)), (CorePlace{CoreType::cube, 4, 1}));
  EXPECT_EQ(five.place_of(CoreId(10)), (CorePlace{CoreType::vector, 0, 0}));
  EXPECT_EQ(five.place_of(CoreId(23)), (CorePlace{CoreType::vector, 4, 1}));
}

TEST(Chip, NamesFollowFromNumbers) {
  const Chip five = five_blocks();
  EXPECT_THAT(names_of(five, cores_of(five, ClusterId(1))),
              ElementsAre("aic2", "aic3", "aiv3", "aiv4", "aiv5"));
  EXPECT_EQ(five.name_of(WorkerId(0)), "aic0");
  EXPECT_EQ(five.name_of(WorkerId(10)), "aiv0");
  EXPECT_EQ(five.name_of(WorkerId(24)), "aiv14");
}

TEST(Chip, ClustersAreDealtToTheSchedulers) {
  const Chip five = five_blocks();
  EXPECT_THAT(cores_of(five, SchedulerId(0)),
              ElementsAre(0, 1, 10, 11, 12, 4, 5, 16, 17, 18, 8, 9, 22, 23, 24));
  EXPECT_THAT(cores_of(five, SchedulerId(1)), ElementsAre(2, 3, 13, 14, 15, 6, 7, 19, 20, 21));
  EXPECT_EQ(five.scheduler_of(WorkerId(24)).value, 0U);
  EXPECT_EQ(five.scheduler_of(WorkerId(21)).value, 1U);
  EXPECT_EQ(five.scheduler_of(ClusterId(3)).value, 1U);
  EXPECT_EQ(five.clusters_of(SchedulerId(0)), 3U);
  EXPECT_EQ(five.clusters_of(SchedulerId(1)), 2U);
  EXPECT_EQ(five.rank_of(ClusterId(3)), 1U);
  EXPECT_EQ(five.cluster_of(SchedulerId(1), 1).value, 3U);
}

TEST(Chip, AcceleratorsAndSchedulersComeAfterTheClusters) {
  Chip chip = five_blocks();
  EXPECT_EQ(chip.name_of(WorkerId(25)), "cpu0");
  EXPECT_EQ(chip.worker_of(SchedulerId(1)).value, 26U);
  EXPECT_FALSE(chip.runs(CoreType::accelerator));
  EXPECT_TRUE(chip.runs(CoreType::ai_cpu));
  chip.accelerators = 3;
  EXPECT_EQ(chip.cores(), 28U);
  EXPECT_EQ(chip.workers(), 30U);
  EXPECT_TRUE(chip.runs(CoreType::accelerator));
  EXPECT_THAT(cores_of(chip, SchedulerId(1)), ElementsAre(2, 3, 13, 14, 15, 6, 7, 19, 20, 21, 26));
  EXPECT_EQ(chip.scheduler_of(WorkerId(27)).value, 0U);
  EXPECT_EQ(chip.name_of(WorkerId(27)), "acc2");
  EXPECT_EQ(chip.name_of(WorkerId(29)), "cpu1");
  EXPECT_EQ(chip.scheduler_of(WorkerId(29)).value, 1U);
  EXPECT_EQ(chip.type_of(WorkerId(29)), CoreType::ai_cpu);
  EXPECT_EQ(shape_text(chip),
            "5 blocks of 2 cube and 3 vector cores, 2 schedulers, 3 accelerators");
}

/// CH-I1.
TEST(Chip, EveryCoreHasOnePlace) {
  for (const Chip& chip : many_chips()) {
    std::set<uint32_t> seen;
    for (uint32_t c = 0; c < chip.clusters; ++c) {
      const ClusterId cluster(c);
      uint32_t cubes = 0;
      for (const uint32_t number : cores_of(chip, cluster)) {
        const CoreId core(number);
        EXPECT_TRUE(seen.insert(number).second) << shape_text(chip);
        EXPECT_EQ(chip.place_of(core).cluster, cluster) << shape_text(chip);
        EXPECT_EQ(chip.core_at(chip.place_of(core)), core) << shape_text(chip);
        EXPECT_EQ(chip.place_of(core).type, chip.type_of(core)) << shape_text(chip);
        cubes += chip.type_of(core) == CoreType::cube;
      }
      EXPECT_EQ(cubes, chip.cubes_per_cluster) << shape_text(chip);
    }
    EXPECT_EQ(seen.size(), chip.clusters * (chip.cubes_per_cluster + chip.vectors_per_cluster));
    chip.for_each_accelerator([&](CoreId core) {
      EXPECT_TRUE(seen.insert(core.value).second) << shape_text(chip);
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
    for (uint32_t s = 0; s < chip.schedulers; ++s) {
      const SchedulerId scheduler(s);
      const std::vector<uint32_t> cores = cores_of(chip, scheduler);
      for (const uint32_t core : cores) {
        EXPECT_TRUE(seen.insert(core).second) << shape_text(chip);
        EXPECT_EQ(chip.scheduler_of(CoreId(core)), scheduler) << shape_text(chip);
      }
      fewest = std::min(fewest, cores.size());
      most = std::max(most, cores.size());
    }
    EXPECT_EQ(seen.size(), chip.cores()) << shape_text(chip);
    EXPECT_LE(most - fewest, chip.cubes_per_cluster + chip.vectors_per_cluster + 1)
        << shape_text(chip);
  }
}

/// CH-I3.
TEST(Chip, EveryCoreHasAName) {
  for (const Chip& chip : many_chips()) {
    std::map<std::string, uint32_t> worker_of;
    for (uint32_t w = 0; w < chip.workers(); ++w) {
      EXPECT_TRUE(worker_of.emplace(chip.name_of(WorkerId(w)), w).second) << shape_text(chip);
    }
    EXPECT_EQ(worker_of.count("aic" + std::to_string(chip.cores(CoreType::cube) - 1)), 1U);
    EXPECT_EQ(worker_of.count("aiv" + std::to_string(chip.cores(CoreType::vector) - 1)), 1U);
    EXPECT_EQ(worker_of.count("cpu" + std::to_string(chip.schedulers - 1)), 1U);
    if (chip.accelerators == 0) continue;
    EXPECT_EQ(worker_of.count("acc" + std::to_string(chip.accelerators - 1)), 1U);
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
  const auto nothing = [](CoreId) {};
  EXPECT_DEATH((void)chip.place_of(CoreId(25)), "CH-P2");
  EXPECT_DEATH((void)chip.name_of(WorkerId(~0U)), "CH-P2");
  EXPECT_DEATH((void)chip.type_of(WorkerId(27)), "CH-P2");
  EXPECT_DEATH((void)chip.core_at({CoreType::cube, 0, 2}), "CH-P2");
  EXPECT_DEATH((void)chip.core_at({CoreType::cube, 5, 0}), "CH-P2");
  EXPECT_DEATH((void)chip.scheduler_of(ClusterId(5)), "CH-P2");
  EXPECT_DEATH(chip.for_each_core_of(SchedulerId(2), nothing), "CH-P2");
}

}  // namespace
}  // namespace pto2::test

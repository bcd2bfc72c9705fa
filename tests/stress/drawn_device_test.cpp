#include "stress/drawn_device.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>

#include "runtime/executors/hardware.hpp"
#include "runtime/executors/seeded_team.hpp"

namespace pto2::stress {
namespace {

DeviceConfig small_device() {
  DeviceConfig config;
  config.chip.clusters = 1;
  config.chip.schedulers = 1;
  return config;
}

TEST(DrawnDevice, TheSeedIsThatOfTheSchedule) {
  const Launch nothing{{}, [](PTO2Runtime*) {}, {}};
  std::set<uint64_t> lengths;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const uint64_t points = launch_on(ExecutorKind::seeded, small_device(), nothing, seed).points;
    const ExecutorOptions same{.executor = ExecutorKind::seeded, .seed = seed};
    EXPECT_EQ(launch(same, small_device(), nothing).points, points) << seed;
    lengths.insert(points);
  }
  EXPECT_GT(lengths.size(), 1U);
}

TEST(DrawnDevice, ALivelockIsKnownByWhatItSays) {
  const Launch nothing{{}, [](PTO2Runtime*) {}, {}};
  const ExecutorOptions short_of_points{
      .executor = ExecutorKind::seeded, .seed = 1, .max_points = 10};
  std::string failure;
  try {
    static_cast<void>(launch(short_of_points, small_device(), nothing));
  } catch (const executors::SeededFailure& thrown) {
    failure = thrown.what();
  }
  EXPECT_TRUE(is_livelock(failure)) << failure;
  EXPECT_FALSE(is_livelock("seed 1, point 9: aiv0: data race"));
}

/// On each executor with OS threads.
TEST(DrawnDevice, ARunThatHangsEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("PTO2_HANG_SECONDS", "0.5", 1);
  const Launch hangs{{},
                     [](PTO2Runtime*) {
                       alarm(10);  // ends it without a report, if nobody watches
                       executors::Hardware::await([] { return false; });
                     },
                     {}};
  for (const ExecutorKind executor : {ExecutorKind::packed, ExecutorKind::threads}) {
    EXPECT_DEATH((void)launch_on(executor, small_device(), hangs, 1), "hang: a graph on ");
  }
  unsetenv("PTO2_HANG_SECONDS");
}

}  // namespace
}  // namespace pto2::stress

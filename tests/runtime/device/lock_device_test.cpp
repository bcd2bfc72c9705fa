#include "runtime/device/lock_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/device/weak_device.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Launch nothing{{}, [](PTO2Runtime*) {}, {}};

DeviceConfig with(FanOutKind fan_out) {
  DeviceConfig config = tiny_device();
  config.fan_out = fan_out;
  return config;
}

/// A launch that was asked for the fan-out `asked` and has the other one.
template <class LaunchIt>
void expect_refused(FanOutKind asked, LaunchIt&& launch_it) {
  try {
    (void)launch_it(with(asked));
    ADD_FAILURE() << "a launch with another fan-out than the configuration says";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::string("fan-out is ") + fan_out_name(asked)));
    EXPECT_THAT(error.settings(), ElementsAre("fan-out"));
  }
}

/// No launch takes a configuration for what it is not: a report would name the wrong protocol.
TEST(LockDevice, EveryLaunchHasOneFanOut) {
  expect_refused(FanOutKind::lock,
                 [](const DeviceConfig& config) { return launch(config, {}, nothing); });
  expect_refused(FanOutKind::lock, [](const DeviceConfig& config) {
    return launch(config, executors::SeededOptions{}, nothing);
  });
  expect_refused(FanOutKind::lock, [](const DeviceConfig& config) {
    return launch_weak(config, executors::WeakOptions{}, nothing);
  });
  expect_refused(FanOutKind::word,
                 [](const DeviceConfig& config) { return launch_with_lock(config, {}, nothing); });
}

/// Otherwise the tests that this program repeats say nothing of the lock.
TEST(LockDevice, IsWhatThisProgramTests) {
  EXPECT_EQ(fan_out_under_test, FanOutKind::lock);
}

}  // namespace
}  // namespace pto2::test

/// Which executors a test runs everything on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stress/drawn_device.hpp"

namespace pto2::test {

/// The fan-out that a program tests: the word, unless it is linked with lock_under_test.cpp.
extern FanOutKind fan_out_under_test;

[[nodiscard]] inline const char* executor_name(ExecutorKind executor) {
  return row_of(executor).name;
}
/// Every executor but those on weak memory; under TSan those alone that have several OS threads.
[[nodiscard]] std::vector<ExecutorKind> everywhere();
/// How many of `count` seeds a test of the seeded executor runs: all; a quarter under ASan, which
/// takes long; few under TSan, which sees one OS thread.
[[nodiscard]] uint64_t seeds_of(uint64_t count);

/// As stress::launch_on(), with the fan-out under test.
[[nodiscard]] RunResult launch_on(ExecutorKind executor, DeviceConfig config, const Launch& what,
                                  uint64_t seed);

}  // namespace pto2::test

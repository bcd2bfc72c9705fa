/// The executors that a launch can run on, and the choices about the chip that no result depends
/// on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/device/device.hpp"
#include "runtime/executors/random.hpp"
#include "tests/support/counting_oracle.hpp"

namespace pto2::test {

/// The fan-out that a program tests: the word, unless it is linked with lock_under_test.cpp.
struct FanOutUnderTest {
  FanOutKind kind = FanOutKind::word;
  RunResult (*launch)(const DeviceConfig&, const LaunchTeam&, const Launch&) = pto2::launch;
};
extern FanOutUnderTest fan_out_under_test;
/// What the program is called that repeats a run of program `name` with this fan-out.
[[nodiscard]] std::string program_under_test(const std::string& name);

/// What a graph runs on. The last three are schedules on weak memory, named after their strategy,
/// and with the word alone.
enum class ExecutorKind { packed, threads, seeded, random, pct, bursts };
[[nodiscard]] const char* executor_name(ExecutorKind executor);
/// The executor of this name. Throws std::invalid_argument.
[[nodiscard]] ExecutorKind executor_named(const std::string& name);
/// Every executor but those on weak memory; under TSan those alone that have several OS threads.
[[nodiscard]] std::vector<ExecutorKind> everywhere();
/// How many of `count` seeds a test of the seeded executor runs: all; a quarter under ASan, which
/// takes long; few under TSan, which sees one OS thread.
[[nodiscard]] uint64_t seeds_of(uint64_t count);

/// Launches on `executor`, with the fan-out under test. `seed` decides the schedule of the seeded
/// executor; of each three, one ends kernels last, which shows idle cores. A run that hangs
/// elsewhere ends the program with a report. Throws what launch() throws.
[[nodiscard]] RunResult launch_on(ExecutorKind executor, DeviceConfig config, const Launch& what,
                                  uint64_t seed);

/// Draws how many cores a block has: in half of the cases as many as before. What `random` itself
/// draws later does not depend on it.
void draw_block(executors::Random random, Chip& chip);

/// Draws a chip of up to `most_blocks` blocks, queues and buckets, with the smallest queues among
/// them.
void draw_device(executors::Random& random, uint32_t most_blocks, DeviceConfig& config);

/// The sizes, queues and chip of a device that was drawn, for reports.
[[nodiscard]] std::string text_of(const DeviceConfig& config);

/// The code of a run that lacks the resource.
[[nodiscard]] ErrorCode code_of(oracle::Resource resource);

}  // namespace pto2::test

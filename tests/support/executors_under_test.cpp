#include "tests/support/executors_under_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "runtime/device/weak_device.hpp"
#include "runtime/executors/sanitizer_switch.hpp"
#include "tests/support/hang_guard.hpp"

namespace pto2::test {
namespace {

RunResult launch_seeded(ExecutorKind executor, const DeviceConfig& config, const Launch& what,
                        uint64_t seed) {
  using executors::Strategy;
  const auto schedule = [&](Strategy strategy) {
    executors::SeededOptions options = executors::options_of_seed(seed, strategy);
    options.max_points = 100'000'000;
    return options;
  };
  const auto on_weak_memory = [&](Strategy strategy) {
    return launch_weak(config, {schedule(strategy), std::nullopt}, what);
  };
  switch (executor) {
    case ExecutorKind::random:
      return on_weak_memory(Strategy::random);
    case ExecutorKind::pct:
      return on_weak_memory(Strategy::pct);
    case ExecutorKind::bursts:
      return on_weak_memory(Strategy::bursts);
    default:
      return fan_out_under_test.launch(config, schedule(Strategy::mixed), what);
  }
}

}  // namespace

constinit FanOutUnderTest fan_out_under_test;

std::string program_under_test(const std::string& name) {
  return fan_out_under_test.kind == FanOutKind::word ? name : name + "_lock";
}

const char* executor_name(ExecutorKind executor) {
  static constexpr const char* names[] = {"packed", "threads", "seeded", "random", "pct", "bursts"};
  return names[static_cast<int>(executor)];
}

ExecutorKind executor_named(const std::string& name) {
  for (const auto executor : {ExecutorKind::packed, ExecutorKind::threads, ExecutorKind::seeded,
                              ExecutorKind::random, ExecutorKind::pct, ExecutorKind::bursts}) {
    if (name == executor_name(executor)) return executor;
  }
  throw std::invalid_argument("no executor is called " + name);
}

std::vector<ExecutorKind> everywhere() {
  std::vector<ExecutorKind> executors{ExecutorKind::packed, ExecutorKind::threads};
  if (!PTO2_UNDER_TSAN) executors.push_back(ExecutorKind::seeded);
  return executors;
}

uint64_t seeds_of(uint64_t count) {
  if (PTO2_UNDER_TSAN) return count / 100;
#if defined(__SANITIZE_ADDRESS__)
  return count / 4;
#else
  return count;
#endif
}

RunResult launch_on(ExecutorKind executor, DeviceConfig config, const Launch& what, uint64_t seed) {
  config.fan_out = fan_out_under_test.kind;
  if (executor != ExecutorKind::packed && executor != ExecutorKind::threads) {
    return launch_seeded(executor, config, what, seed);
  }
  const HangGuard guard(std::string("a graph on ") + executor_name(executor));
  const auto on =
      executor == ExecutorKind::packed ? executors::Executor::packed : executors::Executor::threads;
  return fan_out_under_test.launch(config, executors::TeamOptions{.executor = on}, what);
}

void draw_block(executors::Random random, Chip& chip) {
  executors::Random own(random.next() ^ 0xb10c);
  if (own.below(2) == 0) return;
  chip.cubes_per_block = static_cast<uint32_t>(1 + own.below(3));
  chip.vectors_per_block = static_cast<uint32_t>(1 + own.below(4));
}

void draw_device(executors::Random& random, uint32_t most_blocks, DeviceConfig& config) {
  Chip& chip = config.chip;
  chip.name = "random";
  draw_block(random, chip);
  config.tensormap_buckets = 1u << random.below(7);
  chip.blocks = static_cast<uint32_t>(1 + random.below(most_blocks));
  chip.schedulers = static_cast<uint32_t>(1 + random.below(std::min(chip.blocks, 4u)));
  config.shards = static_cast<uint32_t>(1 + random.below(4));
  config.shard_capacity = 2u << random.below(4);
  config.orchestrator_queue = 2u << random.below(4);
  // Decides nothing: what else is drawn stays what the numbers of runs stand for.
  (void)random.below(2);
}

std::string text_of(const DeviceConfig& config) {
  return fmt::format(
      "rings {}, window {}, heap {}, dep-pool {}, tensormap-pool {}, buckets {}, shards {} of {}, "
      "orchestrator queue {}, chip of {}, fan-out {}",
      config.rings, config.window, config.heap_bytes, config.dep_pool, config.tensormap_pool,
      config.tensormap_buckets, config.shards, config.shard_capacity, config.orchestrator_queue,
      shape_text(config.chip), fan_out_name(fan_out_under_test.kind));
}

ErrorCode code_of(oracle::Resource resource) {
  switch (resource) {
    case oracle::Resource::task_window:
      return ErrorCode::flow_control_deadlock;
    case oracle::Resource::heap:
      return ErrorCode::heap_ring_deadlock;
    case oracle::Resource::dep_pool:
      return ErrorCode::dependency_pool_overflow;
    case oracle::Resource::map_pool:
      return ErrorCode::tensormap_overflow;
    case oracle::Resource::clusters:
      return ErrorCode::cluster_deadlock;
  }
  return ErrorCode::not_drained;
}

}  // namespace pto2::test

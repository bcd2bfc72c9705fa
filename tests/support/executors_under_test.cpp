#include "tests/support/executors_under_test.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "runtime/device/weak_device.hpp"
#include "tests/support/hang_guard.hpp"

namespace pto2::test {
namespace {

LaunchTeam team_of(ExecutorKind executor, uint64_t seed) {
  switch (executor) {
    case ExecutorKind::packed:
      return executors::TeamOptions{.executor = executors::Executor::packed};
    case ExecutorKind::threads:
      return executors::TeamOptions{.executor = executors::Executor::threads};
    case ExecutorKind::seeded:
    case ExecutorKind::weak:
      break;
  }
  return executors::SeededOptions{.seed = seed,
                                  .max_points = 100'000'000,
                                  .kernels_last = executors::Random(seed).below(3) == 0};
}

}  // namespace

const char* executor_name(ExecutorKind executor) {
  static constexpr const char* names[] = {"packed", "threads", "seeded", "weak"};
  return names[static_cast<int>(executor)];
}

ExecutorKind executor_named(const std::string& name) {
  for (const auto executor : {ExecutorKind::packed, ExecutorKind::threads, ExecutorKind::seeded,
                              ExecutorKind::weak}) {
    if (name == executor_name(executor)) return executor;
  }
  throw std::invalid_argument("no executor is called " + name);
}

std::string where_name(const Where& where) {
  return std::string(executor_name(where.executor)) +
         (where.fan_out == FanOutKind::word ? "_word" : "_lock");
}

std::vector<Where> everywhere() {
  std::vector<Where> result;
  for (const auto executor : {ExecutorKind::packed, ExecutorKind::threads, ExecutorKind::seeded}) {
    for (const FanOutKind kind : {FanOutKind::word, FanOutKind::lock}) {
      result.push_back({executor, kind});
    }
  }
  return result;
}

RunResult launch_on(ExecutorKind executor, const DeviceConfig& config, const Launch& what,
                    uint64_t seed) {
  const LaunchTeam team = team_of(executor, seed);
  if (executor == ExecutorKind::weak) {
    executors::WeakOptions options;
    options.schedule = *simulation(team);
    options.schedule.strategy = static_cast<executors::Strategy>(1 + seed % 3);
    return launch_weak(config, options, what);
  }
  std::optional<HangGuard> guard;
  if (simulation(team) == nullptr)
    guard.emplace(std::string("a graph on ") + executor_name(executor));
  return launch(config, team, what);
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
  config.fan_out = random.below(2) == 0 ? FanOutKind::word : FanOutKind::lock;
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

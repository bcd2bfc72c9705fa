#include "stress/drawn_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "stress/hang_guard.hpp"

namespace pto2::stress {

void draw_block(executors::Random random, Chip& chip) {
  executors::Random own(random.next() ^ 0xb10c);
  if (own.below(2) == 0) return;
  chip.cubes_per_cluster = static_cast<uint32_t>(1 + own.below(3));
  chip.vectors_per_cluster = static_cast<uint32_t>(1 + own.below(4));
}

void draw_device(executors::Random& random, uint32_t most_clusters, DeviceConfig& config) {
  Chip& chip = config.chip;
  chip.name = "random";
  draw_block(random, chip);
  config.tensormap_buckets = 1u << random.below(7);
  chip.clusters = static_cast<uint32_t>(1 + random.below(most_clusters));
  chip.schedulers = static_cast<uint32_t>(1 + random.below(std::min(chip.clusters, 4u)));
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
      shape_text(config.chip), fan_out_name(config.fan_out));
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

RunResult launch_on(ExecutorKind executor, const DeviceConfig& config, const Launch& what,
                    uint64_t seed) {
  constexpr uint64_t livelock = 100'000'000;
  std::optional<HangGuard> guard;
  if (!is_simulated(executor)) {
    guard.emplace(fmt::format("a graph on {}", row_of(executor).name));
  }
  // On few hosts that join all threads take turns.
  const bool may_join = seed % 4 == 0;
  return launch({.executor = executor, .may_join = may_join, .seed = seed, .max_points = livelock},
                config, what);
}

bool is_livelock(std::string_view failure) {
  return failure.find(": no end after the limit of points: ") != std::string_view::npos;
}

}  // namespace pto2::stress

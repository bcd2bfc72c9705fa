#include "runtime/run/config.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/task_state.hpp"

namespace pto2 {

namespace {

void check_power_of_two(const char* name, uint64_t value) {
  if ((value & (value - 1)) != 0) {
    uint64_t above = 1;
    while (above < value) above *= 2;
    throw ConfigError(fmt::format("{} is {}, but must be a power of two, for example {} or {}",
                                  name, value, above / 2, above),
                      {name});
  }
}

/// What a task may have of consumers and holders at a time (core/task_state.hpp): each is in a slot
/// of its own, and has a node; but for one that each scheduler has completed, whose slot may have
/// been taken again before it lets go of its producers.
void check_consumers(const DeviceConfig& c) {
  const uint64_t most = max_references - 3 - c.chip.schedulers;
  const uint64_t possible = uint64_t{c.rings} * std::min(c.window - 1, c.dep_pool);
  if (possible > most) {
    throw ConfigError(fmt::format("with window {}, dep-pool {} and rings {} a task could have {} "
                                  "consumers at a time, but {} "
                                  "are possible; use a smaller window or dep-pool, or fewer rings",
                                  c.window, c.dep_pool, c.rings, possible, most),
                      {"window", "dep-pool", "rings"});
  }
}

}  // namespace

void validate(const DeviceConfig& c) {
  check_range("rings", c.rings, 1, 4);
  check_range("window", c.window, window_range.low, window_range.high);
  check_power_of_two("window", c.window);
  check_range("heap", c.heap_bytes, heap_range.low, heap_range.high);
  check_range("dep-pool", c.dep_pool, dep_pool_range.low, dep_pool_range.high);
  check_range("tensormap-pool", c.tensormap_pool, tensormap_pool_range.low,
              tensormap_pool_range.high);
  check_range("tensormap-buckets", c.tensormap_buckets, 1, uint64_t{1} << 30);
  check_power_of_two("tensormap-buckets", c.tensormap_buckets);
  check_range("shards", c.shards, 1, 64);
  check_range("shard-capacity", c.shard_capacity, 2, uint64_t{1} << 20);
  check_power_of_two("shard-capacity", c.shard_capacity);
  check_range("orchestrator-queue", c.orchestrator_queue, 2, uint64_t{1} << 20);
  check_power_of_two("orchestrator-queue", c.orchestrator_queue);
  validate(c.chip);
  check_consumers(c);
}

const char* fan_out_name(FanOutKind fan_out) {
  return fan_out == FanOutKind::word ? "word" : "lock";
}

const char* guard_name(GuardKind guard) {
  static constexpr const char* names[] = {"off", "on", "all"};
  return names[static_cast<std::size_t>(guard)];
}

void check_fan_out(const DeviceConfig& config, FanOutKind offered) {
  if (config.fan_out == offered) return;
  throw ConfigError(
      fmt::format("fan-out is {}, but this launch runs with the fan-out {} alone; "
                  "use {}",
                  fan_out_name(config.fan_out), fan_out_name(offered), fan_out_name(offered)),
      {"fan-out"});
}

}  // namespace pto2

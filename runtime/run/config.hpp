/// What can be set about a device, with the original's defaults.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/chip/chip.hpp"
#include "runtime/chip/config_error.hpp"

namespace pto2 {

/// The two implementations of the fan-out concept (core/task_state.hpp).
enum class FanOutKind { word, lock };
/// "word" or "lock".
[[nodiscard]] const char* fan_out_name(FanOutKind fan_out);

/// Most entries of a shard for tasks of type ai_cpu, which are few. Making a queue takes time for
/// each of its entries, in every run.
inline constexpr uint32_t ai_cpu_queue = 256;

/// What is watched of the memory of kernels (runtime/guard).
enum class GuardKind {
  off,
  on,   ///< what they may not write
  all,  ///< and outputs of float types that they leave unwritten, or make NaN
};
/// "off", "on" or "all".
[[nodiscard]] const char* guard_name(GuardKind guard);

/// What a size may be, both ends included.
struct SizeRange {
  uint64_t low, high;
};
inline constexpr SizeRange window_range{4, uint64_t{1} << 20};
inline constexpr SizeRange heap_range{1024, uint64_t{1} << 40};
inline constexpr SizeRange dep_pool_range{16, (uint64_t{1} << 20) - 1};
inline constexpr SizeRange tensormap_pool_range{16, uint64_t{1} << 30};

struct DeviceConfig {
  uint32_t rings = 4;                       ///< 1..4: one per scope depth, the last for the rest
  uint32_t window = 65536;                  ///< slots per ring; a power of two in window_range
  uint64_t heap_bytes = uint64_t{1} << 30;  ///< per ring, in heap_range
  uint32_t dep_pool = 65536;                ///< nodes per ring, in dep_pool_range
  uint32_t tensormap_pool = 65536;          ///< writes known, in tensormap_pool_range
  uint32_t tensormap_buckets = 65536;       ///< a power of two, 1..2^30
  uint32_t shards = 3;                      ///< ready-queue shards per core type, 1..64
  uint32_t shard_capacity = 16384;          ///< entries per shard; a power of two, 2..2^20
  uint32_t orchestrator_queue = 4096;       ///< entries; a power of two, 2..2^20
  Chip chip = known_chips().front();
  FanOutKind fan_out = FanOutKind::word;
  bool kernel_timing = false;  ///< measure the time inside kernels
  std::size_t events = 0;      ///< events kept per logical thread; 0: no record
  /// Milliseconds after which a kernel that has not returned, or an orchestration that has neither
  /// returned nor called the runtime, ends the run, or else the process; 0: never. In simulations,
  /// too.
  uint64_t deadline_ms = 60'000;

  GuardKind guard = GuardKind::off;

  /// Entries of each shard for tasks of this type.
  [[nodiscard]] uint32_t shard_room(CoreType type) const {
    return type == CoreType::ai_cpu ? std::min(shard_capacity, ai_cpu_queue) : shard_capacity;
  }
  /// Entries of the orchestrator's queue.
  [[nodiscard]] uint32_t orchestrator_room(CoreType type) const {
    return type == CoreType::ai_cpu ? std::min(orchestrator_queue, ai_cpu_queue)
                                    : orchestrator_queue;
  }
};

/// Throws ConfigError for the first value out of range.
void validate(const DeviceConfig& config);

/// Throws ConfigError unless the fan-out of `config` is `offered`, the one that a launch runs with.
void check_fan_out(const DeviceConfig& config, FanOutKind offered);

}  // namespace pto2

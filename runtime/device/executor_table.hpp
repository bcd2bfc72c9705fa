/// The executors: what a launch can run on. Each is a row of one table, which every program that
/// launches, draws or simulates reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/device/device.hpp"

namespace pto2 {

enum class ExecutorKind : uint32_t { packed, threads, seeded, random, pct, bursts };

struct ExecutorRow {
  ExecutorKind executor;
  const char* name;
  const char* strategy;  ///< of a simulation, as `pto2 simulate` names it; null: OS threads
  bool weak_memory;      ///< atomics may show older values, and races of plain data are found
};

/// In the order of ExecutorKind.
[[nodiscard]] std::span<const ExecutorRow> executor_table();
[[nodiscard]] const ExecutorRow& row_of(ExecutorKind executor);
/// A simulation follows from a seed alone.
[[nodiscard]] inline bool is_simulated(ExecutorKind executor) {
  return row_of(executor).strategy != nullptr;
}
/// The executor of this name. Throws std::invalid_argument, which lists the names.
[[nodiscard]] ExecutorKind executor_named(std::string_view name);
/// The simulation with this strategy. Throws std::invalid_argument, which lists the strategies.
[[nodiscard]] ExecutorKind executor_with_strategy(std::string_view strategy);

struct ExecutorOptions {
  ExecutorKind executor = ExecutorKind::packed;
  uint32_t host_threads = 0;  ///< of ExecutorKind::packed; 0: as many as the host has processors
  bool may_join = true;       ///< of ExecutorKind::packed: see executors::TeamOptions
  uint64_t seed = 0;          ///< of a simulation: the same number is the same schedule everywhere
  uint64_t max_points = executors::SeededOptions{}.max_points;  ///< more is taken for a livelock
};

/// What a launch with these options runs on.
[[nodiscard]] LaunchTeam team_of(const ExecutorOptions& options);

/// Launches on the executor, with the fan-out that `config` names. Throws what the other launch()
/// throws, and ConfigError for the fan-out lock on weak memory.
[[nodiscard]] RunResult launch(const ExecutorOptions& options, const DeviceConfig& config,
                               const Launch& what);

}  // namespace pto2

#include "runtime/device/executor_table.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace pto2 {
namespace {

using executors::Strategy;

constexpr std::array table{
    ExecutorRow{ExecutorKind::packed, "packed", nullptr, false},
    ExecutorRow{ExecutorKind::threads, "threads", nullptr, false},
    ExecutorRow{ExecutorKind::seeded, "seeded", "sc", false},
    ExecutorRow{ExecutorKind::random, "random", "random", true},
    ExecutorRow{ExecutorKind::pct, "pct", "pct", true},
    ExecutorRow{ExecutorKind::bursts, "bursts", "bursts", true},
};

Strategy strategy_of(ExecutorKind executor) {
  switch (executor) {
    case ExecutorKind::random:
      return Strategy::random;
    case ExecutorKind::pct:
      return Strategy::pct;
    case ExecutorKind::bursts:
      return Strategy::bursts;
    default:
      return Strategy::mixed;
  }
}

executors::SeededOptions schedule_of(const ExecutorOptions& options) {
  auto schedule = executors::options_of_seed(options.seed, strategy_of(options.executor));
  schedule.max_points = options.max_points;
  return schedule;
}

/// The row whose `column` is `text`.
ExecutorKind find(const char* ExecutorRow::*column, const char* what, std::string_view text) {
  std::string names;
  for (const ExecutorRow& row : table) {
    if (row.*column == nullptr) continue;
    if (text == row.*column) return row.executor;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.*column);
  }
  throw std::invalid_argument(fmt::format("no {} is called '{}'; there are {}", what, text, names));
}

}  // namespace

std::span<const ExecutorRow> executor_table() {
  return table;
}

const ExecutorRow& row_of(ExecutorKind executor) {
  return table[static_cast<std::size_t>(executor)];
}

ExecutorKind executor_named(std::string_view name) {
  return find(&ExecutorRow::name, "executor", name);
}

ExecutorKind executor_with_strategy(std::string_view strategy) {
  return find(&ExecutorRow::strategy, "strategy", strategy);
}

LaunchTeam team_of(const ExecutorOptions& options) {
  if (is_simulated(options.executor)) return schedule_of(options);
  if (options.executor == ExecutorKind::threads) {
    return executors::TeamOptions{.executor = executors::Executor::threads};
  }
  return executors::TeamOptions{.executor = executors::Executor::packed,
                                .host_threads = options.host_threads,
                                .may_join = options.may_join};
}

}  // namespace pto2

/// Running a program once or often, with every result verified.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "runtime/cli/executor_settings.hpp"
#include "runtime/cli/progress.hpp"
#include "runtime/cli/run_program.hpp"
#include "runtime/cli/run_report.hpp"
#include "runtime/orchestrator/recorded_graph.hpp"

namespace pto2::cli {

/// Throws CliError if a graph is to be replayed, but none is recorded before.
void check_replay(const Settings& settings);

class Repetitions {
 public:
  /// `log_level`: the least severe message of the runtime that goes to stderr.
  Repetitions(const Settings& settings, const DeviceConfig& config, RunProgram& program,
              Progress& progress, const std::string& log_level, std::stop_token stop);

  /// Stops at the first repetition that does not pass, or when that is requested: then the verdict
  /// is "interrupted", and the one that was under way is given up, if it is no simulation. Each
  /// records up to `trace_events` events per logical thread, which must keep the rules of all runs
  /// unless some were dropped; the report has those of the last one that ran. Throws
  /// executors::SeededFailure, std::bad_alloc.
  RunReport run(uint64_t trace_events);

 private:
  RunResult launch_once(const DeviceConfig& config);
  void interrupt(const std::string& detail);
  void judge(const RunResult& result);
  void judge_record(const Record& record);
  void fail(const std::string& detail);
  std::string graph_mismatch(const RunResult& result) const;

  const Settings& settings_;
  const DeviceConfig& config_;
  ExecutorOptions executor_;
  RunProgram& program_;
  Progress& progress_;
  int32_t log_level_;
  std::stop_token stop_;
  RunReport report_;
  RecordedGraph graph_;  ///< with --replay-graph
};

}  // namespace pto2::cli

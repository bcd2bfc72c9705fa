/// The result of `pto2 run`, for people and for programs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/cli/settings.hpp"
#include "runtime/device/device.hpp"
#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

/// How the repetitions of a run used its graph (runtime/orchestrator/recorded_graph.hpp).
struct GraphReport {
  uint64_t recorded = 0;              ///< repetitions that recorded it
  uint64_t replayed = 0;              ///< those that submitted all their tasks with recorded edges
  uint64_t left = 0;                  ///< those that had other calls than the one recorded
  uint64_t refused = 0;               ///< those that nobody can record
  std::string reason;                 ///< of the last one that was left or refused
  std::vector<uint64_t> replayed_ns;  ///< wall times

  void add(const RunResult& result);
};

struct RunReport {
  const Settings* settings = nullptr;
  DeviceConfig config;
  LaunchTeam team;
  RunResult result;  ///< of the repetition with the median wall time, or of the last, if it failed
  uint64_t repetitions = 0;                 ///< that were run
  double wall_s = 0;                        ///< median, or that of the last, as `result`
  std::string verdict;                      ///< pass, fail, inconclusive, fault, interrupted, error
  std::string detail;                       ///< why not pass; may be empty
  std::string expected;                     ///< outcome() that was asked for; empty: none
  ExitCode interrupted = exit_interrupted;  ///< how the process ends if that is the verdict
  ExitCode error = exit_bad_input;          ///< the same: the run could not be made
  std::optional<double> max_abs_error;      ///< over all repetitions
  std::optional<double> tolerance;
  std::vector<std::string> broken_rules;  ///< by the events of a traced run: our bug
  uint64_t dropped = 0;  ///< events of traced repetitions: those with some were not judged
  std::vector<std::string> kernel_names;  ///< by id
  std::optional<GraphReport> graph;       ///< with --replay-graph
  bool is_lost = false;                   ///< with its process, or not made: there are no counts

  bool is_interrupted() const { return verdict == "interrupted"; }
  bool is_error() const { return verdict == "error"; }
  /// How the run ended: the verdict, or the name of the fault.
  const std::string& outcome() const { return verdict == "fault" ? detail : verdict; }
  /// Whether it ended so. Not for a report that expects nothing.
  bool is_as_expected() const { return outcome() == expected; }
  /// That a trace lacks events, and what of a graph that ran to its end is a mistake in all
  /// likelihood.
  [[nodiscard]] std::vector<std::string> warnings() const;
};

/// Of a run that has not come to its own report.
RunReport fault_report(const Settings& settings, const RunError& error);
/// Of a run that could not be made.
RunReport error_report(const Settings& settings, const CliError& error);

/// A short block of lines.
std::string to_text(const RunReport& report);

/// One object with schema pto2-run/1. Fields without a value are null: the error without a
/// reference, or when an output is not a number; the time inside kernels in a simulation, whose
/// clock counts points of the schedule; of a run that is lost all times and counts.
std::string to_json(const RunReport& report);

/// One line: whether a case ended as expected, its name, its outcome and its wall time.
std::string to_line(const RunReport& report);

/// One object with schema pto2-run-all/1 for the cases of a workload, at least one. Its verdict is
/// error if one could not be made, pass if all ended as expected, interrupted if all did but for
/// one that a signal has ended, else fail.
std::string to_json(std::span<const RunReport> reports);

}  // namespace pto2::cli

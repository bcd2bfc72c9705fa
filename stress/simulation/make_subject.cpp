#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "runtime/executors/seeded_team.hpp"
#include "runtime/executors/weak_memory.hpp"
#include "runtime/output/exit_codes.hpp"
#include "stress/simulation/graph_subject.hpp"
#include "stress/simulation/memory_reserve.hpp"
#include "stress/simulation/workload_subject.hpp"

namespace pto2::simulations {
namespace {

/// For all runs from now on.
void weaken(const Options& options) {
  static std::string name;
  if (options.weaken == name) return;
  if (options.executor == ExecutorKind::seeded) {
    throw cli::CliError(cli::exit_usage,
                        "memory orders have no effect on sequentially consistent memory; use "
                        "--strategy random, pct or bursts");
  }
  name = options.weaken;
  executors::WeakMemory::weakening = {name, std::memory_order_relaxed};
}

/// A fault that is asked for by name, and that no run can have. Of `all`, each run draws one that
/// it can.
void refuse_impossible(const Options& options) {
  if (options.faults == all_faults() || !has(options.faults, Fault::kept_group)) return;
  if (!options.clustered) {
    throw cli::CliError(cli::exit_usage,
                        "the fault kept_group needs graphs with groups: use it with "
                        "--random-graphs --graphs clustered");
  }
  if (options.mistakes) {
    throw cli::CliError(cli::exit_usage,
                        "the fault kept_group needs graphs without a mistake, which may be none "
                        "while a group is open: leave --mistakes out, or the fault");
  }
}

/// Throws std::runtime_error or std::invalid_argument for what there is not, the case first.
void find_workload(const Options& options) {
  static_cast<void>(
      workloads::find_case(workloads::find_workload(options.workload), options.case_name));
  static_cast<void>(workloads::find_workload_images(options.workload));
}

}  // namespace

stress::Launcher launcher_of(const Options& options) {
  return [deadline = options.deadline_ms](ExecutorKind executor, const DeviceConfig& drawn,
                                          const Launch& what, uint64_t seed) {
    DeviceConfig config = drawn;
    config.deadline_ms = deadline;
    // What code of the user's throws for want of memory looks like a fault of it, and threads that
    // wait for one that had none look like a lost wake-up.
    try {
      RunResult result = stress::launch_on(executor, config, what, seed);
      MemoryReserve::check();
      return result;
    } catch (const executors::SeededFailure&) {
      MemoryReserve::check();
      throw;
    }
  };
}

std::unique_ptr<Subject> make_subject(const Options& options) {
  weaken(options);
  refuse_impossible(options);
  const stress::Launcher launch = launcher_of(options);
  try {
    if (!options.workload.empty()) find_workload(options);
    if (options.begins) options.begins();
    if (options.workload.empty()) return std::make_unique<GraphSubject>(options, launch);
    return std::make_unique<WorkloadSubject>(options, launch);
  } catch (const std::invalid_argument& error) {
    throw cli::CliError(cli::exit_usage, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    throw cli::CliError(cli::exit_bad_input, error.what());
  } catch (const std::system_error&) {
    throw;  // nothing is amiss with what was asked for
  } catch (const std::runtime_error& error) {
    throw cli::CliError(cli::exit_bad_input, error.what());
  }
}

}  // namespace pto2::simulations

#include <fmt/format.h>

#include <stdexcept>

#include "runtime/loader/load_error.hpp"
#include "runtime/output/exit_codes.hpp"
#include "stress/simulation/graph_subject.hpp"
#include "stress/simulation/workload_subject.hpp"

namespace pto2::simulations {

std::unique_ptr<Subject> make_subject(const Options& options) {
  if (options.workload.empty()) return std::make_unique<GraphSubject>(options);
  try {
    return std::make_unique<WorkloadSubject>(options);
  } catch (const std::invalid_argument& error) {
    throw cli::CliError(cli::exit_usage, error.what());
  } catch (const std::runtime_error& error) {
    throw cli::CliError(cli::exit_bad_input, error.what());
  }
}

}  // namespace pto2::simulations

#include "models/pto2_check/checking.hpp"

#include <stdexcept>

#include "core/assert.hpp"

namespace pto2 {

void invariant_violated(const char* id, const char* what, const char* file, int line) {
  const std::string message =
      std::string(id) + " violated: " + what + " (" + file + ":" + std::to_string(line) + ")";
  model::check(false, message);
  // It returns in a thread that is being taken down, whose atomics' values mean nothing any more.
  throw std::logic_error(message);
}

namespace scenarios {
namespace {

model::Options options_of(const Entry& entry, const CheckSettings& settings) {
  model::Options options;
  options.name = entry.name;
  options.jobs = settings.jobs;
  options.max_seconds = settings.max_seconds;
  options.progress = settings.progress;
  options.stop = settings.stop;
  options.expected = entry.reaches;
  return options;
}

}  // namespace

model::Report check(const Entry& entry, const CheckSettings& settings) {
  model::Report report = model::explore(options_of(entry, settings), entry.body);
  if (report.ok() && report.executions != entry.expected.executions) {
    report.verdict = model::Verdict::fail;
    report.reason = "expected " + std::to_string(entry.expected.executions) +
                    " executions; models/pto2_check/expected.cpp has the numbers";
  }
  return report;
}

model::Report replay(const Entry& entry, const std::string& token) {
  model::Options options;
  options.name = entry.name;
  options.strategy = model::Strategy::replay;
  options.token = token;
  return model::explore(options, entry.body);
}

}  // namespace scenarios
}  // namespace pto2

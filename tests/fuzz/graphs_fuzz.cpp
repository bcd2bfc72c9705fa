/// Calls of the orchestration API: a program read from bytes, on a device and under a schedule that
/// follow from the first two. It must end in the result, or in the named error, that the sequential
/// interpreter and the counting oracle predict.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stress/graphs/trial.hpp"
#include "tests/fuzz/graph_from_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace pto2;
  fuzz::Bytes bytes(data, size);
  const uint64_t number = bytes.below(1 << 16);
  graphs::Trial trial(number, fuzz::graph_from(bytes));
  std::vector<std::string> problems;
  trial.run(ExecutorKind::seeded, number, problems);
  if (problems.empty()) return 0;
  fuzz::report(fmt::format("{}device and schedule {}: {}", graphs::to_string(trial.program()),
                           number, fmt::join(problems, "\n")));
}

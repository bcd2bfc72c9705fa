#include "runtime/output/replay_help.hpp"

#include <fmt/format.h>

#include "runtime/output/replay_token.hpp"

namespace pto2::cli {

std::string replay_footer() {
  return fmt::format(R"(A token is what a report ends with:
{}

The first repeats one execution on the model checker, the others one simulated run. KIND is plain
or clustered, LIST what may fail (pto2 simulate --faults), STRATEGY sc, random, pct or bursts;
SMALLER says how the seed's run was made smaller.

Options with a token of simulate:
  --trace FILE   write the run's trace, for pto2 validate; - is stdout
  --deadline N   seconds that a kernel or the orchestration may take, as of pto2 simulate

Examples:
  pto2 replay simulate/graphs:clustered@random:17
  pto2 replay simulate/bgemm:Case1:stub@sc:3 --trace trace.jsonl

Exit codes: 0 it holds, 1 a violation or a wrong run, 2 usage, 3 bad input, 4 nothing was replayed,
5 a kernel or an orchestration ended the program, 130 interrupted, 143 terminated.)",
                     token_forms);
}

}  // namespace pto2::cli

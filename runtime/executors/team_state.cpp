#include "runtime/executors/team_state.hpp"

#include <algorithm>

namespace pto2::executors {

namespace {

std::string describe(const HostState& host) {
  if (!host.begun) return "has not begun";
  if (host.asleep) return "asleep";
  if (host.detached) return "inside a kernel of " + host.running;
  if (!host.running.empty()) return "runs " + host.running;
  return host.naps ? "naps while kernels are short" : "looks for work";
}

const char* describe(const ThreadState& thread) {
  switch (thread.activity) {
    case Activity::not_begun:
      return "has not begun";
    case Activity::running:
      return thread.rung ? "runs; a ring is remembered" : "runs";
    case Activity::in_kernel:
      return thread.rung ? "runs a kernel; a ring is remembered" : "runs a kernel";
    case Activity::runnable:
      return "was rung, and waits for its host to run it";
    case Activity::waiting:
      return thread.rung ? "waits, although it was rung" : "waits to be rung";
    case Activity::unknown:
      return thread.rung ? "was rung" : "waits to be rung, or for its host to run it";
    case Activity::finished:
      break;
  }
  return "has finished";
}

}  // namespace

std::string to_string(const TeamState& state) {
  const bool packed = !state.hosts.empty();
  const auto finished = std::ranges::count(state.threads, Activity::finished,
                                           [](const ThreadState& t) { return t.activity; });
  std::string text = std::string(packed ? "packed" : "threads") + " executor, " +
                     std::to_string(finished) + " of " + std::to_string(state.threads.size()) +
                     " threads have finished\n";
  for (std::size_t h = 0; h < state.hosts.size(); ++h) {
    text += "  host " + std::to_string(h) + ": " + describe(state.hosts[h]) + "\n";
  }
  for (const ThreadState& thread : state.threads) {
    if (thread.activity == Activity::finished) continue;
    text += "  " + thread.name;
    if (packed) text += " (host " + std::to_string(thread.host) + ")";
    text += ": " + std::string(describe(thread)) + "\n";
  }
  return text;
}

}  // namespace pto2::executors

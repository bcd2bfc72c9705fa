#include "stress/lost_core.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/events/event_log.hpp"

namespace pto2::stress {
namespace {

/// The core may have been lent a block task since, which the record does not show.
bool lends_blocks(const Record& record) {
  return std::ranges::any_of(record.tasks,
                             [](const TaskRecord& task) { return task.block_dim != 0; });
}

/// What the message must begin with.
std::string expected_begin(const std::string& core, const Record& record) {
  std::string begin = fmt::format("core {} does not answer: it was given task ", core);
  if (lends_blocks(record)) return begin;
  const auto last =
      std::find_if(record.events.rbegin(), record.events.rend(), [&](const Event& event) {
        return event.kind == EventKind::dispatch && record.cores[event.place].name == core;
      });
  if (last == record.events.rend()) return begin;
  return begin + fmt::format("{} of ring {},", local_of(last->task), ring_of(last->task).value);
}

}  // namespace

std::vector<std::string> loss_problems(const executors::ChipFault& fault, const RunResult& result) {
  const RunError& error = result.error;
  if (error.code != ErrorCode::core_lost) {
    return {fmt::format("{} was lost with a task: expected core_lost, got {}: {}", fault.thread,
                        error_name(error.code), error.message)};
  }
  const std::string begin = expected_begin(fault.thread, result.record);
  if (error.message.starts_with(begin)) return {};
  return {fmt::format("expected '{}..', got: {}", begin, error.message)};
}

}  // namespace pto2::stress

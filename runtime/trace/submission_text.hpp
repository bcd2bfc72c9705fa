/// What a trace's lines say of a submission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "runtime/chip/chip.hpp"
#include "runtime/events/event_log.hpp"
#include "runtime/orchestrator/task_trace.hpp"
#include "runtime/trace/external_memory.hpp"

namespace pto2 {

/// Writes the submissions in the order of their events.
class SubmissionText {
 public:
  /// `events` are the orchestrator's. Both outlive this object.
  SubmissionText(const TaskTrace& trace, const EventLog& events);

  /// The fields of the next submission, from `,"kernel":` on.
  [[nodiscard]] std::string next(const Event& submit);
  /// What the next wait for a resource asks for.
  [[nodiscard]] uint64_t next_request();
  /// The cluster of a group.
  [[nodiscard]] uint32_t cluster_of(uint64_t group) const;

 private:
  void add_edges(const TracedTask& task, std::string& text);
  void add_params(const TracedTask& task, std::string& text);
  void add_pipes(const TracedTask& task, std::string& text);
  void add_tensor(const TracedParam& param, std::string& text) const;

  const TaskTrace& trace_;
  ExternalMemory memory_;
  std::map<uint64_t, uint32_t> clusters_;  // of the groups
  std::size_t task_ = 0;
  std::size_t param_ = 0;
  std::size_t edge_ = 0;
  std::size_t hold_ = 0;
  std::size_t pipe_ = 0;
  std::size_t request_ = 0;
};

}  // namespace pto2

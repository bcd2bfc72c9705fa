/// Events of one logical thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "runtime/executors/execution_policy.hpp"
#include "runtime/record/event.hpp"

namespace pto2 {

/// Written by its logical thread alone; read after the run.
class EventLog {
 public:
  EventLog() = default;
  /// Keeps up to `capacity` events, in memory that grows as they come: most threads of most runs
  /// have few.
  EventLog(std::string thread, std::size_t capacity)
      : thread_(std::move(thread)), capacity_(capacity) {}

  /// True if events are wanted.
  [[nodiscard]] bool enabled() const { return capacity_ != 0; }

  void record(const Event& event) {
    if (events_.size() == capacity_) {
      ++dropped_;
    } else if (has_room()) {
      events_.push_back(event);
    }
  }
  /// An event of a pipe: its place is that of its use.
  void record(Event event, const PipeUse& use) {
    if (events_.size() < capacity_) pipe_uses_.push_back(use);
    event.place = static_cast<uint32_t>(pipe_uses_.size() - 1);
    record(event);
  }

  [[nodiscard]] const std::string& thread() const { return thread_; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] const std::vector<PipeUse>& pipe_uses() const { return pipe_uses_; }
  /// Events that came after `capacity` others.
  [[nodiscard]] uint64_t dropped() const { return dropped_; }
  /// Whether there was no memory for one: it is lost.
  [[nodiscard]] bool lacks_memory() const { return lacks_memory_; }

 private:
  static constexpr std::size_t at_first = 64;

  bool has_room() { return events_.size() < events_.capacity() || grow(); }
  /// The run goes on: who records cannot end it everywhere.
  [[gnu::noinline]] bool grow() noexcept {
    try {
      events_.reserve(std::min(capacity_, std::max(at_first, 2 * events_.size())));
      return true;
    } catch (const std::bad_alloc&) {
      lacks_memory_ = true;
      return false;
    }
  }

  std::string thread_;
  std::vector<Event> events_;
  std::vector<PipeUse> pipe_uses_;
  std::size_t capacity_ = 0;
  uint64_t dropped_ = 0;
  bool lacks_memory_ = false;
};

/// Records an event as of now, if the log is enabled.
template <executors::ExecutionPolicy P>
[[gnu::noinline]] void record(EventLog& log, Event event) {
  if (!log.enabled()) return;
  event.t = P::now();
  log.record(event);
}
/// The same of one of a task, or of none; one predictable branch if it is not enabled.
template <executors::ExecutionPolicy P>
[[gnu::always_inline]] inline void record(EventLog& log, EventKind kind, TaskId task,
                                          uint32_t place = 0, uint32_t part = 0) {
  if (log.enabled()) [[unlikely]]
    record<P>(log, Event{.task = task, .part = part, .place = place, .kind = kind});
}

}  // namespace pto2

/// The events of all logs of a run in one order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/event_log.hpp"

namespace pto2 {

/// By time; those of one time in the order of the logs, those of one log in theirs. Refers to the
/// logs, in each of which times do not descend: what does comes as soon as what is before it.
///
/// A heap of the logs by their next event. A thread records several events in a row, so that the
/// log at its top mostly stays there.
class MergedLogs {
 public:
  explicit MergedLogs(std::span<const EventLog* const> logs) {
    left_.reserve(logs.size());
    heads_.reserve(logs.size());
    for (const EventLog* log : logs) {
      left_.push_back(log->events());
      if (!left_.back().empty()) {
        heads_.push_back({log->events().front().t, static_cast<uint32_t>(left_.size() - 1)});
      }
    }
    for (std::size_t i = heads_.size() / 2; i-- > 0;) sink(i);
  }

  /// No event is left.
  [[nodiscard]] bool empty() const { return heads_.empty(); }
  /// The number of the log that has the next event.
  [[nodiscard]] uint32_t log() const { return heads_.front().log; }
  [[nodiscard]] const Event& front() const { return left_[log()].front(); }
  void pop() {
    std::span<const Event>& left = left_[log()];
    left = left.subspan(1);
    if (left.empty()) {
      heads_.front() = heads_.back();
      heads_.pop_back();
      if (heads_.empty()) return;
    } else {
      heads_.front().t = left.front().t;
    }
    sink(0);
  }

 private:
  struct Head {
    uint64_t t;
    uint32_t log;
    [[nodiscard]] bool is_before(const Head& other) const {
      return t != other.t ? t < other.t : log < other.log;
    }
  };

  /// Moves the head down to where no child is before it.
  void sink(std::size_t place) {
    const Head head = heads_[place];
    for (std::size_t child = 2 * place + 1; child < heads_.size(); child = 2 * place + 1) {
      if (child + 1 < heads_.size() && heads_[child + 1].is_before(heads_[child])) ++child;
      if (!heads_[child].is_before(head)) break;
      heads_[place] = heads_[child];
      place = child;
    }
    heads_[place] = head;
  }

  std::vector<std::span<const Event>> left_;  // of each log
  std::vector<Head> heads_;                   // of those that have events left
};

}  // namespace pto2

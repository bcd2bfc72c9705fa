/// Parts of a record.
#pragma once

#include <vector>

#include "runtime/record/record.hpp"

namespace pto2::test {

/// The events of one thread, in its order. Threads are the orchestrator, the schedulers, the cores.
inline std::vector<Event> events_of(const Record& record, uint32_t thread) {
  std::vector<Event> events;
  for (const Event& event : record.events) {
    if (event.thread == thread) events.push_back(event);
  }
  return events;
}

}  // namespace pto2::test

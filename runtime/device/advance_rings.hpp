/// Moving watermarks, with what is recorded of it.
#pragma once

#include "core/watermark.hpp"
#include "runtime/chip/event_log.hpp"

namespace pto2 {

/// Advances each ring whose bit is set in `rings` as far as it goes. Records the tasks that are
/// reclaimed by it; `cas_retries` grows by the races that were lost.
template <class P, class Life>
void advance_rings(Life& life, uint32_t rings, EventLog& log, uint64_t& cas_retries) {
  for (uint32_t ring = 0; rings >> ring != 0; ++ring) {
    if (!(rings >> ring & 1)) continue;
    for (;;) {
      const auto step = life.advance(ring);
      if (step.result == Advance::lost_race) ++cas_retries;
      if (step.result != Advance::advanced) break;
      record<P>(log, EventKind::reclaim, step.reclaimed);
    }
  }
}

}  // namespace pto2

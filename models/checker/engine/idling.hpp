#pragma once

#include <cstdint>
#include <optional>

#include "models/checker/engine/event_graph.hpp"
#include "models/checker/engine/memory.hpp"

namespace pto2::model::engine {

/// A thread's polling loop: its turns end by idling.
struct Idling {
  bool until_end = false;        ///< it waits for the end of the loop, in a predicate
  bool makes_last_turn = false;  ///< to see whether it would idle for ever
  bool checks_turn = false;      ///< what it does now is the turn behind the one it idled after
  std::int32_t turn_end = 0;     ///< position behind the turn after which it idles

  /// In a turn that comes because nobody else can go on, on the newest values: if it sees something
  /// new that follows from what the thread has done before it idled, that was no turn to idle
  /// behind. A search does not revisit what it has read for what comes of it.
  std::optional<Fault> check_turn(const EventGraph& graph, EventId read);
};

}  // namespace pto2::model::engine

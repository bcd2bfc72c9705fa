#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/checker/engine/execution.hpp"

namespace pto2::model::engine {

/// One step of an execution: who makes it, and how far from the newest write a read's source or a
/// write's predecessor is.
struct Step {
  ThreadId thread = 0;
  std::int32_t rank = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

/// An execution as the steps that build its graph by forward additions only. Any consistent graph
/// has such a script: every part of it that is closed under its causal past is consistent too.
struct Script {
  std::vector<Step> steps;
  std::uint64_t fingerprint = 0;  ///< of the kinds and orders of the steps

  std::string to_token() const;
  /// Throws std::invalid_argument with a reason when the text is not a token of this version.
  static Script from_token(std::string_view token);
};

/// The events of a graph in an order that respects program order and reads-from, with the fewest
/// context switches (few, in a graph where very many orders would have to be compared); only those
/// in the causal past of `last_of` when that is not negative.
std::vector<EventId> linearise(const EventGraph& graph, ThreadId last_of);
Script to_script(const EventGraph& graph, const std::vector<EventId>& order);

/// Follows a script; behind its end everybody reads the newest values.
class Scripted final : public Search {
 public:
  explicit Scripted(Script script) : script_(std::move(script)) {}

  void place_read(EventGraph& graph, EventId read) override;
  void place_write(EventGraph& graph, EventId write) override;
  ThreadId pick(const std::vector<ThreadId>& ready) override;
  bool preempts() const override { return true; }
  bool keeps_failed_predicates() const override { return true; }
  /// Why the script does not fit the program; empty when it does.
  std::string mismatch(const EventGraph& graph) const;

 private:
  std::int32_t rank(const EventGraph& graph, ThreadId thread);

  Script script_;
  std::string mismatch_;
};

}  // namespace pto2::model::engine

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/checker/engine/event_graph.hpp"
#include "pto2/checker/options.hpp"

namespace pto2::model::engine {

/// A place in the program whose accesses are made as strong as `order` says.
struct Strengthened {
  std::source_location site;
  bool sequentially_consistent = false;  ///< otherwise acquire, release or both, as fits

  std::memory_order apply(Kind kind, std::memory_order order, const std::source_location& at) const;
};

/// The places with weak accesses in a graph, each once.
std::vector<std::source_location> weak_sites(const EventGraph& graph);

/// Looks for one place whose strengthening makes the program pass, first to acquire and release,
/// then to seq_cst, and says so in a sentence; empty when none is found within `seconds`.
std::string find_hint(const Options& options, const std::function<void()>& body,
                      const std::vector<std::source_location>& sites, double seconds);

}  // namespace pto2::model::engine

/// How a run used a graph that was recorded before (recorded_graph.hpp).
#pragma once

#include <cstdint>
#include <string>

namespace pto2 {

struct GraphUse {
  enum class Kind : uint8_t {
    none,      ///< there was no graph to use, or the run failed with it
    recorded,  ///< it was recorded, for the next run
    refused,   ///< it cannot be recorded
    replayed,  ///< all its calls were those that had been recorded
    left,      ///< it had other calls, and went on without the graph
  };
  Kind kind = Kind::none;
  uint64_t tasks = 0;  ///< that were recorded, or submitted with recorded edges
  std::string reason;  ///< why it was refused, or left
};
/// "none", "recorded", "refused", "replayed" or "left".
[[nodiscard]] const char* graph_use_name(GraphUse::Kind kind);

}  // namespace pto2

/// Calls that the runtime must refuse.
#pragma once

#include "stress/graphs/builder.hpp"

namespace pto2::graphs {

/// Adds a few steps the last of which is refused, whatever the program was until then, and two
/// that nobody may act on any more. Requires that nothing was refused before.
void make_mistake(Builder& builder, executors::Random& random);

/// The same with a cluster or a block task.
void make_cluster_mistake(Builder& builder, executors::Random& random);

}  // namespace pto2::graphs

/// Random programs as people write them: scopes in scopes, views of views, tiles of one buffer,
/// external memory used again and again, and now and then a mistake. Clustered ones have groups,
/// pinned tasks and block tasks as well (graph_groups.hpp).
#pragma once

#include <cstdint>

#include "stress/graphs/program.hpp"

namespace pto2::graphs {

/// How many programs have a mistake somewhere, which ends them.
enum class Mistakes { sometimes, always };

/// What a program is made of. The plain one of a seed stays what it is.
enum class Graphs { plain, clustered };

/// The program of a seed; every seed has one. Its outcome does not depend on the schedule: a task
/// touches a byte only if the runtime orders it after all earlier tasks with which that conflicts.
Program generate(uint64_t seed, Mistakes mistakes = Mistakes::sometimes,
                 Graphs graphs = Graphs::plain);

}  // namespace pto2::graphs

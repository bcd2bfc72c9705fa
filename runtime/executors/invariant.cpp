#include <cstdio>
#include <cstdlib>

#include "core/assert.hpp"
#include "runtime/executors/seeded_team.hpp"

namespace pto2 {

void invariant_violated(const char* id, const char* what, const char* file, int line) {
  std::fprintf(stderr, "invariant %s violated: %s (%s:%d)\n", id, what, file, line);
  if (const auto* team = executors::SeededTeam::current()) {
    std::fprintf(stderr, "seed %llu, point %llu\n", static_cast<unsigned long long>(team->seed()),
                 static_cast<unsigned long long>(team->points()));
  }
  std::abort();
}

}  // namespace pto2

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/assert.hpp"
#include "runtime/executors/seeded_team.hpp"

namespace pto2 {

/// In a simulation it is the run that ends, and says so.
void invariant_violated(const char* id, const char* what, const char* file, int line) {
  std::string text = std::string("invariant ") + id + " violated: " + what + " (" + file + ":" +
                     std::to_string(line) + ")";
  if (auto* team = executors::SeededTeam::current()) team->give_up(std::move(text));
  std::fprintf(stderr, "%s\n", text.c_str());
  std::abort();
}

}  // namespace pto2

#include <cstdio>
#include <cstdlib>

#include "core/assert.hpp"

namespace pto2 {

void invariant_violated(const char* id, const char* what, const char* file, int line) noexcept {
  std::fprintf(stderr, "core invariant %s violated: %s (%s:%d)\n", id, what, file, line);
  std::abort();
}

}  // namespace pto2

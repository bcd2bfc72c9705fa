#include "runtime/output/standard_descriptors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace pto2::cli {

void occupy_standard_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest that is free: this one. A path is there everywhere, and neither reads nor writes.
    if (fcntl(standard, F_GETFD) < 0) (void)!open("/", O_PATH);
  }
}

}  // namespace pto2::cli

#include "runtime/output/reserved_stdout.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <iostream>

namespace pto2::cli {
namespace {

/// What was printed before belongs to where stdout was then, also what waits in a buffer of
/// std::cout that does not share that of stdio.
void point_stdout_to(int file) {
  std::cout.flush();
  std::fflush(stdout);
  dup2(file, STDOUT_FILENO);
}

}  // namespace

ReservedStdout::ReservedStdout() {
  // Not one of the first three: of these one may be closed.
  const int former = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (former < 0) return;
  document_.reset(fdopen(former, "w"));
  if (document_) {
    point_stdout_to(STDERR_FILENO);
  } else {
    close(former);
  }
}

ReservedStdout::~ReservedStdout() {
  if (document_) point_stdout_to(fileno(document_.get()));
}

}  // namespace pto2::cli

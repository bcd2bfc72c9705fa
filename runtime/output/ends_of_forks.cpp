#include "runtime/output/ends_of_forks.hpp"

#include <sys/wait.h>

#include <cerrno>
#include <system_error>

namespace pto2::cli {
namespace {

std::optional<int> wait_for(pid_t child, int options) {
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, options);
    if (ended == child) return status;
    if (ended == 0) return std::nullopt;
    // A status of 0 would pass for a good end.
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
}

}  // namespace

KeptEnds::KeptEnds() {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &former_);
}

void KeptEnds::restore() const {
  sigaction(SIGCHLD, &former_, nullptr);
}

int status_of(pid_t child) {
  return *wait_for(child, 0);
}

std::optional<int> status_if_ended(pid_t child) {
  return wait_for(child, WNOHANG);
}

}  // namespace pto2::cli

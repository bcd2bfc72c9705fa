/// How the processes that this one has forked end.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>

namespace pto2::cli {

/// While it lives, how a process ends is kept until somebody asks for it. Whoever starts a program
/// may have SIGCHLD ignored, which the program inherits: then nothing is kept, and nobody hears of
/// an end. For the whole process.
class KeptEnds {
 public:
  KeptEnds();
  ~KeptEnds() { restore(); }
  KeptEnds(const KeptEnds&) = delete;
  KeptEnds& operator=(const KeptEnds&) = delete;

  /// As it was before; for a forked process that does not come to the end of its copy.
  void restore() const;

 private:
  struct sigaction former_ {};
};

/// Waits until the process has ended; its status. Throws std::system_error if nobody can know it.
[[nodiscard]] int status_of(pid_t child);
/// The same without a wait: nothing if it still runs.
[[nodiscard]] std::optional<int> status_if_ended(pid_t child);

}  // namespace pto2::cli

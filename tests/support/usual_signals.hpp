/// For tests that signals end.
#pragma once

#include <csignal>

namespace pto2::test {

/// Whatever this program was started with: a shell ignores SIGINT for what it runs in the
/// background, and for what that starts.
inline void have_usual_signals() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
}

}  // namespace pto2::test

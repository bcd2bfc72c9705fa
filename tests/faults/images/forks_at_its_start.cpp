/// An image whose start waits for a thread that forks.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace {

[[maybe_unused]] const bool has_forked = [] {
  std::thread([] {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
  }).join();
  return true;
}();

}  // namespace

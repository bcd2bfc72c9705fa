#include "runtime/output/interruption.hpp"

#include "runtime/output/chosen_end.hpp"
#include "runtime/output/stderr_text.hpp"

namespace pto2::cli {
namespace {

ExitCode code_of(int signal) {
  return signal == SIGINT ? exit_interrupted : exit_terminated;
}

const char* name_of(int signal) {
  return signal == SIGINT ? "interrupted" : "terminated";
}

}  // namespace

bool is_ignored(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler == SIG_IGN;
}

Interruption::Interruption(First first) : first_(first) {
  sigemptyset(&signals_);
  sigemptyset(&ignored_);
  for (const int signal : {SIGINT, SIGTERM}) {
    sigaddset(&signals_, signal);
    if (is_ignored(signal)) sigaddset(&ignored_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &former_);
  thread_ = std::thread([this] { wait(); });
}

Interruption::~Interruption() {
  over_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &former_, nullptr);
}

std::optional<ExitCode> Interruption::exit_code() const {
  const int signal = signal_;
  if (signal == 0) return std::nullopt;
  return code_of(signal);
}

void Interruption::wait() {
  using Clock = std::chrono::steady_clock;
  Clock::time_point first;
  for (int signal = 0; sigwait(&signals_, &signal) == 0 && !over_;) {
    // One that is blocked, as it is here, comes all the same.
    if (sigismember(&ignored_, signal) == 1) continue;
    if (first_ == First::ends) {
      print_to_stderr_at_once("\npto2: {}\n", name_of(signal));
      end_at_once(code_of(signal));
    }
    if (signal_ == 0) {
      first = Clock::now();
      signal_ = signal;
      source_.request_stop();
      print_to_stderr_at_once(
          "\npto2: {}; ending with what was found so far, once more ends at once\n",
          name_of(signal));
    } else if (Clock::now() - first > same) {
      end_at_once(code_of(signal));
    }
  }
}

}  // namespace pto2::cli

/// SIGINT and SIGTERM, for a command that ends early with what it has found so far.
#pragma once

#include <csignal>

#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <thread>

#include "runtime/output/exit_codes.hpp"

namespace pto2::cli {

/// Whether this process is to go on when the signal comes, as whoever started it may have wanted: a
/// shell ignores SIGINT for what it runs in the background.
[[nodiscard]] bool is_ignored(int signal);

/// While it exists, a thread of its own waits for the two signals, of which one that is ignored
/// when it is made does nothing. They are blocked in the thread that makes it and in those that
/// this one starts from then on, so make it before any other.
class Interruption {
 public:
  enum class First {
    requests_stop,  ///< the second signal, if it comes later than `same`, ends the process at once
    ends,           ///< so does the first: there is nothing to save
  };

  /// What comes so soon after the first signal is part of it: timeout(1), for one, sends each
  /// signal to its child and then to the group that the child is in.
  static constexpr std::chrono::milliseconds same{500};

  explicit Interruption(First first);
  /// Gives the caller its former mask of signals back.
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] std::stop_token stop() const { return source_.get_token(); }
  /// How the process is to end: nothing as long as no signal has come.
  [[nodiscard]] std::optional<ExitCode> exit_code() const;

 private:
  void wait();

  const First first_;
  std::stop_source source_;
  std::atomic<int> signal_{0};  ///< the first that came
  std::atomic<bool> over_{false};
  sigset_t signals_{};
  sigset_t ignored_{};  ///< of these
  sigset_t former_{};
  std::thread thread_;
};

}  // namespace pto2::cli

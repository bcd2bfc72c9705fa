#include "stress/stressing/isolated.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <new>
#include <system_error>

#include "runtime/loader/load_error.hpp"
#include "runtime/output/descriptor.hpp"
#include "runtime/output/ends_of_forks.hpp"
#include "runtime/output/interruption.hpp"
#include "runtime/output/stderr_text.hpp"

namespace pto2::stress {
namespace {

/// Behind what the work says: code of the user's may end the process with any code before.
constexpr char end_of_answer = '\0';
constexpr int failed_work = 70;
constexpr int refused_work = 71;
constexpr std::size_t kept_errors = 16 << 10;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) _exit(failed_work);
    done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
}

[[noreturn]] void work_in_child(const std::function<std::string()>& work, int results, int errors,
                                pid_t parent, const PendingSignals& signals) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(failed_work);
  signals.unblock();
  dup2(errors, STDERR_FILENO);
  try {
    write_all(results, work() + end_of_answer);
  } catch (const std::exception& error) {
    if (const std::optional<std::string> refusal = refusal_in(error)) {
      write_all(results, *refusal + end_of_answer);
      std::exit(refused_work);
    }
    cli::print_to_stderr("{}\n", error.what());
    std::exit(failed_work);
  }
  std::exit(0);  // and not _exit(): sanitizers have the last word
}

std::string last_of(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  const off_t begin = std::max<off_t>(size - static_cast<off_t>(kept_errors), 0);
  std::string text(static_cast<std::size_t>(std::max<off_t>(size - begin, 0)), '\0');
  const ssize_t count = pread(file, text.data(), text.size(), begin);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

std::string text_of_status(int status) {
  if (WIFSIGNALED(status)) {
    const char* const name = sigabbrev_np(WTERMSIG(status));
    return name != nullptr ? fmt::format("SIG{}", name)
                           : fmt::format("signal {}", WTERMSIG(status));
  }
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

/// How long a process has used no processor.
class IdleTime {
 public:
  explicit IdleTime(pid_t process) { clock_getcpuclockid(process, &clock_); }

  /// At this look; the time between two looks counts for a second at most, so that nobody is idle
  /// since both processes were stopped for a while.
  std::chrono::nanoseconds look() {
    timespec used{};
    clock_gettime(clock_, &used);
    const auto now = std::chrono::steady_clock::now();
    const bool worked = used.tv_sec != used_.tv_sec || used.tv_nsec != used_.tv_nsec;
    idle_ = worked ? std::chrono::nanoseconds(0)
                   : idle_ + std::min<std::chrono::nanoseconds>(now - last_look_, one_look);
    used_ = used;
    last_look_ = now;
    return idle_;
  }

 private:
  static constexpr std::chrono::seconds one_look{1};
  clockid_t clock_{};
  timespec used_{};
  std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
  std::chrono::nanoseconds idle_{0};
};

/// Why nothing more is read.
enum class End { closed, stopped, idle };

/// Reads until the process has closed its end, or is not to be waited for any longer.
End read_results(int results, pid_t child, const std::function<void()>& watch,
                 const Patience& patience, PendingSignals& signals, std::string& text) {
  const auto end = std::chrono::steady_clock::now() + patience.time;
  IdleTime idle(child);
  std::array<char, 4096> buffer;
  for (;;) {
    pollfd what{results, POLLIN, 0};
    const int ready = poll(&what, 1, 200);
    watch();
    if (signals.look() || std::chrono::steady_clock::now() >= end) return End::stopped;
    if (idle.look() >= patience.idle) return End::idle;
    if (ready <= 0) continue;
    const ssize_t count = read(results, buffer.data(), buffer.size());
    if (count == 0) return End::closed;
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

std::optional<std::string> refusal_in(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "out of memory; use a smaller case, or end other programs";
  }
  if (dynamic_cast<const std::system_error*>(&error) != nullptr) {
    return fmt::format(
        "the system refused: {}; end other programs, or raise the limits of this process "
        "(ulimit -a)",
        error.what());
  }
  const bool is_input = dynamic_cast<const cli::CliError*>(&error) != nullptr ||
                        dynamic_cast<const LoadError*>(&error) != nullptr;
  return is_input ? std::optional<std::string>(error.what()) : std::nullopt;
}

PendingSignals::PendingSignals() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (!cli::is_ignored(signal)) sigaddset(&signals_, signal);
  }
  sigprocmask(SIG_BLOCK, &signals_, &former_);
}

PendingSignals::~PendingSignals() {
  constexpr timespec none{0, 0};
  while (sigtimedwait(&signals_, nullptr, &none) > 0) {
    // or it would end the process now
  }
  unblock();
}

bool PendingSignals::look() {
  constexpr timespec none{0, 0};
  const int signal = sigtimedwait(&signals_, nullptr, &none);
  if (signal > 0 && seen_ == 0) {
    seen_ = signal;
    cli::print_to_stderr_at_once("\npto2: {}; ending with what was found so far\n",
                                 signal == SIGINT ? "interrupted" : "terminated");
  }
  return seen_ != 0;
}

std::optional<cli::ExitCode> PendingSignals::exit_code() const {
  if (seen_ == 0) return std::nullopt;
  return seen_ == SIGINT ? cli::exit_interrupted : cli::exit_terminated;
}

void PendingSignals::unblock() const {
  sigprocmask(SIG_SETMASK, &former_, nullptr);
}

Ended run_isolated(const std::function<std::string()>& work, const std::function<void()>& watch,
                   const Patience& patience, PendingSignals& signals) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
  const cli::Descriptor results(ends[0]);
  cli::Descriptor written(ends[1]);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> errors(std::tmpfile(), std::fclose);
  if (errors == nullptr) fail("a temporary file");
  const cli::KeptEnds kept_ends;
  std::fflush(nullptr);  // or the child writes it, too
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    kept_ends.restore();
    work_in_child(work, written.number(), fileno(errors.get()), parent, signals);
  }
  written.close();
  Ended ended;
  const End end = read_results(results.number(), child, watch, patience, signals, ended.result);
  if (end != End::closed) kill(child, SIGKILL);
  const int status = cli::status_of(child);
  ended.stopped = end == End::stopped;
  const bool has_answered = ended.result.ends_with(end_of_answer);
  if (has_answered) ended.result.pop_back();
  ended.refused = has_answered && WIFEXITED(status) && WEXITSTATUS(status) == refused_work;
  ended.completed = has_answered && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!ended.completed) ended.how = text_of_status(status);
  if (end == End::idle) {
    ended.how += fmt::format(", since it had used no processor for {} s: was it stopped?",
                             std::chrono::duration<double>(patience.idle).count());
  }
  ended.errors = last_of(fileno(errors.get()));
  return ended;
}

}  // namespace pto2::stress

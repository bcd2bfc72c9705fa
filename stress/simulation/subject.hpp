/// What can be simulated: anything that a seed turns into a run, which is right or wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/device/run_result.hpp"
#include "stress/drawn_device.hpp"
#include "stress/graphs/census.hpp"
#include "stress/simulation/faults.hpp"

namespace pto2::simulations {

/// What became of a second run of the seed.
enum class Repetition : uint8_t { none, same, other };

struct SimulatedRun {
  std::string outcome;                ///< "passed", a kind of deadlock, "wrong", ..
  std::vector<std::string> problems;  ///< empty unless it is wrong
  uint64_t tasks = 0;
  uint64_t points = 0;          ///< of the schedule
  graphs::Census census = {};   ///< of a random graph with groups
  Fault fault = Fault::none;    ///< that was drawn
  bool fault_reached = false;   ///< the run has come to it
  std::string fault_text = {};  ///< text_of() the fault, with its place
  bool timed_out = false;       ///< it ended in a time-out
  bool livelocked = false;      ///< it was given up, since it had no end
  Repetition repetition = Repetition::none;
  RunResult result = {};  ///< as it is, if it ended with one

  [[nodiscard]] bool wrong() const { return !problems.empty(); }
};

/// A kernel or the orchestration did not return.
[[nodiscard]] inline bool is_timeout(ErrorCode code) {
  return code == ErrorCode::scheduler_timeout || code == ErrorCode::orchestration_timeout;
}

/// A wrong run, made smaller.
struct Shrunk {
  std::string token;   ///< what a token has behind the seed
  std::string story;   ///< the program, the device, what was expected and what came
  bool wrong = false;  ///< so was the run of the token: with kernels that remember it need not be
};

/// Used by one OS thread at a time; of several, each has its own.
class Subject {
 public:
  Subject() = default;
  virtual ~Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  /// Everything follows from the seed.
  virtual SimulatedRun run(uint64_t seed) = 0;
  /// Of a seed whose run is wrong.
  virtual Shrunk shrink(uint64_t seed) = 0;
  /// The run again that shrink() ended with; `token` is its. Throws std::invalid_argument.
  virtual SimulatedRun run_shrunk(uint64_t seed, const std::string& token, std::string& story) = 0;
  /// The outcomes that a thousand runs show.
  [[nodiscard]] virtual std::vector<std::string> usual_outcomes() const = 0;
};

/// What to simulate, and how.
struct Options {
  std::string workload;  ///< empty: random graphs
  std::string case_name;
  bool stub_kernels = false;
  bool clustered = false;        ///< of random graphs: groups, pinned tasks, block tasks, pipes
  bool mistakes = false;         ///< of random graphs: each has one
  bool validate = true;          ///< judge each run by its trace as well
  std::function<void()> begins;  ///< called before code of the user's is; may be empty
  FaultSet faults = {};          ///< of which one is drawn for each run, or none
  std::string weaken;            ///< a memory order that is relaxed, on weak memory; empty: none
  std::stop_token stop;  ///< where it is wanted, nothing more is tried to make a run smaller
  FanOutKind fan_out = FanOutKind::word;
  ExecutorKind executor = ExecutorKind::seeded;
  uint64_t deadline_ms = DeviceConfig{}.deadline_ms;  ///< of each run
};

/// As stress::launch_on(), with what the options say of each run's configuration. Throws
/// std::bad_alloc if memory has ended by then (MemoryReserve).
[[nodiscard]] stress::Launcher launcher_of(const Options& options);

/// Throws CliError for what there is not, and std::system_error if the system refuses an OS thread.
std::unique_ptr<Subject> make_subject(const Options& options);

}  // namespace pto2::simulations

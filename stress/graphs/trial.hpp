/// One numbered trial of the whole runtime: a random program on a random device, and what must come
/// of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stress/drawn_device.hpp"
#include "stress/graphs/census.hpp"
#include "stress/graphs/demand.hpp"
#include "stress/graphs/generator.hpp"
#include "stress/graphs/run.hpp"

namespace pto2::graphs {

/// How a trial can end, as predicted, and `wrong`. The deadlocks are in the order of
/// oracle::Resource.
enum class Ending : uint32_t {
  passed,
  no_window,
  no_heap,
  no_nodes,
  no_entries,
  no_clusters,
  refused,    ///< a call that the orchestration has made
  threw,      ///< the orchestration
  overflow,   ///< of a pipe
  underflow,  ///< of a pipe
  core_lost,  ///< if that is what fails
  wrong
};
inline constexpr std::size_t endings = 12;
/// Whether a run that is right may end so where nothing of the chip fails.
[[nodiscard]] bool is_of_sound_chips(Ending ending);
/// Whether a plain graph, which has no groups, may end so.
[[nodiscard]] bool is_for_plain(Ending ending);
/// For reports: "passed", "wrong", and of the others the name of the fault, as runs of workloads
/// have it.
const char* name_of(Ending ending);

class Trial {
 public:
  /// Everything but the executor follows from the number.
  explicit Trial(uint64_t number, Mistakes mistakes = Mistakes::sometimes,
                 Graphs graphs = Graphs::plain);
  /// A given program, on the device that the number draws for it.
  Trial(uint64_t number, Program program);

  /// Runs have this fan-out; the word without it.
  void use(FanOutKind fan_out) { config_.fan_out = fan_out; }
  /// Runs are launched by it; by stress::launch_on() without it.
  void launch_by(stress::Launcher launch) { launch_ = std::move(launch); }
  /// This fails in runs, which are simulated. Requires, if it loses a core, that the trial is not
  /// stopped().
  void fail_by(const executors::ChipFault& fault) { chip_fault_ = fault; }
  /// How often the orchestration frees a cluster; 0 if it makes a mistake, which would perhaps be
  /// none if a group were still open.
  [[nodiscard]] uint64_t frees() const;
  /// Leaves one of these calls out, from 0 on, so that the end of the scope closes the group. All
  /// is predicted anew; the device stays what was drawn for the whole program, but that it may have
  /// more nodes. Requires which < frees().
  void keep_group(uint64_t which);
  /// Whether a run that came to `result` had got as far as to the call that was left out.
  [[nodiscard]] bool has_kept_group(const RunResult& result) const;
  /// The rules of the judge are left out. All else must hold, the edges of the record, too.
  void do_not_judge_records() { judges_records_ = false; }

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const DeviceConfig& config() const { return config_; }
  [[nodiscard]] const Interpreter& predicted() const { return predicted_; }
  /// What must come of it, unless the chip fails.
  [[nodiscard]] Ending expected() const;
  /// A call, an exception or a kernel must end it, at once.
  [[nodiscard]] bool stopped() const;

  /// Runs it on `executor`; on the seeded ones under the schedule of this seed. `problems` says
  /// what is wrong, if anything is. The run is added to the census, if there is one, and its result
  /// is left in `result`, if there is that.
  Ending run(ExecutorKind executor, uint64_t seed, std::vector<std::string>& problems,
             Census* census = nullptr, RunResult* result = nullptr) const;
  /// What the last of several runs finds changed.
  enum class Change {
    nothing,
    memory,    ///< that of the caller is elsewhere
    supplies,  ///< runs before it had as much as they needed, and need not end as predicted
  };
  /// As many runs as there are seeds, one after the other, with one graph (Launch::graph). `uses`
  /// says how each of them used it. Ends with the first that is wrong.
  Ending repeat(ExecutorKind executor, std::span<const uint64_t> seeds, Change change,
                std::vector<std::string>& problems, std::vector<GraphUse>& uses) const;
  /// The same of a run that came to `result`.
  void judge(const GraphRun& run, const RunResult& result,
             std::vector<std::string>& problems) const;

 private:
  void draw_config(uint64_t number);
  void draw_blocks(uint64_t number);
  void draw_accelerators(uint64_t number);
  void measure();
  void predict();
  Ending launch(GraphRun& run, RecordedGraph* graph, ExecutorKind executor, uint64_t seed,
                std::vector<std::string>& problems, Census* census, RunResult* kept) const;
  void launch_amply(GraphRun& run, RecordedGraph& graph, ExecutorKind executor,
                    uint64_t seed) const;
  /// The fault, if the run comes to it.
  [[nodiscard]] const PredictedFault* fault() const;
  void judge_loss(const GraphRun& run, const RunResult& result,
                  std::vector<std::string>& problems) const;
  void judge_record(const RunResult& result, std::vector<std::string>& problems) const;
  void judge_error(const RunResult& result, std::vector<std::string>& problems) const;
  [[nodiscard]] std::vector<std::string> expected_lines() const;
  [[nodiscard]] bool allows_for_late_nodes(const std::string& hint) const;
  void judge_hint(const std::string& hint, std::vector<std::string>& problems) const;
  void judge_deadlock(const RunError& error, std::vector<std::string>& problems) const;
  void judge_pipes(const RunResult& result, std::vector<std::string>& problems) const;
  void judge_counts(const RunResult& result, std::vector<std::string>& problems) const;

  Program program_;
  Interpreter predicted_;
  Demand demand_;
  oracle::SmallestSizes smallest_{};
  uint64_t slow_nodes_ = 0;  ///< enough even if nothing has completed when it is submitted
  DeviceConfig config_;
  bool judges_records_ = true;
  stress::Launcher launch_ = stress::launch_on;
  executors::ChipFault chip_fault_;
  std::optional<oracle::Deadlock> deadlock_;
  /// Calls that come before the one that keep_group() leaves out, and that a run may end in.
  struct {
    uint64_t tasks = 0;
    uint64_t groups = 0;
  } before_kept_;
};

}  // namespace pto2::graphs

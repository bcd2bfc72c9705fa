#include "stress/graphs/trial.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>
#include <map>

#include "runtime/judge/judge.hpp"
#include "runtime/orchestrator/recorded_graph.hpp"
#include "stress/lost_core.hpp"
#include "stress/oracles/demanded_edges.hpp"

namespace pto2::graphs {
namespace {

using oracle::Resource;

/// Enough for the events of one logical thread.
constexpr std::size_t events_per_thread = 1 << 14;

/// How much there is of a resource, compared with the least that is enough.
enum class Supply { ample, exact, short_by_one, short_by_much };

/// Which of the four resources are scarce, and how: none, one or two at a time.
std::array<Supply, 4> draw_supplies(executors::Random& random) {
  std::array<Supply, 4> supplies{};
  static constexpr std::array<uint64_t, 8> scarce{0, 0, 0, 1, 1, 1, 2, 2};
  for (uint64_t n = scarce[random.below(scarce.size())]; n != 0; --n) {
    supplies[random.below(supplies.size())] = static_cast<Supply>(1 + random.below(3));
  }
  return supplies;
}

/// A size of at least `least`, given that `enough` is the smallest that is enough.
uint64_t draw_size(executors::Random& random, Supply supply, uint64_t enough, uint64_t least) {
  enough = std::max(enough, least);
  switch (supply) {
    case Supply::ample:
      break;
    case Supply::exact:
      return enough;
    case Supply::short_by_one:
      return std::max(enough - 1, least);
    case Supply::short_by_much:
      return least + random.below(enough - least + 1);
  }
  return enough + random.below(enough);
}

uint32_t draw_window(executors::Random& random, Supply supply, uint64_t enough) {
  const auto window = static_cast<uint32_t>(enough);
  switch (supply) {
    case Supply::ample:
      break;
    case Supply::exact:
      return window;
    case Supply::short_by_one:
      return std::max(window / 2, 4u);
    case Supply::short_by_much:
      return 4;
  }
  return window << random.below(3);
}

/// A use of a pipe, whoever the task is.
std::string text_of(const PredictedUse& use) {
  return fmt::format("{}/{}/{} to {}+{}", use.pushed, use.popped, use.freed, use.waiting, use.held);
}

}  // namespace

const char* name_of(Ending ending) {
  switch (ending) {
    case Ending::passed:
      return "passed";
    case Ending::no_window:
      return error_name(ErrorCode::flow_control_deadlock);
    case Ending::no_heap:
      return error_name(ErrorCode::heap_ring_deadlock);
    case Ending::no_nodes:
      return error_name(ErrorCode::dependency_pool_overflow);
    case Ending::no_entries:
      return error_name(ErrorCode::tensormap_overflow);
    case Ending::no_clusters:
      return error_name(ErrorCode::cluster_deadlock);
    case Ending::refused:
      return error_name(ErrorCode::bad_submission);
    case Ending::threw:
      return error_name(ErrorCode::orchestration_threw);
    case Ending::overflow:
      return error_name(ErrorCode::pipe_overflow);
    case Ending::underflow:
      return error_name(ErrorCode::pipe_underflow);
    case Ending::core_lost:
      return error_name(ErrorCode::core_lost);
    case Ending::wrong:
      return "wrong";
  }
  return "?";
}

bool is_of_sound_chips(Ending ending) {
  return ending != Ending::core_lost && ending != Ending::wrong;
}

bool is_for_plain(Ending ending) {
  return ending != Ending::no_clusters && ending != Ending::overflow && ending != Ending::underflow;
}

Trial::Trial(uint64_t number, Mistakes mistakes, Graphs graphs)
    : Trial(number, generate(number, mistakes, graphs)) {}

Trial::Trial(uint64_t number, Program program)
    : program_(std::move(program)), predicted_(interpret(program_)) {
  draw_config(number);
}

void Trial::draw_config(uint64_t number) {
  executors::Random random(number ^ 0xde71ce);
  stress::draw_device(random, 5, config_);
  config_.rings = static_cast<uint32_t>(random.below(2) == 0 ? 1 + random.below(4) : 4);
  config_.events = events_per_thread;
  measure();
  const std::array<Supply, 4> supplies = draw_supplies(random);
  config_.window = draw_window(random, supplies[0], smallest_.window);
  config_.heap_bytes = draw_size(random, supplies[1], smallest_.heap, 1024);
  config_.tensormap_pool =
      static_cast<uint32_t>(draw_size(random, supplies[3], smallest_.map_pool, 16));
  const bool scarce = supplies[2] == Supply::short_by_one || supplies[2] == Supply::short_by_much;
  config_.dep_pool = static_cast<uint32_t>(
      draw_size(random, supplies[2], scarce ? smallest_.dep_pool : slow_nodes_, 16));
  draw_blocks(number);
  draw_accelerators(number);
  predict();
}

/// As many clusters as groups are open at once, or some more or less, and often a ready queue that
/// is full in no time; without groups, what was drawn.
void Trial::draw_blocks(uint64_t number) {
  if (smallest_.clusters == 0) return;
  executors::Random random(number ^ 0xc1a55);
  static constexpr std::array supplies{Supply::exact,        Supply::exact, Supply::exact,
                                       Supply::ample,        Supply::ample, Supply::short_by_one,
                                       Supply::short_by_much};
  const Supply supply = supplies[random.below(supplies.size())];
  Chip& chip = config_.chip;
  chip.clusters = static_cast<uint32_t>(supply == Supply::ample
                                            ? smallest_.clusters + random.below(4)
                                            : draw_size(random, supply, smallest_.clusters, 1));
  chip.schedulers = static_cast<uint32_t>(1 + random.below(std::min(chip.clusters, 4u)));
  if (random.below(3) != 0) return;
  config_.shards = 1;
  config_.shard_capacity = 2;
}

/// Some if there are tasks for them, and now and then one that nobody uses.
void Trial::draw_accelerators(uint64_t number) {
  executors::Random random(number ^ 0xacce1);
  bool clustered = false;
  bool needed = false;
  for (const Step& step : program_.steps) {
    clustered |= std::holds_alternative<Allocate>(step);
    const auto* task = std::get_if<Submit>(&step);
    needed |= task != nullptr && task->core == CoreType::accelerator;
  }
  if (needed) config_.chip.accelerators = static_cast<uint32_t>(1 + random.below(3));
  if (!needed && clustered && random.below(8) == 0) config_.chip.accelerators = 1;
}

/// What the program needs.
void Trial::measure() {
  demand_ = demand_of(program_, predicted_, config_.rings);
  smallest_ = oracle::smallest_sizes(demand_.program, config_.rings);
  slow_nodes_ = oracle::smallest_sizes(demand_.slow_program, config_.rings).dep_pool;
}

uint64_t Trial::frees() const {
  if (predicted_.refusal()) return 0;
  return static_cast<uint64_t>(std::ranges::count_if(
      program_.steps, [](const Step& step) { return std::holds_alternative<Free>(step); }));
}

void Trial::keep_group(uint64_t which) {
  const auto kept = std::ranges::find_if(program_.steps, [&](const Step& step) {
    return std::holds_alternative<Free>(step) && which-- == 0;
  });
  before_kept_ = {};
  for (auto step = program_.steps.begin(); step != kept; ++step) {
    before_kept_.tasks += std::holds_alternative<Submit>(*step) ? 1 : 0;
    before_kept_.groups += std::holds_alternative<Allocate>(*step) ? 1 : 0;
  }
  program_.steps.erase(kept);
  predicted_ = interpret(program_);
  measure();
  predict();
}

/// A run ends in a submission or where a group gets a cluster, or while a kernel runs.
bool Trial::has_kept_group(const RunResult& result) const {
  const auto groups = static_cast<uint64_t>(
      std::ranges::count(result.record.events, EventKind::allocate, &Event::kind));
  return result.tasks >= before_kept_.tasks && groups >= before_kept_.groups;
}

void Trial::predict() {
  const auto first = [&](const oracle::Program& program) {
    return oracle::first_deadlock(
        program, {config_.window, config_.heap_bytes, config_.dep_pool, config_.tensormap_pool,
                  config_.rings, config_.chip.clusters});
  };
  deadlock_ = first(demand_.program);
  if (first(demand_.slow_program) == deadlock_) return;
  // Between the two sizes it depends on the schedule whether and where the nodes run out.
  config_.dep_pool = static_cast<uint32_t>(std::max<uint64_t>(slow_nodes_, 16));
  deadlock_ = first(demand_.program);
}

/// Once its task is submitted it never completes, so that nothing is called a deadlock any more.
const PredictedFault* Trial::fault() const {
  const auto& fault = predicted_.fault();
  return fault && (!deadlock_ || fault->task < deadlock_->task) ? &*fault : nullptr;
}

Ending Trial::expected() const {
  if (fault() != nullptr) {
    return fault()->code == ErrorCode::pipe_overflow ? Ending::overflow : Ending::underflow;
  }
  if (deadlock_) return static_cast<Ending>(1 + static_cast<uint32_t>(deadlock_->resource));
  if (!predicted_.refusal()) return Ending::passed;
  const bool threw = predicted_.refusal()->code == ErrorCode::orchestration_threw;
  return threw ? Ending::threw : Ending::refused;
}

bool Trial::stopped() const {
  const Ending ending = expected();
  return fault() != nullptr || ending == Ending::refused || ending == Ending::threw;
}

Ending Trial::run(ExecutorKind executor, uint64_t seed, std::vector<std::string>& problems,
                  Census* census, RunResult* kept) const {
  GraphRun run(program_, predicted_, config_.chip.clusters);
  return launch(run, nullptr, executor, seed, problems, census, kept);
}

Ending Trial::repeat(ExecutorKind executor, std::span<const uint64_t> seeds, Change change,
                     std::vector<std::string>& problems, std::vector<GraphUse>& uses) const {
  RecordedGraph graph;
  std::optional<GraphRun> run;
  std::optional<GraphRun> elsewhere;
  run.emplace(program_, predicted_, config_.chip.clusters);
  for (const uint64_t seed : seeds.first(seeds.size() - 1)) {
    run->reset();
    if (change == Change::supplies) {
      launch_amply(*run, graph, executor, seed);
    } else {
      launch(*run, &graph, executor, seed, problems, nullptr, nullptr);
    }
    if (!problems.empty()) return Ending::wrong;
    uses.push_back(graph.use());
  }
  run->reset();
  if (change == Change::memory) elsewhere.emplace(program_, predicted_, config_.chip.clusters);
  const Ending ending = launch(elsewhere ? *elsewhere : *run, &graph, executor, seeds.back(),
                               problems, nullptr, nullptr);
  uses.push_back(graph.use());
  return ending;
}

/// With as many slots as ever, since a graph is of one window.
void Trial::launch_amply(GraphRun& run, RecordedGraph& graph, ExecutorKind executor,
                         uint64_t seed) const {
  DeviceConfig ample = config_;
  ample.heap_bytes = std::max(ample.heap_bytes, uint64_t{1} << 22);
  ample.dep_pool = 1 << 16;
  ample.tensormap_pool = 1 << 16;
  Launch what = run.launch();
  what.graph = &graph;
  static_cast<void>(launch_(executor, ample, what, seed));
}

Ending Trial::launch(GraphRun& run, RecordedGraph* graph, ExecutorKind executor, uint64_t seed,
                     std::vector<std::string>& problems, Census* census, RunResult* kept) const {
  Ending ending = expected();
  try {
    Launch what = run.launch();
    what.fault = chip_fault_;
    what.graph = graph;
    RunResult result = launch_(executor, config_, what, seed);
    judge(run, result, problems);
    if (stress::has_lost_core(chip_fault_, result)) ending = Ending::core_lost;
    if (census != nullptr) census->add(program_, config_.chip, result);
    if (kept != nullptr) *kept = std::move(result);
  } catch (const executors::SeededFailure& failure) {
    problems.emplace_back(failure.what());
  }
  return problems.empty() ? ending : Ending::wrong;
}

void Trial::judge(const GraphRun& run, const RunResult& result,
                  std::vector<std::string>& problems) const {
  if (stress::has_lost_core(chip_fault_, result)) return judge_loss(run, result, problems);
  judge_error(result, problems);
  judge_counts(result, problems);
  const auto add = [&](const std::vector<std::string>& more) {
    problems.insert(problems.end(), more.begin(), more.end());
  };
  add(run.problems(result.tasks, !stopped(),
                   fault() == nullptr ? std::nullopt : std::optional(fault()->task)));
  if (expected() == Ending::passed) {
    add(run.wrong_memory());
    judge_pipes(result, problems);
  }
  judge_record(result, problems);
}

/// What has run is right, and nothing need have.
void Trial::judge_loss(const GraphRun& run, const RunResult& result,
                       std::vector<std::string>& problems) const {
  problems = stress::loss_problems(chip_fault_, result);
  std::ranges::copy(run.problems(result.tasks, false), std::back_inserter(problems));
  judge_record(result, problems);
}

void Trial::judge_record(const RunResult& result, std::vector<std::string>& problems) const {
  if (judges_records_) {
    std::ranges::copy(
        judging::problems_of(result.record, {.idle_limit = judging::usual_idle_limit}),
        std::back_inserter(problems));
  }
  std::ranges::copy(oracle::edge_problems(demand_.tasks, true, result.record),
                    std::back_inserter(problems));
}

void Trial::judge_error(const RunResult& result, std::vector<std::string>& problems) const {
  const RunError& error = result.error;
  const std::optional<Refusal>& refusal = predicted_.refusal();
  ErrorCode expected_code = ErrorCode::ok;
  if (refusal) expected_code = refusal->code;
  if (deadlock_) expected_code = stress::code_of(deadlock_->resource);
  if (fault() != nullptr) expected_code = fault()->code;
  if (error.code != expected_code) {
    problems.push_back(fmt::format("expected {}, got {}: {} {}", error_name(expected_code),
                                   error_name(error.code), error.message, error.hint));
    return;
  }
  if (fault() != nullptr) {
    const auto& [group, tag] = fault()->pipe;
    const std::string pipe = fmt::format("pipe (group {}, tag {}), kernel 0, task ", group, tag);
    if (error.message.find(pipe) == 0 && error.message.find(fault()->problem) != std::string::npos)
      return;
    problems.push_back(
        fmt::format("expected '{}.. {} ..', got: {}", pipe, fault()->problem, error.message));
    return;
  }
  if (deadlock_) return judge_deadlock(error, problems);
  if (!refusal) return;
  const std::string where =
      refusal->param
          ? fmt::format("submission {}, parameter {}: ", refusal->submission, *refusal->param + 1)
          : std::string();
  if (error.message.find(where) != 0 || error.message.find(refusal->problem) == std::string::npos) {
    problems.push_back(
        fmt::format("expected '{}.. {} ..', got: {}", where, refusal->problem, error.message));
  }
}

/// What the report of the deadlock must say about it.
std::vector<std::string> Trial::expected_lines() const {
  if (deadlock_->resource == oracle::Resource::map_pool) return {"in the TensorMap\n"};
  if (deadlock_->resource != oracle::Resource::clusters) {
    return {fmt::format(" of ring {}\n", deadlock_->ring)};
  }
  std::vector<std::string> lines{
      fmt::format("- Clusters: {}\n", config_.chip.clusters),
      deadlock_->groups.size() == 1
          ? std::string("free_cluster of the open group,")
          : fmt::format("free_cluster of one of the {} open groups,", deadlock_->groups.size())};
  // The report does not list them without end.
  constexpr std::size_t listed = 16;
  const std::vector<std::size_t> groups(deadlock_->groups.begin(), deadlock_->groups.end());
  for (std::size_t i = 0; i < std::min(groups.size(), listed); ++i) {
    lines.push_back(fmt::format("- Group {} holds cluster ", groups[i]));
  }
  if (groups.size() > listed) {
    lines.push_back(fmt::format("- and {} more\n", groups.size() - listed));
  }
  return lines;
}

void Trial::judge_deadlock(const RunError& error, std::vector<std::string>& problems) const {
  for (const std::string& expected : expected_lines()) {
    if (error.message.find(expected) != std::string::npos) continue;
    problems.push_back(fmt::format("expected '{}', got: {}", expected, error.message));
  }
  judge_hint(error.hint, problems);
}

/// Under some schedules tasks have taken more nodes than in the best case when the pool is full.
bool Trial::allows_for_late_nodes(const std::string& hint) const {
  for (uint64_t nodes = smallest_.dep_pool + 1; nodes <= slow_nodes_; ++nodes) {
    const std::string hinted =
        fmt::format("Recommended: at least {}: --dep-pool {} or ", nodes, nodes);
    if (hint.starts_with(hinted)) return true;
  }
  return false;
}

/// It has the smallest size.
void Trial::judge_hint(const std::string& hint, std::vector<std::string>& problems) const {
  static constexpr std::array<const char*, oracle::resources> options{
      "--window", "--heap", "--dep-pool", "--tensormap-pool", "--blocks"};
  static constexpr std::array<const char*, oracle::resources> claims{
      "that works", "power of two that works", "that works if producers complete in time",
      "that works", "that works"};
  const std::array<uint64_t, oracle::resources> sizes{smallest_.window, smallest_.power_of_2_heap,
                                                      smallest_.dep_pool, smallest_.map_pool,
                                                      smallest_.clusters};
  const auto resource = static_cast<std::size_t>(deadlock_->resource);
  // What follows a refused call is not part of the prediction, but may be counted by the runtime.
  const std::string recommended =
      predicted_.refusal()
          ? std::string(options[resource])
          : fmt::format("Recommended: {} (the smallest {}): {} {}", sizes[resource],
                        claims[resource], options[resource], sizes[resource]);
  const std::size_t found = hint.find(recommended);
  if (deadlock_->resource == oracle::Resource::dep_pool && allows_for_late_nodes(hint)) return;
  const bool whole = found != std::string::npos && !std::isdigit(hint[found + recommended.size()]);
  if (whole) return;
  problems.push_back(fmt::format("expected the hint '{}', got '{}'", recommended, hint));
}

void Trial::judge_counts(const RunResult& result, std::vector<std::string>& problems) const {
  const std::size_t submitted = deadlock_ ? deadlock_->task : predicted_.tasks().size();
  const std::size_t at_least = fault() == nullptr ? submitted : fault()->task + 1;
  const auto expect = [&](const char* what, uint64_t found, uint64_t least, uint64_t most) {
    if (found >= least && found <= most) return;
    problems.push_back(fmt::format("{} {}, expected {}..{}", found, what, least, most));
  };
  expect("tasks submitted", result.tasks, at_least, submitted);
  uint64_t parts = 0;
  for (std::size_t i = 0; i < submitted; ++i) parts += predicted_.tasks()[i].parts.size();
  const uint64_t least = stopped() ? 0 : parts;
  expect("parts dispatched", result.dispatches, least, parts);
  expect("parts acknowledged", result.acks, least, parts);
  expect("parts finished", result.fins, least, parts);
  if (expected() == Ending::passed) {
    // A recorded graph leaves out edges that others make superfluous, and needs a reference for
    // those that held a buffer.
    expect("edges", result.edges_linked + result.edges_early,
           result.replayed ? 0 : demand_.least_edges, demand_.most_edges);
    expect("references to owners", result.holds, demand_.holds,
           demand_.holds + (result.replayed ? demand_.most_edges : 0));
  }
}

/// What the events say of pipes, in a run to the end.
void Trial::judge_pipes(const RunResult& result, std::vector<std::string>& problems) const {
  std::map<PipeName, std::vector<std::string>> found;
  for (const Event& event : result.record.events) {
    if (event.kind != EventKind::pipe) continue;
    const PipeUse& use = result.record.pipe_uses[event.place];
    found[{use.group, use.tag}].push_back(
        text_of({0, uint64_t(use.pushed), uint64_t(use.popped), uint64_t(use.freed),
                 uint64_t(use.after.waiting), uint64_t(use.after.held)}));
  }
  std::map<PipeName, std::vector<std::string>> left;
  for (const PipeUse& use : result.record.pipe_uses) {
    if (result.record.events[use.event].kind != EventKind::leftover) continue;
    left[{use.group, use.tag}].push_back(fmt::format("{}+{}", use.after.waiting, use.after.held));
  }
  Pipes pipes = predicted_.pipes();
  for (const auto& [name, uses] : found) pipes.try_emplace(name);
  for (const auto& [name, entries] : left) pipes.try_emplace(name);
  for (const auto& [name, pipe] : pipes) {
    std::vector<std::string> uses;
    for (const PredictedUse& use : pipe.uses) uses.push_back(text_of(use));
    std::vector<std::string> leftover;
    if (pipe.used() != 0) leftover.push_back(fmt::format("{}+{}", pipe.waiting.size(), pipe.held));
    if (found[name] == uses && left[name] == leftover) continue;
    problems.push_back(fmt::format("pipe {} of group {}: expected {}, {} left, got {}, {} left",
                                   name.second, name.first, uses, leftover, found[name],
                                   left[name]));
  }
}

}  // namespace pto2::graphs

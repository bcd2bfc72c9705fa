#include "stress/simulation/workload_subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "runtime/executors/runtime_handle.hpp"
#include "runtime/judge/judge.hpp"
#include "runtime/loader/load_error.hpp"
#include "runtime/orchestrator/orchestration_ops.hpp"
#include "runtime/output/numbers.hpp"
#include "stress/lost_core.hpp"
#include "stress/oracles/demanded_edges.hpp"
#include "stress/simulation/decisions.hpp"
#include "stress/simulation/guarded_call.hpp"
#include "stress/simulation/workload_problems.hpp"

namespace pto2::simulations {
namespace {

constexpr uint64_t all_tasks = ~uint64_t{0};
/// Enough for the events of one logical thread, of each task.
constexpr std::size_t events_per_task = 8;

/// The program up to its first `tasks` tasks. Scopes stay whole.
oracle::Program first_of(const oracle::Program& program, uint64_t tasks) {
  oracle::Program first;
  for (const oracle::Call& call : program) {
    if (call.kind != oracle::CallKind::submit) {
      first.push_back(call);
    } else if (tasks != 0) {
      first.push_back(call);
      --tasks;
    }
  }
  return first;
}

/// Where it must be, of which the TensorMap has one for all rings.
void expect(const oracle::Deadlock& deadlock, WorkloadRun& run) {
  run.tasks = deadlock.task;
  if (deadlock.resource == oracle::Resource::map_pool) return;
  run.told = fmt::format(" of ring {}\n", deadlock.ring);
}

/// Constructors of an image are code of the user's, too.
template <class Load>
auto load(const Options& options, Load&& from_image) {
  std::optional<decltype(from_image())> loaded;
  call_guarded("an image that was loaded", options.deadline_ms,
               [&] { loaded.emplace(from_image()); });
  return std::move(*loaded);
}

}  // namespace

WorkloadSubject::WorkloadSubject(const Options& options, stress::Launcher launch)
    : options_(options),
      launch_(std::move(launch)),
      images_(workloads::find_workload_images(options.workload)),
      kernels_(load(options, [&] { return KernelLibrary::from_folder(images_.kernels); })),
      data_(make_data()),
      args_(data_->args()),
      arrays_(data_->arrays()),
      orchestration_(load(options, [&] {
        return OrchestrationLibrary::from_file(images_.orchestration, data_->entry());
      })) {
  for (int32_t id = 0; id < kernels_.id_limit(); ++id) {
    const Kernel* kernel = kernels_.find(id);
    const KernelEntry entry = options.stub_kernels ? &Relay::stub : nullptr;
    entries_.push_back(kernel == nullptr ? nullptr : entry != nullptr ? entry : kernel->entry);
  }
  configure();
  record(on_one_ring_, 1);
  record(on_four_rings_, 4);
  is_exact_ = on_four_rings_.recorder.is_exact() && data_->info().fault.empty();
}

/// Always with the same inputs.
std::unique_ptr<workloads::CaseData> WorkloadSubject::make_data() const {
  return workloads::find_workload(options_.workload).make_case(options_.case_name);
}

/// As before a run.
void WorkloadSubject::configure() {
  const auto handle = executors::RuntimeHandle::take_before_run();
  const auto count = static_cast<int>(args_.size());
  int expected = 0;
  call_guarded("aicpu_orchestration_config", options_.deadline_ms, [&] {
    orchestration_.bind(handle.get());
    expected = orchestration_.config(args_.data(), count).expected_arg_count;
  });
  if (const char* call = handle->misplaced_call()) end_with(error_of_early(call));
  if (expected == count) return;
  throw LoadError(
      orchestration_.path(),
      fmt::format("the orchestration expects {} arguments, but there are {}", expected, count),
      "name the workload that it is written for");
}

void WorkloadSubject::record(Graph& graph, uint32_t rings) {
  oracle::RecordingRuntime& recorder = graph.recorder;
  recorder.scope_begin();
  // Not what follows of ours: of many tasks that may take longer than user code should.
  call_guarded("the orchestration that was recorded", options_.deadline_ms, [&] {
    orchestration_.bind(&recorder);
    orchestration_.entry(&recorder, args_.data(), static_cast<int>(args_.size()));
  });
  recorder.scope_end();
  graph.enough = oracle::smallest_sizes(recorder.program(), rings);
}

void WorkloadSubject::call(PTO2Runtime* rt, std::optional<Relay>& relay, uint64_t tasks) {
  relay.emplace(rt, RelayOptions{options_.stub_kernels, tasks});
  orchestration_.bind(&*relay);
  orchestration_.entry(&*relay, args_.data(), static_cast<int>(args_.size()));
}

DeviceConfig WorkloadSubject::draw(uint64_t seed) const {
  executors::Random random(seed ^ 0x5eed);
  const workloads::CaseInfo& info = data_->info();
  DeviceConfig config;
  config.fan_out = options_.fan_out;
  stress::draw_device(random, 6, config);
  if (info.blocks != 0) {
    config.chip.clusters = static_cast<uint32_t>(info.blocks);
    config.chip.schedulers = std::min(config.chip.schedulers, config.chip.clusters);
  }
  config.window = static_cast<uint32_t>(info.rings.window);
  config.heap_bytes = info.rings.heap_bytes;
  config.dep_pool = static_cast<uint32_t>(info.rings.dep_pool);
  config.tensormap_pool = static_cast<uint32_t>(info.rings.tensormap_pool);
  if (is_exact_) draw_sizes(random, config);
  config.events = events_per_task * data_->expected_tasks() + 1024;
  return config;
}

/// Window, heap and TensorMap are each scarce in one run of six, so that most runs finish, and each
/// deadlock occurs for which the case is large enough: no size is smaller than the least that a
/// device takes. Ample sizes are still small enough for back-pressure. Nodes are never scarce.
void WorkloadSubject::draw_sizes(executors::Random& random, DeviceConfig& config) const {
  config.rings = random.below(2) == 0 ? 1 : 4;
  const Graph& graph = graph_on(config.rings);
  const oracle::SmallestSizes& enough = graph.enough;
  const auto size = [&](uint64_t smallest, uint64_t least) {
    const uint64_t drawn = random.below(6) == 0 ? smallest / 2 + random.below(smallest / 2 + 1)
                                                : smallest + random.below(2 * smallest + 1);
    return std::max(drawn, least);
  };
  const bool scarce = random.below(6) == 0;
  config.window = static_cast<uint32_t>(scarce ? std::max<uint64_t>(enough.window / 2, 4)
                                               : enough.window << random.below(3));
  config.heap_bytes = size(enough.heap, 1024);
  config.tensormap_pool = static_cast<uint32_t>(size(enough.map_pool, 16));
  // Up to the number of edges it depends on the schedule how many nodes there must be.
  uint64_t nodes = 0;
  for (const oracle::Call& call : graph.recorder.program()) nodes += call.dep_nodes;
  config.dep_pool = static_cast<uint32_t>(size(std::max<uint64_t>(nodes, 16), 16));
  if (config.dep_pool < nodes) config.dep_pool = static_cast<uint32_t>(nodes + 16);
}

SimulatedRun WorkloadSubject::run(uint64_t seed) {
  return run(seed, draw(seed), all_tasks);
}

SimulatedRun WorkloadSubject::run(uint64_t seed, const Size& size) {
  DeviceConfig config = draw(seed);
  config.chip.clusters = size.clusters;
  config.chip.schedulers = size.schedulers;
  return run(seed, config, size.tasks);
}

/// As it was before all runs. Stubs leave nothing behind (Relay), and a run that was verified has
/// shown that its inputs are whole.
void WorkloadSubject::reset_data() {
  if (options_.stub_kernels) return;
  data_->reset_outputs();
  if (!inputs_are_whole_ && !data_->inputs_are_whole()) data_->copy_inputs(*make_data());
  inputs_are_whole_ = false;
}

SimulatedRun WorkloadSubject::run(uint64_t seed, const DeviceConfig& config, uint64_t tasks) {
  SimulatedRun run;
  std::optional<Relay> relay;
  reset_data();
  const DrawnFault fault = fault_of(seed, config, tasks);
  run.fault = fault.fault;
  run.fault_text = text_of(fault);
  const Launch what{.kernels = entries_,
                    .entry = [&](PTO2Runtime* rt) { call(rt, relay, tasks); },
                    .log = {},
                    .fault = fault.chip,
                    .arrays = arrays_};
  try {
    run.result = launch_(options_.executor, config, what, seed);
    const RunResult& result = run.result;
    run.tasks = result.tasks;
    run.points = result.points;
    run.timed_out = is_timeout(result.error.code);
    const bool is_lost = stress::has_lost_core(fault.chip, result);
    run.fault_reached = result.fault_reached;
    judge(config, result, tasks, relay, is_lost, run);
    if (is_lost) {
      std::ranges::copy(stress::loss_problems(fault.chip, result),
                        std::back_inserter(run.problems));
    }
  } catch (const executors::SeededFailure& failure) {
    run.problems.emplace_back(failure.what());
    run.livelocked = stress::is_livelock(failure.what());
  }
  if (run.wrong()) run.outcome = "wrong";
  return run;
}

/// Cores may be lost of any case: what ends one early is a deadlock.
DrawnFault WorkloadSubject::fault_of(uint64_t seed, const DeviceConfig& config,
                                     uint64_t tasks) const {
  return draw_fault(seed, options_.faults,
                    {.chip = config.chip, .tasks = std::min(tasks, data_->expected_tasks())});
}

std::optional<oracle::Deadlock> WorkloadSubject::deadlock_of(const DeviceConfig& config,
                                                             uint64_t tasks) const {
  if (!is_exact_) return std::nullopt;
  const oracle::Configuration sizes{config.window, config.heap_bytes, config.dep_pool,
                                    config.tensormap_pool, config.rings};
  const oracle::Program& program = graph_on(config.rings).recorder.program();
  return tasks == all_tasks ? oracle::first_deadlock(program, sizes)
                            : oracle::first_deadlock(first_of(program, tasks), sizes);
}

/// The code of the run's error; "ok" if it must end well. `is_lost`: one of its cores.
std::string WorkloadSubject::expected_error(const DeviceConfig& config, uint64_t tasks,
                                            bool is_lost) const {
  if (is_lost) return error_name(ErrorCode::core_lost);
  if (!data_->info().fault.empty()) return data_->info().fault;
  const auto deadlock = deadlock_of(config, tasks);
  return error_name(deadlock ? stress::code_of(deadlock->resource) : ErrorCode::ok);
}

void WorkloadSubject::judge(const DeviceConfig& config, const RunResult& result, uint64_t tasks,
                            const std::optional<Relay>& relay, bool is_lost, SimulatedRun& run) {
  const bool passes = result.error.code == ErrorCode::ok;
  run.outcome = passes ? "passed" : error_name(result.error.code);
  WorkloadRun judged;
  judged.expected = expected_error(config, tasks, is_lost);
  judged.tasks = std::min(tasks, data_->expected_tasks());
  if (is_lost || !data_->info().fault.empty()) {
    judged.tasks.reset();
  } else if (const auto deadlock = deadlock_of(config, tasks)) {
    expect(*deadlock, judged);
  }
  const oracle::RecordingRuntime& recorder = graph_on(config.rings).recorder;
  if (recorder.boxes_are_apart()) {
    judged.edges = oracle::edge_problems(recorder.tasks(), !recorder.has_pipes(), result.record);
  }
  if (options_.validate) {
    judged.rules = judging::problems_of(result.record, {.idle_limit = judging::usual_idle_limit});
  }
  judged.stubs = relay->problems(result.tasks, !is_lost && !run.timed_out);
  if (!options_.stub_kernels && tasks == all_tasks) {
    judged.verify = [&] {
      workloads::Verification verified = data_->verify();
      inputs_are_whole_ = verified.pass;
      return verified;
    };
  }
  run.problems = problems_of(result, judged);
}

std::string WorkloadSubject::story_of(uint64_t seed, const Size& size,
                                      const SimulatedRun& run) const {
  DeviceConfig config = draw(seed);
  config.chip.clusters = size.clusters;
  config.chip.schedulers = size.schedulers;
  const DrawnFault fault = fault_of(seed, config, size.tasks);
  const bool is_lost = stress::has_lost_core(fault.chip, run.result);
  std::string text = fmt::format("{} {}, {} of {} tasks\ndevice: {}\n{}", options_.workload,
                                 data_->info().name, std::min(size.tasks, data_->expected_tasks()),
                                 data_->expected_tasks(), stress::text_of(config), text_of(fault));
  if (!stress::may_have_lost_core(fault.chip, run.result)) {
    text += fmt::format("expected: {}\n", expected_error(config, size.tasks, is_lost));
  }
  for (const std::string& problem : run.problems) text += fmt::format("wrong: {}\n", problem);
  return text;
}

/// First the fewest tasks, by bisection; then fewer cores and schedulers.
Shrunk WorkloadSubject::shrink(uint64_t seed) {
  const DeviceConfig drawn = draw(seed);
  Size size{all_tasks, drawn.chip.clusters, drawn.chip.schedulers};
  const auto accept = [&](const Size& candidate) {
    if (options_.stop.stop_requested()) return false;
    const SimulatedRun run = this->run(seed, candidate);
    if (!run.wrong() || run.livelocked) return false;
    size = candidate;
    return true;
  };
  uint64_t wrong = data_->expected_tasks();
  // Without all its tasks a case that must fail need not.
  uint64_t right = data_->info().fault.empty() ? 0 : wrong - 1;
  while (right + 1 < wrong) {
    const uint64_t middle = (right + wrong) / 2;
    if (accept({middle, size.clusters, size.schedulers})) {
      wrong = middle;
    } else {
      right = middle;
    }
  }
  while (size.schedulers > 1 && accept({size.tasks, size.clusters, size.schedulers - 1})) {
  }
  while (size.clusters > size.schedulers && data_->info().blocks == 0 &&
         accept({size.tasks, size.clusters - 1, size.schedulers})) {
  }
  const SimulatedRun run = this->run(seed, size);
  return {fmt::format("{}-{}-{}", std::min(size.tasks, data_->expected_tasks()), size.clusters,
                      size.schedulers),
          story_of(seed, size, run), run.wrong()};
}

SimulatedRun WorkloadSubject::run_shrunk(uint64_t seed, const std::string& token,
                                         std::string& story) {
  std::array<uint64_t, 3> numbers{};
  std::size_t begin = 0;
  for (uint64_t& number : numbers) {
    const std::size_t end = std::min(token.find('-', begin), token.size());
    number = cli::parse_number(token.substr(std::min(begin, token.size()), end - begin));
    begin = end + 1;
  }
  if (begin <= token.size()) {
    throw std::invalid_argument("more than tasks, blocks and schedulers behind the seed");
  }
  const uint64_t most = draw(seed).chip.clusters;
  if (numbers[1] > most || numbers[2] < 1 || numbers[2] > numbers[1]) {
    throw std::invalid_argument(fmt::format("{} blocks and {} schedulers, of a device of {}",
                                            numbers[1], numbers[2], most));
  }
  const Size size{numbers[0] >= data_->expected_tasks() ? all_tasks : numbers[0],
                  static_cast<uint32_t>(numbers[1]), static_cast<uint32_t>(numbers[2])};
  const SimulatedRun run = this->run(seed, size);
  story = story_of(seed, size, run);
  return run;
}

/// Those that are predicted of one draw in twenty, or more: a thousand runs miss none of these.
std::vector<std::string> WorkloadSubject::usual_outcomes() const {
  constexpr uint64_t draws = 100;
  std::map<std::string, uint64_t> predicted;
  for (uint64_t seed = 0; seed < draws; ++seed) {
    ++predicted[expected_error(draw(seed), all_tasks, false)];
  }
  std::vector<std::string> usual;
  for (const auto& [error, times] : predicted) {
    if (times * 20 < draws) continue;
    usual.push_back(error == error_name(ErrorCode::ok) ? "passed" : error);
  }
  return usual;
}

}  // namespace pto2::simulations

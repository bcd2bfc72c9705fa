/// What the generator draws and what its oracles predict of it: predictions.txt has digests per
/// layer of a hundred seeds each. A layer that changes changes its rows, and those that are made of
/// it. Programs of a seed stay what they are, so that tokens of reports replay.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "stress/graphs/generator.hpp"
#include "stress/graphs/run.hpp"
#include "stress/graphs/shrink.hpp"
#include "stress/graphs/trial.hpp"
#include "stress/oracles/recording_runtime.hpp"
#include "stress/oracles/sequential_runtime.hpp"
#include "tests/support/kept_rows.hpp"

namespace pto2::graphs {
namespace {

using test::Digest;

constexpr uint64_t seeds_per_row = 100;
constexpr uint64_t rows_per_kind = 8;

/// Of a layer: how much there was of what it tells, and what it was.
struct Layer {
  uint64_t count = 0;
  Digest digest;
};

void add(Layer& layer, const Interpreter& predicted) {
  Digest& digest = layer.digest;
  for (const PredictedTask& task : predicted.tasks()) {
    ++layer.count;
    digest.add(task.scope);
    digest.add(task.producers.to_ullong());
    digest.add(task.ancestors.to_ullong());
    for (const PredictedPart& part : task.parts) {
      for (const uint64_t hash : {part.before, part.piped, part.after}) digest.add(hash);
    }
  }
  for (const Buffer& buffer : predicted.buffers()) {
    digest.add(std::string(buffer.contents.begin(), buffer.contents.end()));
  }
  for (const PredictedGroup& group : predicted.groups()) digest.add(group.open ? 1 : 0);
}

void add_uses(Layer& layer, const Interpreter& predicted) {
  for (const auto& [name, pipe] : predicted.pipes()) {
    for (const PredictedUse& use : pipe.uses) {
      ++layer.count;
      for (const uint64_t number :
           {uint64_t{use.task}, use.pushed, use.popped, use.freed, use.waiting, use.held}) {
        layer.digest.add(number);
      }
    }
  }
  if (const auto& fault = predicted.fault()) {
    layer.digest.add(static_cast<uint64_t>(fault->code));
    layer.digest.add(fault->task);
    layer.digest.add(fault->problem);
  }
}

void add_refusal(Layer& layer, const Interpreter& predicted) {
  const auto& refusal = predicted.refusal();
  if (!refusal) return;
  ++layer.count;
  layer.digest.add(static_cast<uint64_t>(refusal->code));
  layer.digest.add(refusal->submission);
  layer.digest.add(refusal->param.value_or(~uint32_t{0}));
  layer.digest.add(refusal->problem);
}

/// The program without each of its tasks in turn: what others relied on is missing.
void add_hazards(Layer& layer, const Program& program) {
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (!std::holds_alternative<Submit>(program.steps[i])) continue;
    Program without = program;
    without.steps.erase(without.steps.begin() + static_cast<std::ptrdiff_t>(i));
    const Interpreter predicted = interpret(without);
    layer.count += predicted.hazard() ? 1 : 0;
    layer.digest.add(predicted.hazard().value_or(~std::size_t{0}));
    add_refusal(layer, predicted);
    layer.count -= predicted.refusal() ? 1 : 0;
    layer.digest.add(predicted.fault() ? predicted.fault()->task : ~uint64_t{0});
  }
}

/// What every tensor that is left could be named as, by a task alone or a block task.
void add_questions(Layer& layer, const Interpreter& predicted) {
  if (predicted.refusal()) return;
  for (uint32_t tensor = 0; tensor < predicted.tensors().size(); ++tensor) {
    layer.digest.add((predicted.is_live(tensor) ? 1 : 0) + (predicted.has_memory(tensor) ? 2 : 0));
    if (!predicted.is_usable(tensor) || !predicted.has_memory(tensor)) continue;
    layer.digest.add(predicted.before_reader_of(tensor).to_ullong());
    for (const Use use : {Use::input, Use::output, Use::inout}) {
      const Submit task{.params = {{tensor, use}, {tensor, Use::input}}, .block_dim = 2};
      const Hazards hazards = predicted.hazards(task);
      layer.count += hazards.any() ? 1 : 0;
      layer.digest.add(hazards.unordered.to_ullong());
      layer.digest.add((hazards.undefined ? 1 : 0) + (predicted.parts_conflict(task) ? 2 : 0));
    }
  }
}

void add(Layer& layer, const oracle::Program& program) {
  for (const oracle::Call& call : program) {
    ++layer.count;
    layer.digest.add(static_cast<uint64_t>(call.kind));
    for (const uint64_t bytes : call.output_bytes) layer.digest.add(bytes);
    for (const std::size_t task : call.replaced) layer.digest.add(task);
    for (const uint64_t number : {call.dep_nodes, call.map_entries, call.group}) {
      layer.digest.add(number);
    }
  }
}

void add_demand(Layer& layer, const Program& program, const Interpreter& predicted) {
  for (uint32_t rings = 1; rings <= max_rings; ++rings) {
    const Demand demand = demand_of(program, predicted, rings);
    add(layer, demand.program);
    add(layer, demand.slow_program);
    for (const uint64_t number : {demand.least_edges, demand.most_edges, demand.holds}) {
      layer.digest.add(number);
    }
  }
}

/// Of a device on which nothing is scarce but one thing, which is just too little.
void add_shortage(Layer& layer, const oracle::Program& calls, const oracle::Configuration& config) {
  const auto deadlock = oracle::first_deadlock(calls, config);
  if (!deadlock) return;
  ++layer.count;
  layer.digest.add(static_cast<uint64_t>(deadlock->resource));
  layer.digest.add(deadlock->task);
  layer.digest.add(deadlock->ring);
  for (const std::size_t group : deadlock->groups) layer.digest.add(group);
}

/// The sizes that are enough, and what comes of those that are just too small.
void add_sizes(Layer& layer, const Program& program, const Interpreter& predicted) {
  for (const uint32_t rings : {1U, 4U}) {
    const oracle::Program calls = demand_of(program, predicted, rings).program;
    const oracle::SmallestSizes sizes = oracle::smallest_sizes(calls, rings);
    for (const uint64_t size : {sizes.window, sizes.heap, sizes.power_of_2_heap, sizes.dep_pool,
                                sizes.map_pool, sizes.clusters}) {
      layer.digest.add(size);
    }
    const oracle::Configuration enough{sizes.window, sizes.heap, 4096, 4096, rings, sizes.clusters};
    oracle::Configuration config = enough;
    config.window /= 2;
    add_shortage(layer, calls, config);
    config = enough;
    --config.heap;
    add_shortage(layer, calls, config);
    config = enough;
    config.dep_pool = sizes.dep_pool - 1;
    if (sizes.dep_pool != 0) add_shortage(layer, calls, config);
    config = enough;
    config.map_pool = sizes.map_pool - 1;
    if (sizes.map_pool != 0) add_shortage(layer, calls, config);
    config = enough;
    --config.clusters;
    if (sizes.clusters != 0) add_shortage(layer, calls, config);
  }
}

/// The device that the trial draws, and the ending that it expects.
void add_trial(Layer& layer, uint64_t seed, const Program& program) {
  const Trial trial(seed, program);
  const DeviceConfig& config = trial.config();
  for (const uint64_t number :
       {uint64_t{config.rings}, uint64_t{config.window}, config.heap_bytes,
        uint64_t{config.dep_pool}, uint64_t{config.tensormap_pool}, uint64_t{config.shards},
        uint64_t{config.shard_capacity}, uint64_t{config.orchestrator_queue},
        uint64_t{config.chip.clusters}, uint64_t{config.chip.schedulers},
        uint64_t{config.chip.accelerators}, trial.frees(), uint64_t{trial.stopped() ? 1U : 0U}}) {
    layer.digest.add(number);
  }
  layer.count += trial.expected() == Ending::passed ? 1 : 0;
  layer.digest.add(name_of(trial.expected()));
}

/// What a recorder makes of the same calls.
void add_recorded(Layer& layer, const Program& program, const Interpreter& predicted) {
  if (predicted.refusal()) return;
  GraphRun run(program, predicted, 64);
  oracle::RecordingRuntime recorder;
  recorder.scope_begin();
  run.launch().entry(&recorder);
  recorder.scope_end();
  layer.digest.add((recorder.is_exact() ? 1 : 0) + (recorder.boxes_are_apart() ? 2 : 0));
  if (!recorder.boxes_are_apart()) return;
  add(layer, recorder.program());
  for (const oracle::RecordedTask& task : recorder.tasks()) {
    for (const std::size_t producer : task.producers) layer.digest.add(producer);
    for (const std::size_t owner : task.owners) layer.digest.add(owner);
    layer.digest.add(task.scope_end);
  }
}

/// What a runtime makes of them that runs each task at once, with kernels that do nothing.
void add_sequential(Layer& layer, const Program& program, const Interpreter& predicted,
                    const KernelLibrary& kernels) {
  if (predicted.refusal()) return;
  GraphRun run(program, predicted, 64);
  oracle::SequentialRuntime runtime(kernels);
  runtime.ops->scope_begin(&runtime);
  run.launch().entry(&runtime);
  runtime.ops->scope_end(&runtime);
  layer.count += runtime.edges();
  layer.digest.add(runtime.tasks());
  layer.digest.add(runtime.edges());
  layer.digest.add(runtime.largest_scope());
  for (const std::string& error : runtime.errors()) layer.digest.add(error);
}

/// Of every tenth seed: the smallest program that has two tasks in order.
void add_shrunk(Layer& layer, uint64_t seed, const Program& program) {
  if (seed % 10 != 0) return;
  const Program smallest = shrink(program, [](const Program& candidate) {
    const Interpreter predicted = interpret(candidate);
    return !predicted.tasks().empty() && predicted.tasks().back().producers.any();
  });
  layer.count += smallest.steps.size();
  layer.digest.add(to_string(smallest));
}

void add_rows(const std::string& kind, const KernelLibrary& kernels, Mistakes mistakes,
              Graphs graphs, std::vector<std::string>& rows) {
  for (uint64_t first = 1; first < rows_per_kind * seeds_per_row; first += seeds_per_row) {
    std::map<std::string, Layer> layers;
    for (uint64_t seed = first; seed < first + seeds_per_row; ++seed) {
      const Program program = generate(seed, mistakes, graphs);
      const Interpreter predicted = interpret(program);
      layers["program"].count += program.steps.size();
      layers["program"].digest.add(to_string(program));
      add(layers["tasks"], predicted);
      add_uses(layers["pipe uses"], predicted);
      add_refusal(layers["refusals"], predicted);
      add_hazards(layers["hazards"], program);
      add_questions(layers["questions"], predicted);
      add_demand(layers["demand"], program, predicted);
      add_sizes(layers["sizes"], program, predicted);
      add_trial(layers["trials"], seed, program);
      add_recorded(layers["recorded"], program, predicted);
      add_sequential(layers["sequential"], program, predicted, kernels);
      add_shrunk(layers["shrunk"], seed, program);
    }
    for (const auto& [name, layer] : layers) {
      rows.push_back(fmt::format("{} {}..{} {}: {} {:08x}", kind, first, first + seeds_per_row - 1,
                                 name, layer.count, layer.digest.value()));
    }
  }
}

TEST(Predictions, AreWhatTheyWere) {
  KernelLibrary kernels;
  kernels.add(0, "idle", SharedObject::from_file(TEST_IMAGES "/idle.so"));
  std::vector<std::string> rows;
  add_rows("plain", kernels, Mistakes::sometimes, Graphs::plain, rows);
  add_rows("clustered", kernels, Mistakes::sometimes, Graphs::clustered, rows);
  add_rows("mistaken", kernels, Mistakes::always, Graphs::clustered, rows);
  test::expect_kept(PTO2_SOURCE_DIR "/tests/stress/graphs/predictions.txt", rows);
}

}  // namespace
}  // namespace pto2::graphs

/// Cost of the orchestrator's own data structures per submitted task: tensor handles, TensorMap
/// look-ups and inserts, counting mode. The mix is that of batch paged attention: per chunk one
/// scope with a task HUB and, per block, the tasks QK, SF, PV and UP.
///
///   tensormap_bench [--rows FILE]    beside google-benchmark's own options; a row is a benchmark
///                                    with the time of a task, or of what has none
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/rows.hpp"
#include "runtime/orchestrator/requirement.hpp"
#include "runtime/tensormap/tensor_map.hpp"
#include "runtime/tensormap/tensor_table.hpp"

namespace pto2 {
namespace {

enum class Direction { input, output, inout };

struct Use {
  uint64_t tensor;
  Direction type;
};

/// What submit does with tensors and map, with a heap that never fills and tasks that retire
/// `lag` submissions after they were submitted.
class Submitter {
 public:
  Submitter(uint32_t rings, uint64_t lag) : map_({.rings = rings}), lag_(lag) {}

  template <size_t n>
  void submit(const std::array<Use, n>& uses) {
    const TaskId id = make_id(0, submitted_++);
    map_.sync({submitted_ > lag_ ? submitted_ - lag_ : 0, 0, 0, 0});
    std::array<const TensorRecord*, n> records;
    uint32_t writes = 0;
    for (size_t i = 0; i < n; ++i) {
      records[i] = tensors_.find(uses[i].tensor);
      writes += uses[i].type != Direction::input;
    }
    benchmark::DoNotOptimize(map_.reserve(writes));
    for (size_t i = 0; i < n; ++i) {
      if (uses[i].type == Direction::output) continue;
      const Access access = uses[i].type == Direction::input ? Access::input : Access::inout;
      map_.lookup(*records[i]->writes, records[i]->region, access, no_task,
                  [&](const Match& match) { found_ += match.producer.value; });
    }
    for (size_t i = 0; i < n; ++i) {
      if (uses[i].type == Direction::input) continue;
      if (!records[i]->has_address()) {
        tensors_.set_buffer(uses[i].tensor, heap_ += 4096, {id});
        if (heap_ > heap_end) heap_ = heap_begin;
      }
      benchmark::DoNotOptimize(map_.insert(*records[i]->writes, records[i]->region, id));
    }
    for (size_t i = 0; i < n; ++i) payload_[i] = records[i]->shown();
    benchmark::DoNotOptimize(payload_);
  }

  TensorTable& tensors() { return tensors_; }
  uint64_t submitted() const { return submitted_; }
  uint64_t found() const { return found_; }

 private:
  static constexpr uint64_t heap_begin = uint64_t{1} << 40;
  static constexpr uint64_t heap_end = heap_begin + (uint64_t{1} << 30);

  TensorMap map_;
  TensorTable tensors_{1, {}, &map_};
  uint64_t lag_;
  uint64_t submitted_ = 0;
  uint64_t heap_ = heap_begin;
  uint64_t found_ = 0;
  std::array<PTOTensor, 8> payload_;
};

constexpr auto in = Direction::input;
constexpr auto out = Direction::output;
constexpr auto inout = Direction::inout;

/// One chunk: 1 + 4 * blocks tasks.
void submit_chunk(Submitter& submitter, uint64_t chunk, uint64_t blocks) {
  TensorTable& tensors = submitter.tensors();
  const uint64_t tile[] = {256, 16};
  const uint64_t row[] = {256};
  const uint64_t tile_at[] = {256 * chunk, 0};
  const uint64_t all_rows[] = {65536, 16};
  const uint64_t cache[] = {65536, 16, 16};
  const uint64_t query = tensors.make(uint64_t{1} << 32, all_rows, 2, DataType::FLOAT16).handle;
  const uint64_t keys = tensors.make(uint64_t{2} << 32, cache, 3, DataType::FLOAT16).handle;
  const uint64_t values = tensors.make(uint64_t{3} << 32, cache, 3, DataType::FLOAT16).handle;
  const uint64_t result = tensors.make(uint64_t{4} << 32, all_rows, 2, DataType::FLOAT32).handle;
  const auto made = [&](const uint64_t* shape, uint32_t ndims) {
    return tensors.make(0, shape, ndims, DataType::FLOAT32).handle;
  };
  tensors.scope_begin();
  const uint64_t oi = made(tile, 2), li = made(row, 1), mi = made(row, 1);
  submitter.submit<3>({{{oi, out}, {li, out}, {mi, out}}});
  for (uint64_t block = 0; block < blocks; ++block) {
    const uint64_t q = tensors.view(query, tile, tile_at).handle;
    const uint64_t o = tensors.view(result, tile, tile_at).handle;
    const uint64_t sij = made(tile, 2), pij = made(tile, 2), oi_new = made(tile, 2);
    const uint64_t mij = made(row, 1), lij = made(row, 1);
    submitter.submit<3>({{{q, in}, {keys, in}, {sij, out}}});
    submitter.submit<4>({{{sij, in}, {pij, out}, {mij, out}, {lij, out}}});
    submitter.submit<3>({{{pij, in}, {values, in}, {oi_new, out}}});
    submitter.submit<7>(
        {{{mij, in}, {lij, in}, {oi_new, in}, {mi, inout}, {li, inout}, {oi, inout}, {o, inout}}});
  }
  tensors.scope_end();
}

/// Arguments: rings, tasks that are live at a time. The time per task includes making handles and
/// filling descriptors.
void paged_attention_submit(benchmark::State& state) {
  Submitter submitter(static_cast<uint32_t>(state.range(0)), state.range(1));
  uint64_t chunk = 0;
  for (auto _ : state) {
    submitter.tensors().scope_begin();
    submit_chunk(submitter, chunk++ % 256, 8);
    submitter.tensors().scope_end();
  }
  benchmark::DoNotOptimize(submitter.found());
  state.SetItemsProcessed(static_cast<int64_t>(submitter.submitted()));
  state.counters["per_task"] =
      benchmark::Counter(static_cast<double>(submitter.submitted()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(paged_attention_submit)
    ->ArgNames({"rings", "live"})
    ->Args({1, 64})
    ->Args({4, 64})
    ->Args({1, 1024})
    ->Args({4, 1024})
    ->Args({4, 16384});

/// The plainest task of the budget: five parameters, three look-ups and two inserts.
void five_parameters(benchmark::State& state) {
  Submitter submitter(4, state.range(0));
  TensorTable& tensors = submitter.tensors();
  const uint64_t shape[] = {128, 128};
  const uint64_t a = tensors.make(uint64_t{1} << 32, shape, 2, DataType::FLOAT32).handle;
  const uint64_t b = tensors.make(uint64_t{2} << 32, shape, 2, DataType::FLOAT32).handle;
  uint64_t previous = tensors.make(uint64_t{3} << 32, shape, 2, DataType::FLOAT32).handle;
  for (auto _ : state) {
    tensors.scope_begin();
    for (int i = 0; i < 32; ++i) {
      const uint64_t x = tensors.make(0, shape, 2, DataType::FLOAT32).handle;
      const uint64_t y = tensors.make(0, shape, 2, DataType::FLOAT32).handle;
      submitter.submit<5>({{{a, in}, {b, in}, {previous, in}, {x, out}, {y, out}}});
      previous = x;
    }
    previous = a;
    tensors.scope_end();
  }
  state.counters["per_task"] =
      benchmark::Counter(static_cast<double>(submitter.submitted()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(five_parameters)->ArgName("live")->Arg(64)->Arg(1024)->Arg(16384);

/// The part of five_parameters that is not submission: two tensors made, five descriptors filled.
void make_and_fill(benchmark::State& state) {
  TensorTable tensors;
  const uint64_t shape[] = {128, 128};
  const uint64_t a = tensors.make(uint64_t{1} << 32, shape, 2, DataType::FLOAT32).handle;
  std::array<PTOTensor, 5> payload;
  uint64_t tasks = 0;
  for (auto _ : state) {
    tensors.scope_begin();
    for (int i = 0; i < 32; ++i, ++tasks) {
      for (int j = 0; j < 2; ++j) {
        const uint64_t made = tensors.make(0, shape, 2, DataType::FLOAT32).handle;
        benchmark::DoNotOptimize(made);
      }
      const TensorRecord* record = tensors.find(a);
      for (PTOTensor& tensor : payload) tensor = record->shown();
      benchmark::DoNotOptimize(payload);
    }
    tensors.scope_end();
  }
  state.counters["per_task"] = benchmark::Counter(
      static_cast<double>(tasks), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(make_and_fill);

/// Construction, one task, destruction: the fixed cost of a launch.
void construct_and_destroy(benchmark::State& state) {
  for (auto _ : state) {
    Submitter submitter(4, 64);
    submit_chunk(submitter, 0, 0);
    benchmark::DoNotOptimize(submitter.found());
  }
}
BENCHMARK(construct_and_destroy);

/// Counting mode: one chunk of 33 tasks, each with two outputs.
void counting_mode(benchmark::State& state) {
  ResourceRequirement requirement;
  requirement.scope_begin();
  uint64_t tasks = 0;
  for (auto _ : state) {
    requirement.scope_begin();
    for (int i = 0; i < 33; ++i, ++tasks) requirement.submit(1, {17408, 3});
    requirement.scope_end();
  }
  benchmark::DoNotOptimize(requirement.ring(1).window);
  state.counters["per_task"] = benchmark::Counter(
      static_cast<double>(tasks), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(counting_mode);

/// Has google-benchmark print what it would, and keeps a row of each benchmark.
class RowsReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override {
    shown_.reset(benchmark::CreateDefaultDisplayReporter());
    return shown_->ReportContext(context);
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    shown_->ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const auto per_task = run.counters.find("per_task");
      const bool has_tasks = per_task != run.counters.end();
      rows_.push_back(
          {{"subject", "tensormap"},
           {"work", run.benchmark_name()},
           {"ns", has_tasks ? per_task->second.value * 1e9 : run.GetAdjustedCPUTime()}});
    }
  }
  void Finalize() override { shown_->Finalize(); }

  [[nodiscard]] const bench::Rows& rows() const { return rows_; }

 private:
  std::unique_ptr<benchmark::BenchmarkReporter> shown_;
  bench::Rows rows_;
};

}  // namespace
}  // namespace pto2

int main(int argc, char** argv) {
  pto2::RowsReporter reporter;
  return pto2::bench::run_with_rows(argc, argv, reporter.rows(), &reporter);
}

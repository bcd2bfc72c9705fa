/// Orchestrations that keep the table of functions which they found at first, in this run or in
/// another. Once the run has failed, calls through it come to nothing, as those do through the
/// handle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/device/launch_on.hpp"
#include "runtime/orchestrator/recorded_graph.hpp"
#include "stress/hang_guard.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

/// What an orchestration calls through such a table.
class KeptTable {
 public:
  explicit KeptTable(PTO2Runtime* rt) : rt_(rt), ops_(rt->ops) {}

  /// More tasks than a ring holds.
  void submit_many() const {
    for (int i = 0; i < 100; ++i) {
      ops_->scope_begin(rt_);
      PTOParam param{};
      param.type = PTOParamType::OUTPUT;
      param.tensor.id = make();
      ops_->submit_task(rt_, 0, PTO2_WORKER_VECTOR, &param, 1);
      end_scope();
    }
  }
  void end_scope() const { ops_->scope_end(rt_); }
  void fail(const char* text) const { ops_->fail(rt_, 1, text); }
  void log_many() const {
    for (int i = 0; i < 2000; ++i) ops_->log(rt_, PTO2_LOG_INFO, "%d", i);
  }
  /// Each function.
  void call_all() const {
    submit_many();
    ops_->scope_begin(rt_);
    use(make());
    for (int i = 0; i < 1 << 16; ++i) (void)ops_->allocate_cluster(rt_);
    ops_->free_cluster(rt_, 7);
    ops_->submit_block_task(rt_, 0, PTO2_WORKER_VECTOR, nullptr, 0, 2, nullptr);
    ops_->submit_task_clustered(rt_, 0, PTO2_WORKER_VECTOR, nullptr, 0, 0);
    for (int i = 0; i < 10; ++i) end_scope();
    ops_->orchestration_done(rt_);
    fail("again");
    submit_many();
  }

 private:
  [[nodiscard]] uint64_t make() const {
    return ops_->make_tensor(rt_, 0, extent, 1, DataType::INT64);
  }
  void use(uint64_t tensor) const {
    (void)ops_->view(rt_, tensor, extent, extent + 1);
    (void)ops_->reshape(rt_, tensor, extent, 1);
    (void)ops_->transpose(rt_, tensor, 0, 0);
    (void)ops_->ndims(rt_, tensor);
    (void)ops_->numel(rt_, tensor);
    (void)ops_->is_contiguous(rt_, tensor);
    ops_->dump(rt_, tensor);
    char text[8];
    (void)ops_->describe(rt_, tensor, text, sizeof text);
  }

  static constexpr uint64_t extent[] = {4, 0};
  PTO2Runtime* const rt_;
  const PTO2RuntimeOps* const ops_;
};

class KeptTables : public testing::Test {
 protected:
  using Kind = GraphUse::Kind;
  using Orchestration = std::function<void(const KeptTable&)>;

  /// Runs it without a graph, with one that is recorded, and with one that is replayed, which was
  /// recorded of `recorded`. It must fail with this message, and nothing else.
  void expect_failure(const Orchestration& recorded, const Orchestration& orchestration,
                      const std::string& message) {
    RecordedGraph fresh;
    RecordedGraph graph;
    const bool kernels_fail = std::exchange(kernels_fail_, false);
    EXPECT_EQ(run_with(&graph, recorded).graph.kind, Kind::recorded);
    kernels_fail_ = kernels_fail;
    for (RecordedGraph* const with : {static_cast<RecordedGraph*>(nullptr), &fresh, &graph}) {
      const RunResult result = run_with(with, orchestration);
      EXPECT_THAT(result.error.message, testing::HasSubstr(message));
      EXPECT_THAT(result.damaged, testing::IsEmpty());
      EXPECT_EQ(result.graph.kind, Kind::none);
    }
    kernels_fail_ = false;
    EXPECT_EQ(run_with(&graph, recorded).graph.kind, Kind::replayed);
  }

  static inline bool kernels_fail_;
  static inline int lines_;

 private:
  static void kernel(int64_t*) {
    if (kernels_fail_) throw std::runtime_error("no");
  }
  static RunResult run_with(RecordedGraph* graph, const Orchestration& orchestration) {
    const KernelEntry kernels[] = {kernel};
    Launch what{kernels, [&](PTO2Runtime* rt) { orchestration(KeptTable(rt)); },
                [](int32_t, const char*) { ++lines_; }};
    what.graph = graph;
    DeviceConfig config = small_device();
    config.window = 16;
    const stress::HangGuard guard("a table that was kept");
    return launch(config, executors::SeededOptions{.seed = 1}, what);
  }
};

TEST_F(KeptTables, DoNothingInARunThatHasFailed) {
  const auto recorded = [](const KeptTable& table) {
    table.submit_many();
    table.submit_many();
  };
  const auto orchestration = [](const KeptTable& table) {
    table.submit_many();
    table.fail("enough");
    lines_ = 0;
    table.log_many();
    EXPECT_EQ(lines_, 1000);
    table.call_all();
  };
  expect_failure(recorded, orchestration, "code 1: enough");
}

/// While the orchestrator waited for room: the submission that it waited in is none.
TEST_F(KeptTables, DoNothingInARunThatWasGivenUp) {
  const auto recorded = [](const KeptTable& table) { table.submit_many(); };
  const auto orchestration = [](const KeptTable& table) {
    table.submit_many();
    table.end_scope();
    table.call_all();
  };
  kernels_fail_ = true;
  expect_failure(recorded, orchestration, "an exception left the kernel");
}

/// Which table it is depends on what the run that it is kept from does with a graph, and so does
/// what another run needs to be called. The orchestration is the same each time: some of its calls
/// go through the table of its own run.
class TablesOfOtherRuns : public testing::Test {
 protected:
  using Kind = GraphUse::Kind;

  /// A table of a run that used a graph so.
  static const PTO2RuntimeOps* table_of(Kind kind) {
    const PTO2RuntimeOps* ops = nullptr;
    RecordedGraph graph;
    if (kind == Kind::replayed || kind == Kind::left) run(&graph, nullptr, false);
    const RunResult result = run(kind == Kind::none ? nullptr : &graph, nullptr, kind == Kind::left,
                                 [&](PTO2Runtime* rt) { ops = rt->ops; });
    EXPECT_EQ(result.graph.kind, kind);
    return ops;
  }
  /// Calls through `kept`, or through none that is kept if it is null. `differs`: from other runs.
  static RunResult run(RecordedGraph* graph, const PTO2RuntimeOps* kept, bool differs,
                       const std::function<void(PTO2Runtime*)>& at_the_end = {}) {
    static constexpr KernelEntry kernels[] = {[](int64_t*) {}};
    Launch what{kernels,
                [&](PTO2Runtime* rt) {
                  orchestrate(rt, kept == nullptr ? rt->ops : kept, differs);
                  if (at_the_end) at_the_end(rt);
                },
                {}};
    what.graph = graph;
    const stress::HangGuard guard("a table that was kept from another run");
    return launch(small_device(), executors::SeededOptions{.seed = 1}, what);
  }

 private:
  static void orchestrate(PTO2Runtime* rt, const PTO2RuntimeOps* kept, bool differs) {
    static constexpr uint64_t extent[] = {4};
    for (int i = 0; i < 10; ++i) {
      kept->scope_begin(rt);
      PTOParam param{};
      param.type = PTOParamType::OUTPUT;
      param.tensor.id = kept->make_tensor(rt, 0, extent, 1, DataType::INT64);
      kept->submit_task(rt, 0, PTO2_WORKER_VECTOR, &param, 1);
      param.type = PTOParamType::INPUT;
      rt->ops->submit_task(rt, 0, PTO2_WORKER_VECTOR, &param, 1);
      if (differs && i == 5) kept->submit_task(rt, 0, PTO2_WORKER_VECTOR, &param, 1);
      param.tensor.id = kept->reshape(rt, param.tensor.id, extent, 1);
      EXPECT_EQ(kept->numel(rt, param.tensor.id), 4U);
      kept->submit_block_task(rt, 0, PTO2_WORKER_VECTOR, &param, 1, 2, nullptr);
      kept->log(rt, PTO2_LOG_INFO, "%d", i);
      rt->ops->scope_end(rt);
    }
  }
};

TEST_F(TablesOfOtherRuns, ServeEachRunAsItsOwnDoes) {
  for (const Kind kind : {Kind::none, Kind::recorded, Kind::replayed, Kind::left}) {
    SCOPED_TRACE(graph_use_name(kind));
    const PTO2RuntimeOps* const kept = table_of(kind);
    const auto expect = [&](RecordedGraph* graph, bool differs, Kind use) {
      const RunResult result = run(graph, kept, differs);
      EXPECT_EQ(result.error.message, "");
      EXPECT_EQ(result.tasks, differs ? 31U : 30U);
      EXPECT_EQ(result.graph.kind, use) << result.graph.reason;
      EXPECT_THAT(result.damaged, testing::IsEmpty());
    };
    RecordedGraph graph;
    expect(nullptr, false, Kind::none);
    expect(&graph, false, Kind::recorded);
    EXPECT_EQ(graph.use().tasks, 30U);
    expect(&graph, false, Kind::replayed);
    EXPECT_EQ(run(&graph, nullptr, false).graph.kind, Kind::replayed);
    expect(&graph, true, Kind::left);
    expect(&graph, true, Kind::recorded);
  }
}

/// A recording is given up for these, and a replay left, whatever table they come through.
TEST_F(TablesOfOtherRuns, AllocateClusters) {
  const PTO2RuntimeOps* kept = nullptr;
  const auto allocate = [&](PTO2Runtime* rt) { (void)kept->allocate_cluster(rt); };
  for (const Kind kind : {Kind::none, Kind::recorded, Kind::replayed}) {
    kept = table_of(kind);
    RecordedGraph graph;
    EXPECT_EQ(run(nullptr, nullptr, false, allocate).error.message, "");
    EXPECT_EQ(run(&graph, nullptr, false, allocate).graph.kind, Kind::refused);
    EXPECT_EQ(run(&graph, nullptr, false).graph.kind, Kind::recorded);
    EXPECT_EQ(run(&graph, nullptr, false, allocate).graph.kind, Kind::left);
  }
}

}  // namespace
}  // namespace pto2::test

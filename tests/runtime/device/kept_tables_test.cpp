/// Orchestrations that keep the table of functions which they found at first. Once the run has
/// failed, calls through it come to nothing, as those do through the handle.
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

 private:
  static void kernel(int64_t*) {
    if (kernels_fail_) throw std::runtime_error("no");
  }
  static RunResult run_with(RecordedGraph* graph, const Orchestration& orchestration) {
    const KernelEntry kernels[] = {kernel};
    Launch what{kernels, [&](PTO2Runtime* rt) { orchestration(KeptTable(rt)); }, {}};
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

}  // namespace
}  // namespace pto2::test

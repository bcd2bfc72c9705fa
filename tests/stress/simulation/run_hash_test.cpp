/// Whatever differs between two runs of a seed differs in their hashes.
#include "stress/simulation/run_hash.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace pto2::simulations {
namespace {

/// A run with an item in every list.
RunResult some_run() {
  RunResult result;
  Record& record = result.record;
  record.counts.emplace();
  record.damaged = {"ring 0"};
  record.events.resize(2);
  record.tasks.resize(2);
  record.tasks[1].producers.resize(1);
  record.tasks[1].holds.resize(1);
  record.tasks[1].params.resize(1);
  record.tasks[1].params[0].dims = max_dims;
  record.tasks[1].pipes.resize(1);
  record.pipe_uses.resize(2);
  return result;
}

using Edit = std::function<void(RunResult&)>;

/// Each edit makes a run that is neither the first nor one that another edit makes.
void expect_seen(const std::vector<Edit>& edits) {
  std::set<uint64_t> hashes{hash_of(some_run())};
  for (std::size_t i = 0; i < edits.size(); ++i) {
    RunResult edited = some_run();
    edits[i](edited);
    EXPECT_TRUE(hashes.insert(hash_of(edited)).second) << "edit " << i;
    EXPECT_EQ(hash_of(RunResult(edited)), hash_of(edited));
  }
}

/// The edits of an item of the record.
template <class Item>
std::vector<Edit> edits_of(Item& (*item)(Record&), const std::vector<void (*)(Item&)>& edits) {
  std::vector<Edit> all;
  for (const auto edit : edits) {
    all.emplace_back([=](RunResult& run) { edit(item(run.record)); });
  }
  return all;
}

TEST(RunHash, HasEveryFieldOfAnEvent) {
  expect_seen(edits_of<Event>(
      [](Record& record) -> Event& { return record.events[1]; },
      {[](Event& event) { event.t = 1; }, [](Event& event) { event.before = 1; },
       [](Event& event) { event.task.value = 1; }, [](Event& event) { event.scope = 1; },
       [](Event& event) { event.group = 1; }, [](Event& event) { event.requested = 1; },
       [](Event& event) { event.line = 1; }, [](Event& event) { event.thread = 1; },
       [](Event& event) { event.part = 1; }, [](Event& event) { event.place = 1; },
       [](Event& event) { event.kind = EventKind::fin; },
       [](Event& event) { event.lacking = Resource::task_ring; },
       [](Event& event) { event.lacking = Resource::heap_ring; }}));
}

TEST(RunHash, HasEveryFieldOfASubmission) {
  expect_seen(edits_of<TaskRecord>([](Record& record) -> TaskRecord& { return record.tasks[1]; },
                                   {[](TaskRecord& task) { task.task.value = 1; },
                                    [](TaskRecord& task) { task.event = 1; },
                                    [](TaskRecord& task) { task.kernel = 1; },
                                    [](TaskRecord& task) { task.type = 1; },
                                    [](TaskRecord& task) { task.scope = 1; },
                                    [](TaskRecord& task) { task.depth = 1; },
                                    [](TaskRecord& task) { task.cluster = 1; },
                                    [](TaskRecord& task) { task.group = 1; },
                                    [](TaskRecord& task) { task.block_dim = 1; },
                                    [](TaskRecord& task) { task.heap_begin = 1; },
                                    [](TaskRecord& task) { task.heap_bytes = 1; },
                                    [](TaskRecord& task) { task.first_node = 1; },
                                    [](TaskRecord& task) { task.nodes = 1; },
                                    [](TaskRecord& task) { task.producers[0].task.value = 1; },
                                    [](TaskRecord& task) { task.producers[0].claim = Claim::none; },
                                    [](TaskRecord& task) { task.producers.clear(); },
                                    [](TaskRecord& task) { task.holds[0].value = 1; },
                                    [](TaskRecord& task) { task.holds.clear(); },
                                    [](TaskRecord& task) { task.params.clear(); },
                                    [](TaskRecord& task) { task.pipes[0].tag = 1; },
                                    [](TaskRecord& task) { task.pipes[0].capacity = 1; },
                                    [](TaskRecord& task) { task.pipes.clear(); }}));
}

TEST(RunHash, HasEveryFieldOfAParameter) {
  expect_seen(edits_of<ParamRecord>(
      [](Record& record) -> ParamRecord& { return record.tasks[1].params[0]; },
      {[](ParamRecord& param) { param.direction = Direction::inout; },
       [](ParamRecord& param) { param.pipe = true; },
       [](ParamRecord& param) { param.pipe_out = true; }, [](ParamRecord& param) { param.tag = 1; },
       [](ParamRecord& param) { param.external = true; },
       [](ParamRecord& param) { param.owner.value = 1; },
       [](ParamRecord& param) { param.memory = 1; }, [](ParamRecord& param) { param.base = 1; },
       [](ParamRecord& param) { param.element = 1; }, [](ParamRecord& param) { param.origin = 1; },
       [](ParamRecord& param) { param.dims = 4; }, [](ParamRecord& param) { param.strides[0] = 1; },
       [](ParamRecord& param) { param.start[0] = 1; },
       [](ParamRecord& param) { param.extent[0] = 1; },
       [](ParamRecord& param) { param.extent[max_dims - 1] = 1; }}));
}

TEST(RunHash, HasEveryFieldOfAPipeUse) {
  expect_seen(edits_of<PipeUse>(
      [](Record& record) -> PipeUse& { return record.pipe_uses[1]; },
      {[](PipeUse& use) { use.event = 1; }, [](PipeUse& use) { use.group = 1; },
       [](PipeUse& use) { use.tag = 1; }, [](PipeUse& use) { use.capacity = 1; },
       [](PipeUse& use) { use.pushed = 1; }, [](PipeUse& use) { use.popped = 1; },
       [](PipeUse& use) { use.freed = 1; }, [](PipeUse& use) { use.before.waiting = 1; },
       [](PipeUse& use) { use.before.held = 1; }, [](PipeUse& use) { use.after.waiting = 1; },
       [](PipeUse& use) { use.after.held = -1; }}));
}

TEST(RunHash, HasTheOutcome) {
  expect_seen({[](RunResult& run) { run.error.code = ErrorCode::not_drained; },
               [](RunResult& run) { run.record.error = "not_drained"; },
               [](RunResult& run) { run.record.given_up = true; },
               [](RunResult& run) { run.record.dropped = 1; },
               [](RunResult& run) { run.record.damaged[0] = "ring 1"; },
               [](RunResult& run) { run.record.damaged.clear(); },
               [](RunResult& run) { run.record.events.pop_back(); },
               [](RunResult& run) { run.record.tasks.pop_back(); },
               [](RunResult& run) { run.record.pipe_uses.pop_back(); }});
}

TEST(RunHash, HasEveryCountThatIsTheSameOnEveryMachine) {
  std::vector<Edit> edits;
  for (const CountRow& row : count_table()) {
    if (row.member == &Counts::kernel_ticks) continue;
    edits.emplace_back([&row](RunResult& run) { run.*row.member = 1; });
    edits.emplace_back([&row](RunResult& run) { (*run.record.counts).*row.member = 1; });
  }
  expect_seen(edits);
  RunResult slower = some_run();
  slower.kernel_ticks = slower.record.counts->kernel_ticks = 1;
  EXPECT_EQ(hash_of(slower), hash_of(some_run()));
}

/// Where one list ends and the next begins counts, whatever is in them.
TEST(RunHash, HasTheEndOfEachListAndText) {
  const auto hash_with = [](const Edit& edit) {
    RunResult run = some_run();
    edit(run);
    return hash_of(run);
  };
  EXPECT_NE(hash_with([](RunResult& run) {
              run.record.damaged = {"ab", "c"};
            }),
            hash_with([](RunResult& run) {
              run.record.damaged = {"a", "bc"};
            }));
  const auto hash_of_ids = [](std::vector<ProducerRecord> producers, std::vector<TaskId> holds) {
    RunResult run = some_run();
    run.record.tasks[1].producers = std::move(producers);
    run.record.tasks[1].holds = std::move(holds);
    return hash_of(run);
  };
  const ProducerRecord producer{{.value = 3}, Claim::none};
  EXPECT_NE(hash_of_ids({producer}, {}),
            hash_of_ids({}, {{.value = 3}, {.value = static_cast<uint64_t>(Claim::none)}}));
}

}  // namespace
}  // namespace pto2::simulations

/// What is recorded of the callers' memory, against what the runtime makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "runtime/device/device.hpp"
#include "stress/oracles/demanded_edges.hpp"
#include "stress/oracles/recording_runtime.hpp"

namespace pto2::oracle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Graph = void (*)(PTO2Runtime*);

alignas(64) float callers[64];

void add_task(PTO2Runtime* rt, std::initializer_list<PTOParam> params) {
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params.begin(),
                      static_cast<int32_t>(params.size()));
}

Tensor floats(void* address, uint64_t count) {
  return make_tensor_external(address, &count, 1);
}

RecordingRuntime record_of(Graph graph) {
  RecordingRuntime recorder;
  recorder.scope_begin();
  pto2_rt_init_tensor_pool(&recorder);
  graph(&recorder);
  recorder.scope_end();
  return recorder;
}

RunResult run_of(Graph graph, uint64_t heap_bytes) {
  static constexpr KernelEntry kernels[] = {[](int64_t*) {}};
  DeviceConfig config;
  config.window = 16;
  config.heap_bytes = heap_bytes;
  config.chip.clusters = 2;
  config.chip.schedulers = 1;
  config.events = 1024;
  return launch(config, executors::SeededOptions{.seed = 1},
                {kernels,
                 [graph](PTO2Runtime* rt) {
                   pto2_rt_init_tensor_pool(rt);
                   graph(rt);
                 },
                 {}});
}

/// What a recording that knows the graph has against its run; nothing of another.
std::vector<std::string> problems_of(Graph graph, bool knows) {
  const RecordingRuntime recorder = record_of(graph);
  EXPECT_EQ(recorder.boxes_are_apart(), knows);
  const uint64_t heap = smallest_sizes(recorder.program(), 4).heap;
  const RunResult result = run_of(graph, knows ? heap : uint64_t{1} << 20);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  if (!recorder.boxes_are_apart()) return {};
  return edge_problems(recorder.tasks(), true, result.record);
}

/// Two tasks get memory of the runtime; the third reads what the first wrote.
void without_addresses(PTO2Runtime* rt) {
  const Tensor first = floats(nullptr, 256);
  const Tensor second = floats(nullptr, 256);
  add_task(rt, {make_output_param(first)});
  add_task(rt, {make_output_param(second)});
  add_task(rt, {make_input_param(first)});
}

TEST(RecordingMemory, ANullAddressAsksForABufferOfItsOwn) {
  const RecordingRuntime recorder = record_of(without_addresses);
  EXPECT_THAT(recorder.program()[1].output_bytes, ElementsAre(1024));
  EXPECT_THAT(recorder.program()[2].output_bytes, ElementsAre(1024));
  EXPECT_THAT(recorder.tasks()[2].producers, ElementsAre(0));
  EXPECT_THAT(problems_of(without_addresses, true), IsEmpty());
}

/// Who writes such a buffer later holds the one who got it.
TEST(RecordingMemory, ANullAddressHasAnOwner) {
  const Graph graph = [](PTO2Runtime* rt) {
    const Tensor tensor = floats(nullptr, 4);
    add_task(rt, {make_output_param(tensor)});
    add_task(rt, {make_output_param(tensor)});
  };
  EXPECT_THAT(record_of(graph).tasks()[1].owners, ElementsAre(0));
  EXPECT_THAT(problems_of(graph, true), IsEmpty());
}

TEST(RecordingMemory, OfBuffersThatShareBytesNothingIsKnownIfOneIsWritten) {
  const Graph inside = [](PTO2Runtime* rt) {
    const Tensor whole = floats(callers, 16);
    const Tensor part = floats(callers + 1, 4);
    add_task(rt, {make_output_param(whole)});
    add_task(rt, {make_input_param(part)});
  };
  EXPECT_THAT(problems_of(inside, false), IsEmpty());
  const Graph in_front = [](PTO2Runtime* rt) {
    const Tensor part = floats(callers + 8, 16);
    const Tensor front = floats(callers, 12);
    add_task(rt, {make_input_param(front)});
    add_task(rt, {make_output_param(part)});
  };
  EXPECT_THAT(problems_of(in_front, false), IsEmpty());
}

/// In which order a tensor is made and another one written says nothing.
TEST(RecordingMemory, WhatIsMadeLaterSharesWithWhatWasWritten) {
  const Graph graph = [](PTO2Runtime* rt) {
    add_task(rt, {make_output_param(floats(callers, 16))});
    add_task(rt, {make_input_param(floats(callers + 1, 4))});
  };
  EXPECT_THAT(problems_of(graph, false), IsEmpty());
}

TEST(RecordingMemory, WhatIsOnlyReadMayBeShared) {
  const Graph graph = [](PTO2Runtime* rt) {
    const Tensor whole = floats(callers, 16);
    const Tensor part = floats(callers + 1, 4);
    const Tensor other = floats(callers + 16, 4);
    add_task(rt, {make_input_param(whole), make_output_param(other)});
    add_task(rt, {make_input_param(part), make_input_param(other)});
  };
  EXPECT_THAT(problems_of(graph, true), IsEmpty());
}

}  // namespace
}  // namespace pto2::oracle

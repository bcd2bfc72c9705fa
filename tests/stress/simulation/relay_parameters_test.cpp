/// Stubs of tasks with the callers' memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "runtime/device/device.hpp"
#include "stress/simulation/relay.hpp"

namespace pto2::simulations {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using StubGraph = void (*)(PTO2Runtime*);

alignas(64) float callers_memory[64];

void add(PTO2Runtime* rt, const std::vector<PTOParam>& params) {
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params.data(),
                      static_cast<int32_t>(params.size()));
}

Tensor external_floats(void* address, uint64_t count) {
  return make_tensor_external(address, &count, 1);
}

struct StubRun {
  RunResult result;
  std::vector<std::string> problems;
};

StubRun run_stubs(StubGraph graph, KernelEntry kernel = &Relay::stub) {
  std::optional<Relay> relay;
  const KernelEntry kernels[] = {kernel};
  DeviceConfig config;
  config.window = 16;
  config.chip.clusters = 2;
  config.chip.schedulers = 1;
  const Launch what{kernels,
                    [&](PTO2Runtime* rt) {
                      relay.emplace(rt, RelayOptions{.stub_kernels = true});
                      pto2_rt_init_tensor_pool(&*relay);
                      graph(&*relay);
                    },
                    {}};
  StubRun run{launch(config, executors::SeededOptions{.seed = 5}, what), {}};
  run.problems = relay->problems(run.result.tasks);
  return run;
}

/// Of a run that is to end well.
std::vector<std::string> stub_problems(StubGraph graph, KernelEntry kernel = &Relay::stub) {
  const StubRun run = run_stubs(graph, kernel);
  EXPECT_EQ(run.result.error.code, ErrorCode::ok) << run.result.error.message;
  return run.problems;
}

TEST(RelayMemory, ANullAddressIsABufferOfItsOwn) {
  EXPECT_THAT(stub_problems([](PTO2Runtime* rt) {
                const Tensor first = external_floats(nullptr, 4);
                const Tensor second = external_floats(nullptr, 4);
                add(rt, {make_output_param(first)});
                add(rt, {make_output_param(second)});
                add(rt, {make_inout_param(second)});
                add(rt, {make_input_param(first)});
              }),
              IsEmpty());
}

/// In whichever order the tensors are made.
TEST(RelayMemory, OfBuffersThatShareBytesNothingIsKnown) {
  EXPECT_THAT(stub_problems([](PTO2Runtime* rt) {
                const Tensor whole = external_floats(callers_memory, 16);
                const Tensor part = external_floats(callers_memory + 1, 4);
                add(rt, {make_output_param(whole)});
                add(rt, {make_inout_param(part)});
                add(rt, {make_input_param(whole)});
              }),
              IsEmpty());
  EXPECT_THAT(stub_problems([](PTO2Runtime* rt) {
                const Tensor part = external_floats(callers_memory + 1, 4);
                add(rt, {make_output_param(part)});
                const Tensor whole = external_floats(callers_memory, 16);
                add(rt, {make_inout_param(whole)});
                add(rt, {make_input_param(part)});
              }),
              IsEmpty());
}

/// Of eight bytes that one has written, or four.
TEST(RelayMemory, TensorsOfOneAddressHaveTheBytesOfTheSmallerInCommon) {
  const StubGraph grows = [](PTO2Runtime* rt) {
    const Tensor one = external_floats(callers_memory, 1);
    const Tensor all = external_floats(callers_memory, 16);
    add(rt, {make_output_param(one)});
    add(rt, {make_input_param(all)});
  };
  EXPECT_THAT(stub_problems(grows), IsEmpty());
  EXPECT_THAT(stub_problems(grows,
                            [](int64_t* args) {
                              static uint32_t calls = 0;
                              Relay::stub(args);
                              if (++calls == 1) *pto_tensor(args, 1).data<char>() ^= 1;
                            }),
              ElementsAre(HasSubstr("and not what task 1 wrote")));
  EXPECT_THAT(stub_problems([](PTO2Runtime* rt) {
                const Tensor one = external_floats(callers_memory, 1);
                const Tensor all = external_floats(callers_memory, 16);
                add(rt, {make_output_param(all)});
                add(rt, {make_inout_param(one)});
                add(rt, {make_inout_param(all)});
                add(rt, {make_input_param(all)});
                add(rt, {make_input_param(one)});
              }),
              IsEmpty());
}

/// Which all of them are compared.
TEST(RelayMemory, TensorsOfOneAddressAndSizeHaveAllBytesInCommon) {
  EXPECT_THAT(stub_problems(
                  [](PTO2Runtime* rt) {
                    add(rt, {make_output_param(external_floats(callers_memory, 2))});
                    add(rt, {make_input_param(external_floats(callers_memory, 16))});
                  },
                  [](int64_t* args) {
                    static uint32_t calls = 0;
                    Relay::stub(args);
                    if (++calls == 1) pto_tensor(args, 1).data<char>()[7] ^= 1;
                  }),
              ElementsAre(HasSubstr("and not what task 1 wrote")));
}

}  // namespace
}  // namespace pto2::simulations

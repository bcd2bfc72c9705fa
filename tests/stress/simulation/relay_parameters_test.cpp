/// Stubs of tasks with the callers' memory, and with as many parameters as there may be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/device.hpp"
#include "stress/simulation/relay.hpp"

namespace pto2::simulations {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using StubGraph = void (*)(PTO2Runtime*);

alignas(64) float callers_memory[64];

void add(PTO2Runtime* rt, const std::vector<PTOParam>& params) {
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params.data(),
                      static_cast<int32_t>(params.size()));
}

void add_block(PTO2Runtime* rt, const std::vector<PTOParam>& params, int32_t parts) {
  pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, params.data(),
                            static_cast<int32_t>(params.size()), parts);
}

Tensor external_floats(void* address, uint64_t count) {
  return make_tensor_external(address, &count, 1);
}

Tensor made_floats(uint64_t count) {
  return make_tensor(&count, 1);
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

/// The first task to run leaves no number.
void forget_first(int64_t* args) {
  static uint32_t calls = 0;
  Relay::stub(args);
  if (++calls == 1) *pto_tensor(args, 1).data<char>() ^= 1;
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

std::vector<PTOParam> with_scalars(std::initializer_list<PTOParam> params, std::size_t count) {
  std::vector<PTOParam> all(params);
  all.resize(count, make_scalar_param(7));
  return all;
}

/// As many parameters as a task may have, the last of which are scalars.
TEST(RelayParameters, ATaskMayHaveAllThatThereMayBe) {
  const StubGraph graph = [](PTO2Runtime* rt) {
    const Tensor tensor = made_floats(4);
    add(rt, with_scalars({make_output_param(tensor)}, 32));
    add(rt, with_scalars({make_scalar_param(1), make_inout_param(tensor)}, 32));
    add(rt, with_scalars({make_input_param(tensor)}, 31));
  };
  EXPECT_THAT(stub_problems(graph), IsEmpty());
  EXPECT_THAT(stub_problems(graph,
                            [](int64_t* args) {
                              static uint32_t calls = 0;
                              if (++calls != 2) Relay::stub(args);
                            }),
              ElementsAre("task 2 of 1 parts ran 0 times",
                          AllOf(HasSubstr("task 3, parameter 1: it reads "),
                                HasSubstr("and not what task 2 wrote"))));
}

/// A parameter has the number that the orchestration gave it, from 1 on.
TEST(RelayParameters, AreToldByTheirNumbers) {
  EXPECT_THAT(stub_problems(
                  [](PTO2Runtime* rt) {
                    const Tensor tensor = made_floats(4);
                    const PTOParam scalar = make_scalar_param(1);
                    add(rt, {make_output_param(tensor)});
                    add(rt, with_scalars({scalar, scalar, make_input_param(tensor)}, 32));
                  },
                  forget_first),
              ElementsAre(HasSubstr("task 2, parameter 3: it reads ")));
}

TEST(RelayParameters, ABlockTaskMayHaveAllThatThereMayBe) {
  const StubGraph graph = [](PTO2Runtime* rt) {
    const Tensor tensor = made_floats(4);
    add_block(rt, with_scalars({make_output_param(tensor)}, 30), 3);
    add_block(rt, with_scalars({make_input_param(tensor)}, 29), 3);
  };
  EXPECT_THAT(stub_problems(graph), IsEmpty());
  EXPECT_THAT(stub_problems(graph,
                            [](int64_t* args) {
                              static uint32_t calls = 0;
                              if (++calls != 2) Relay::stub(args);
                            }),
              ElementsAre("task 1 of 3 parts ran 2 times"));
}

/// More than a block task may.
TEST(RelayParameters, ATaskOfAClusterMayHaveAllThatThereMayBe) {
  const StubGraph graph = [](PTO2Runtime* rt) {
    const Tensor tensor = made_floats(4);
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    for (const PTOParam& param : {make_output_param(tensor), make_inout_param(tensor)}) {
      const std::vector<PTOParam> params = with_scalars({param}, 31);
      pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_VECTOR, params.data(), 31, cluster);
    }
  };
  EXPECT_THAT(stub_problems(graph), IsEmpty());
  EXPECT_THAT(stub_problems(graph, [](int64_t*) {}),
              ElementsAre("task 1 of 1 parts ran 0 times", "task 2 of 1 parts ran 0 times"));
}

/// Of a task that has no scalar, whose place the stub's record takes, nothing is known: neither
/// whether it ran nor what it has written.
TEST(RelayParameters, ATaskOfTensorsAloneHasNoStub) {
  const StubGraph graph = [](PTO2Runtime* rt) {
    std::vector<PTOParam> params;
    for (int i = 0; i < 31; ++i) params.push_back(make_output_param(made_floats(4)));
    const Tensor changed = made_floats(4);
    add(rt, {make_output_param(changed)});
    params.push_back(make_inout_param(changed));
    add(rt, params);
    add(rt, {make_input_param(changed), make_input_param(params.front().tensor)});
    params.erase(params.begin(), params.begin() + 2);
    add_block(rt, params, 2);
    add(rt, {make_input_param(changed)});
  };
  const StubRun run = run_stubs(graph);
  EXPECT_EQ(run.result.error.code, ErrorCode::ok) << run.result.error.message;
  EXPECT_EQ(run.result.tasks, 5U);
  EXPECT_THAT(run.problems, IsEmpty());
}

/// A pipe is no scalar, though it is no tensor: it stays as it was made.
TEST(RelayParameters, APipeIsNotTheRecordOfAStub) {
  static uint32_t capacity = 0;
  EXPECT_THAT(stub_problems(
                  [](PTO2Runtime* rt) {
                    const int32_t cluster = pto2_rt_allocate_cluster(rt);
                    std::vector<PTOParam> params = {make_pipe_out_param(0)};
                    while (params.size() < 32) params.push_back(make_output_param(made_floats(4)));
                    pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_VECTOR, params.data(), 32,
                                                  cluster);
                  },
                  [](int64_t* args) {
                    Relay::stub(args);
                    capacity = pto_pipe(args, 0).capacity;
                  }),
              IsEmpty());
  EXPECT_EQ(capacity, PTO2_PIPE_CAPACITY);
}

/// The runtime refuses what the orchestration has asked for.
TEST(RelayParameters, MoreThanThereMayBeAreTheRuntimes) {
  const StubRun run = run_stubs([](PTO2Runtime* rt) { add(rt, with_scalars({}, 33)); });
  EXPECT_EQ(run.result.error.code, ErrorCode::bad_submission);
  EXPECT_THAT(run.result.error.message, HasSubstr("33 parameters, at most 32"));
  const StubRun parts = run_stubs([](PTO2Runtime* rt) { add_block(rt, with_scalars({}, 31), 2); });
  EXPECT_THAT(parts.result.error.message, HasSubstr("31 parameters, at most 30"));
}

TEST(RelayParameters, NoArrayOfThemIsTheRuntimes) {
  const StubRun run = run_stubs(
      [](PTO2Runtime* rt) { pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 3); });
  EXPECT_THAT(run.result.error.message, HasSubstr("3 parameters in no array"));
}

/// Nothing is read of a shape that the runtime refuses.
template <uint32_t ndims, bool reshapes>
void expect_refused_dimensions() {
  const StubRun run = run_stubs([](PTO2Runtime*) {
    const uint64_t shape[] = {4, 1, 1, 1, 1};
    if (reshapes) {
      const Tensor tensor = external_floats(callers_memory, 4);
      EXPECT_EQ(tensor.reshape(shape, ndims).id, 0U);
    } else {
      EXPECT_EQ(make_tensor(shape, ndims).id, 0U);
    }
  });
  EXPECT_EQ(run.result.error.code, ErrorCode::bad_submission);
  EXPECT_THAT(run.result.error.message, HasSubstr(" dimensions; a tensor has 1 to 5"));
  EXPECT_THAT(run.problems, IsEmpty());
}

TEST(RelayParameters, DimensionsThatThereAreNotAreTheRuntimes) {
  expect_refused_dimensions<0, false>();
  expect_refused_dimensions<6, false>();
  expect_refused_dimensions<~0U, false>();
  expect_refused_dimensions<0, true>();
  expect_refused_dimensions<6, true>();
  expect_refused_dimensions<~0U, true>();
}

}  // namespace
}  // namespace pto2::simulations

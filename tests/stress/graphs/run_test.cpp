// That the kernels of random graphs see what goes wrong.
#include "stress/graphs/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "runtime/include/pto_kernel_api.h"

namespace pto2::graphs::run_test {
namespace {

KernelEntry checking = nullptr;

/// As the kernel of random graphs, but the second part of a block task does nothing.
void lazy_kernel(int64_t* args) {
  const auto& task = *reinterpret_cast<const KernelTask*>(args[0]);
  const bool second = task.block_dim != 0 && args[1 + task.uses.size() + 1] == 1;
  if (!second) checking(args);
}

/// The parts of a block task are told that they are of three.
void misled_kernel(int64_t* args) {
  const auto& task = *reinterpret_cast<const KernelTask*>(args[0]);
  if (task.block_dim != 0) args[1 + task.uses.size()] = 3;
  checking(args);
}

/// The second is told that it is the third.
void lost_kernel(int64_t* args) {
  const auto& task = *reinterpret_cast<const KernelTask*>(args[0]);
  if (task.block_dim != 0) args[1 + task.uses.size() + 1] *= 2;
  checking(args);
}

DeviceConfig device() {
  DeviceConfig config;
  config.window = 64;
  config.heap_bytes = 65536;
  config.dep_pool = 256;
  config.tensormap_pool = 256;
  config.tensormap_buckets = 16;
  config.shard_capacity = 64;
  config.orchestrator_queue = 64;
  config.chip = {"small", 2, 1, 2, 2};
  return config;
}

/// The first task changes memory that the second reads, with nothing in its pipes.
const Program hands_on{{8},
                       {External{0, DataType::INT64, {1}}, Submit{.params = {{0, Use::inout}}},
                        Submit{.params = {{0, Use::input}}}}};

/// Of a run whose first `submitted` tasks are said to be accepted.
std::vector<std::string> problems_of(const Program& program, KernelEntry kernel,
                                     std::size_t submitted = 2) {
  const Interpreter predicted = interpret(program);
  GraphRun run(program, predicted, device().chip.clusters);
  Launch what = run.launch();
  checking = what.kernels[0];
  const KernelEntry kernels[] = {kernel == nullptr ? checking : kernel};
  what.kernels = kernels;
  static_cast<void>(pto2::launch(device(), executors::SeededOptions{.seed = 1}, what));
  return run.problems(submitted, true);
}

/// What there is to say against a run of a block task and its consumer.
std::vector<std::string> problems_of_run(KernelEntry kernel) {
  Submit producer{.params = {{0, Use::output}}};
  producer.block_dim = 2;
  const Program program{
      {}, {Make{DataType::INT64, {8}}, producer, Submit{.params = {{0, Use::input}}}}};
  return problems_of(program, kernel);
}

TEST(GraphRun, HasNothingToSayAgainstARightRun) {
  EXPECT_THAT(problems_of_run(nullptr), testing::IsEmpty());
}

TEST(GraphRun, AConsumerNeedsEveryPartOfItsProducer) {
  EXPECT_THAT(problems_of_run(lazy_kernel),
              testing::Contains(testing::HasSubstr("task 1 started before 1 of its producers")));
}

/// Whoever does not know does as the first part.
TEST(GraphRun, APartIsToldHowManyThereAre) {
  for (const KernelEntry kernel : {misled_kernel, lost_kernel}) {
    const std::vector<std::string> found = problems_of_run(kernel);
    EXPECT_THAT(found, testing::Contains("part 0 of task 0 ran 2 times"));
    EXPECT_THAT(found,
                testing::Contains("part 0 of task 0 or another was told a part that there is not"));
    EXPECT_THAT(found,
                testing::Not(testing::Contains(testing::HasSubstr("part 0 of task 0 read"))));
  }
}

/// All five dimensions differ, and so do their strides.
TEST(GraphRun, AKernelFindsEachElementOfAView) {
  const Program program{
      {1920},
      {External{0, DataType::UINT8, {3, 4, 5, 4, 8}}, View{0, {2, 3, 4, 3, 7}, {1, 1, 1, 1, 1}},
       Submit{.params = {{1, Use::inout}}}, Submit{.params = {{1, Use::inout}}, .block_dim = 3}}};
  const Interpreter predicted = interpret(program);
  GraphRun run(program, predicted, device().chip.clusters);
  static_cast<void>(pto2::launch(device(), executors::SeededOptions{.seed = 1}, run.launch()));
  EXPECT_THAT(run.problems(2, true), testing::IsEmpty());
  EXPECT_THAT(run.wrong_memory(), testing::IsEmpty());
}

/// Behind a tensor; and as one part, which runs where its group has its cluster.
TEST(GraphRun, AKernelFindsEachOfItsPipes) {
  using enum PipeStep;
  const auto of_pipes = [](Use use, const std::vector<PipeStep>& steps) {
    return Submit{.params = {{0, use}},
                  .group = 0,
                  .pipes = {{.tag = 7, .steps = steps}, {.tag = 8, .steps = steps}}};
  };
  Submit part = of_pipes(Use::input, {pop, release});
  part.group.reset();
  part.block_dim = 1;
  part.part_groups = {0};
  const Program program{
      {},
      {Make{DataType::INT64, {8}}, Allocate{}, of_pipes(Use::output, {push, push}),
       of_pipes(Use::input, {pop, release}), part}};
  EXPECT_THAT(problems_of(program, nullptr, 3), testing::IsEmpty());
}

/// A long task that uses the caller's memory so, and one that writes it, in no order: what is said
/// of them in a hundred schedules.
std::vector<std::string> problems_beside_a_writer(Use use) {
  const Program program{
      {64},
      {External{0, DataType::INT64, {8}}, Submit{.length = 40, .params = {{0, use}}},
       Submit{.params = {{0, Use::output}}}}};
  const Interpreter predicted = interpret(program);
  std::vector<std::string> found;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    GraphRun run(program, predicted, device().chip.clusters);
    static_cast<void>(pto2::launch(device(), executors::SeededOptions{.seed = seed}, run.launch()));
    std::ranges::copy(run.problems(2, true), std::back_inserter(found));
  }
  return found;
}

TEST(GraphRun, AKernelSeesItsTensorsChange) {
  EXPECT_THAT(problems_beside_a_writer(Use::input),
              testing::Contains("task 0 saw what it reads change while it ran"));
  EXPECT_THAT(problems_beside_a_writer(Use::output),
              testing::Contains("task 0 saw its tensors change after it had written"));
}

/// A right run, of which another is expected.
TEST(GraphRun, NothingBehindAFaultRuns) {
  const Interpreter predicted = interpret(hands_on);
  GraphRun run(hands_on, predicted, device().chip.clusters);
  static_cast<void>(pto2::launch(device(), executors::SeededOptions{.seed = 1}, run.launch()));
  EXPECT_THAT(run.problems(2, false, 0),
              testing::ElementsAre("task 0 was not refused something by a pipe",
                                   "task 1 ran, though it comes after the fault"));
}

KernelTask& task_of(int64_t* args) {
  return *reinterpret_cast<KernelTask*>(args[0]);
}

/// Whichever comes first.
TEST(GraphRun, AKernelReadsAllInputsAndWritesAllOutputs) {
  const Program program{
      {8},
      {External{0, DataType::INT64, {1}}, Make{DataType::INT64, {1}}, Make{DataType::INT64, {1}},
       Submit{.params = {{0, Use::input}, {1, Use::output}}},
       Submit{.params = {{2, Use::output}, {1, Use::input}}}}};
  EXPECT_THAT(problems_of(program, nullptr), testing::IsEmpty());
}

TEST(GraphRun, AKernelSeesThatWhatItReadsIsWrong) {
  const auto spoils = [](int64_t* args) {
    checking(args);
    if (task_of(args).number == 0) *pto_tensor(args, 1).data<uint8_t>() ^= 1;
  };
  EXPECT_THAT(problems_of(hands_on, nullptr), testing::IsEmpty());
  EXPECT_THAT(problems_of(hands_on, spoils),
              testing::Contains("task 1 read something else than was written before it"));
}

TEST(GraphRun, AKernelThatStartsMustFinish) {
  const auto starts = [](int64_t* args) { task_of(args).parts.front().started.fetch_add(1); };
  EXPECT_THAT(problems_of(hands_on, starts),
              testing::ElementsAre("task 0 did not finish", "task 1 did not finish"));
}

/// As if the runtime had said that it refused the last task.
TEST(GraphRun, WhatIsNotAcceptedDoesNotRun) {
  EXPECT_THAT(problems_of(hands_on, nullptr, 1),
              testing::ElementsAre("task 1 ran, though it was not accepted"));
  const Program block{{}, {Submit{}, Submit{.block_dim = 2}}};
  EXPECT_THAT(problems_of(block, nullptr, 1),
              testing::ElementsAre("part 0 of task 1 ran, though it was not accepted",
                                   "part 1 of task 1 ran, though it was not accepted"));
}

/// One that was predicted to be refused, and the device has run it.
TEST(GraphRun, ATaskThatIsRefusedHasAKernel) {
  const Program both{{}, {Submit{}, Submit{}}};
  const Interpreter predicted = interpret({{}, {Submit{}}});
  GraphRun run(both, predicted, device().chip.clusters);
  static_cast<void>(pto2::launch(device(), executors::SeededOptions{.seed = 1}, run.launch()));
  EXPECT_THAT(run.problems(1, true),
              testing::ElementsAre("task 1 ran, though it was not accepted"));
}

TEST(GraphRun, MakesTensorsOfTensors) {
  const Program program{{24},
                        {External{0, DataType::INT32, {2, 3}}, View{0, {1, 3}, {1, 0}},
                         Reshape{1, {3}}, Transpose{0, 0, 1}, Submit{.params = {{2, Use::inout}}},
                         Submit{.params = {{3, Use::inout}}}, Submit{.params = {{1, Use::input}}}}};
  EXPECT_THAT(problems_of(program, nullptr, 3), testing::IsEmpty());
}

/// Whichever of them has run.
TEST(GraphRun, NoPartBehindAFaultRuns) {
  const Program program{{8},
                        {External{0, DataType::INT64, {1}}, Submit{.params = {{0, Use::inout}}},
                         Submit{.params = {{0, Use::input}}, .block_dim = 2}}};
  const Interpreter predicted = interpret(program);
  GraphRun run(program, predicted, device().chip.clusters);
  Launch what = run.launch();
  checking = what.kernels[0];
  const KernelEntry kernels[] = {[](int64_t* args) {
    if (task_of(args).number == 0 || args[3] == 1) checking(args);
  }};
  what.kernels = kernels;
  static_cast<void>(pto2::launch(device(), executors::SeededOptions{.seed = 1}, what));
  EXPECT_THAT(run.problems(2, false, 0),
              testing::Contains("task 1 ran, though it comes after the fault"));
}

}  // namespace
}  // namespace pto2::graphs::run_test

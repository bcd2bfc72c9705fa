// That the kernels of random graphs see what goes wrong.
#include "stress/graphs/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pto2::graphs {
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

/// What there is to say against a run of a block task and its consumer.
std::vector<std::string> problems_of_run(KernelEntry kernel) {
  Submit producer{.params = {{0, Use::output}}};
  producer.block_dim = 2;
  const Program program{
      {}, {Make{DataType::INT64, {8}}, producer, Submit{.params = {{0, Use::input}}}}};
  const Interpreter predicted = interpret(program);
  GraphRun run(program, predicted, device().chip.clusters);
  Launch what = run.launch();
  checking = what.kernels[0];
  const KernelEntry kernels[] = {kernel == nullptr ? checking : kernel};
  what.kernels = kernels;
  const RunResult result = pto2::launch(device(), executors::SeededOptions{.seed = 1}, what);
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  return run.problems(2, true);
}

TEST(GraphRun, HasNothingToSayAgainstARightRun) {
  EXPECT_THAT(problems_of_run(nullptr), testing::IsEmpty());
}

TEST(GraphRun, AConsumerNeedsEveryPartOfItsProducer) {
  EXPECT_THAT(problems_of_run(lazy_kernel),
              testing::Contains(testing::HasSubstr("task 1 started before 1 of its producers")));
}

TEST(GraphRun, APartIsToldHowManyThereAre) {
  EXPECT_THAT(
      problems_of_run(misled_kernel),
      testing::Contains(testing::HasSubstr("or another was told a part that there is not")));
}

/// Nothing orders a reader of the caller's memory before one that writes it later.
TEST(GraphRun, AKernelSeesWhatItReadsChange) {
  const Program program{
      {64},
      {External{0, DataType::INT64, {8}}, Submit{.length = 40, .params = {{0, Use::input}}},
       Submit{.params = {{0, Use::output}}}}};
  const Interpreter predicted = interpret(program);
  std::vector<std::string> found;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    GraphRun run(program, predicted, device().chip.clusters);
    static_cast<void>(pto2::launch(device(), executors::SeededOptions{.seed = seed}, run.launch()));
    for (const std::string& problem : run.problems(2, true)) found.push_back(problem);
  }
  EXPECT_THAT(found, testing::Contains("task 0 saw what it reads change while it ran"));
}

/// A right run, of which another is expected.
TEST(GraphRun, NothingBehindAFaultRuns) {
  const Program program{{8},
                        {External{0, DataType::INT64, {1}}, Submit{.params = {{0, Use::inout}}},
                         Submit{.params = {{0, Use::input}}}}};
  const Interpreter predicted = interpret(program);
  GraphRun run(program, predicted, device().chip.clusters);
  static_cast<void>(pto2::launch(device(), executors::SeededOptions{.seed = 1}, run.launch()));
  EXPECT_THAT(run.problems(2, false, 0),
              testing::ElementsAre("task 0 was not refused something by a pipe",
                                   "task 1 ran, though it comes after the fault"));
}

}  // namespace
}  // namespace pto2::graphs

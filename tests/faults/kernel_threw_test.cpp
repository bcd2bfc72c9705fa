/// Kernels that an exception leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/include/pto_kernel_api.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test::kernel_threw {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

enum What : uint64_t { nothing, runtime_error, number, empty, longer, longest, after_a_misuse };

std::atomic<uint32_t> calls{0};

/// Arguments: what to throw.
void thrower(int64_t* args) {
  ++calls;
  switch (static_cast<What>(args[0])) {
    case nothing:
      return;
    case runtime_error:
      throw std::runtime_error("the tile is too large");
    case number:
      throw 42;
    case empty:
      throw std::runtime_error("");
    case longer:
      throw std::runtime_error(std::string(239, 'x') + "!");
    case longest:
      throw std::runtime_error(std::string(10'000, 'y'));
    case after_a_misuse:
      EXPECT_EQ(TPOP(args, 0), nullptr);
      throw std::runtime_error("popped from no pipe");
  }
}

Tensor some_tensor() {
  const uint64_t shape[] = {4};
  return make_tensor(shape, 1);
}

void submit(PTO2Runtime* rt, What what, std::vector<PTOParam> more = {},
            int type = PTO2_WORKER_VECTOR, int32_t cluster = -1) {
  more.insert(more.begin(), make_scalar_param(what));
  pto2_rt_submit_task_clustered(rt, 0, type, more.data(), static_cast<int32_t>(more.size()),
                                cluster);
}

class KernelThrew : public testing::TestWithParam<ExecutorKind> {
 protected:
  RunResult run(const std::function<void(PTO2Runtime*)>& entry, uint64_t seed = 1) {
    static constexpr KernelEntry kernels[] = {thrower};
    calls = 0;
    DeviceConfig config = small_device();
    config.events = 4096;
    RunResult result = run_at(GetParam(), config, {kernels, entry, {}}, seed);
    EXPECT_THAT(result.damaged, IsEmpty()) << result.error.message;
    return result;
  }
  /// On several schedules; the run that follows each in this process is right.
  std::string message_of(const std::function<void(PTO2Runtime*)>& entry) {
    std::string message;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const RunResult result = run(entry, seed);
      EXPECT_EQ(result.error.code, ErrorCode::kernel_threw) << result.error.message;
      EXPECT_THAT(result.error.hint, HasSubstr("kernel_entry"));
      EXPECT_EQ(run([](PTO2Runtime* rt) { submit(rt, nothing); }, seed).error.code, ErrorCode::ok);
      message = result.error.message;
    }
    return message;
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, KernelThrew, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(KernelThrew, NamesKernelTaskAndText) {
  EXPECT_EQ(message_of([](PTO2Runtime* rt) {
              submit(rt, nothing);
              submit(rt, runtime_error);
            }),
            "kernel 0, task 1 of ring 0: an exception left the kernel: the tile is too large");
}

TEST_P(KernelThrew, IsOfAnyType) {
  for (const What what : {number, empty}) {
    EXPECT_EQ(message_of([what](PTO2Runtime* rt) { submit(rt, what); }),
              "kernel 0, task 0 of ring 0: an exception that does not say what it is left the "
              "kernel");
  }
}

/// The text is cut where there is no room for more.
TEST_P(KernelThrew, SaysATextOfAnyLength) {
  EXPECT_THAT(message_of([](PTO2Runtime* rt) { submit(rt, longer); }),
              EndsWith(": " + std::string(239, 'x')));
  EXPECT_THAT(message_of([](PTO2Runtime* rt) { submit(rt, longest); }),
              EndsWith(": " + std::string(239, 'y')));
}

/// Whatever was there before.
TEST(KernelFault, KeepsATextUpToItsEnd) {
  KernelFault fault;
  fault.set_threw("the first");
  fault.set_threw("2nd");
  EXPECT_STREQ(fault.what, "2nd");
}

/// Whoever depends on the task does not run.
TEST_P(KernelThrew, EndTheRun) {
  const bool has_seeds = GetParam() == ExecutorKind::seeded;
  for (uint64_t seed = 1; seed <= (has_seeds ? seeds_of(300) : 20); ++seed) {
    const RunResult result = run(
        [](PTO2Runtime* rt) {
          pto2_rt_init_tensor_pool(rt);
          const Tensor tensor = some_tensor();
          submit(rt, runtime_error, {make_output_param(tensor)});
          for (int i = 0; i < 20; ++i) submit(rt, nothing, {make_inout_param(tensor)});
        },
        seed);
    EXPECT_EQ(result.error.code, ErrorCode::kernel_threw);
    EXPECT_EQ(calls, 1U);
  }
}

TEST_P(KernelThrew, OnSchedulersToo) {
  EXPECT_THAT(
      message_of([](PTO2Runtime* rt) { submit(rt, runtime_error, {}, PTO2_WORKER_AI_CPU); }),
      HasSubstr("task 0 of ring 0: an exception left the kernel: the tile"));
}

TEST_P(KernelThrew, InAPinnedTask) {
  EXPECT_THAT(message_of([](PTO2Runtime* rt) {
                submit(rt, runtime_error, {}, PTO2_WORKER_CUBE, pto2_rt_allocate_cluster(rt));
              }),
              HasSubstr("the tile is too large"));
}

/// Its core claims no other part.
TEST_P(KernelThrew, InAPartOfABlockTask) {
  for (const int type : {PTO2_WORKER_CUBE, PTO2_WORKER_AI_CPU}) {
    EXPECT_THAT(message_of([type](PTO2Runtime* rt) {
                  const PTOParam what = make_scalar_param(runtime_error);
                  pto2_rt_submit_block_task(rt, 0, type, &what, 1, 1000);
                }),
                HasSubstr("the tile is too large"));
  }
  const RunResult result = run([](PTO2Runtime* rt) {
    const PTOParam what = make_scalar_param(runtime_error);
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_CUBE, &what, 1, 1000);
  });
  EXPECT_EQ(result.error.code, ErrorCode::kernel_threw);
  EXPECT_LE(calls, small_device().chip.cores());
}

/// The exception came last, and is what ended the kernel.
TEST_P(KernelThrew, AfterAMisuse) {
  EXPECT_THAT(message_of([](PTO2Runtime* rt) { submit(rt, after_a_misuse); }),
              HasSubstr("popped from no pipe"));
}

/// All at once: one of them is told.
TEST_P(KernelThrew, InManyKernels) {
  EXPECT_THAT(message_of([](PTO2Runtime* rt) {
                for (int i = 0; i < 100; ++i) submit(rt, runtime_error);
              }),
              HasSubstr("the tile is too large"));
}

TEST_P(KernelThrew, IsInTheRecord) {
  const RunResult result = run([](PTO2Runtime* rt) { submit(rt, runtime_error); });
  EXPECT_EQ(result.record.error, "kernel_threw");
  EXPECT_THAT(result.record.tasks, SizeIs(1));
}

}  // namespace
}  // namespace pto2::test::kernel_threw

/// Orchestrations as users have them: sources in the style of the original, compiled as C++17, and
/// images of earlier versions of the interface. They are loaded and run on every executor.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/include/pto_kernel_api.h"
#include "runtime/loader/orchestration_library.hpp"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

float* data_of(const int64_t* args, int parameter) {
  return pto_tensor(args, parameter).data<float>();
}
uint64_t rows_of(const int64_t* args, int parameter) {
  return pto_tensor(args, parameter).shape[0];
}

/// out[i][j] = 1.
void hub(int64_t* args) {
  const PTOTensor& out = pto_tensor(args, 0);
  std::fill_n(data_of(args, 0), out.shape[0] * out.shape[1], 1.0F);
}

/// out = in * factor; both have rows, the inputs with a stride.
void scale(int64_t* args) {
  const PTOTensor& in = pto_tensor(args, 0);
  const PTOTensor& out = pto_tensor(args, 1);
  for (uint64_t i = 0; i < out.shape[0]; ++i) {
    for (uint64_t j = 0; j < out.shape[1]; ++j) {
      const float value = in.data<float>()[i * in.strides[0] + j];
      out.data<float>()[i * out.strides[0] + j] = value * static_cast<float>(args[2]);
    }
  }
}

/// acc += in.
void add(int64_t* args) {
  const uint64_t elements = rows_of(args, 1) * pto_tensor(args, 1).shape[1];
  for (uint64_t i = 0; i < elements; ++i) data_of(args, 1)[i] += data_of(args, 0)[i];
}

/// out = in, contiguous.
void copy(int64_t* args) {
  const uint64_t width = pto_tensor(args, 1).ndims == 1 ? 1 : pto_tensor(args, 1).shape[1];
  std::copy_n(data_of(args, 0), rows_of(args, 1) * width, data_of(args, 1));
}

/// Block args[3] of args[2] doubles its element.
void double_block(int64_t* args) {
  if (args[2] != static_cast<int64_t>(rows_of(args, 1))) return;
  data_of(args, 1)[args[3]] = 2 * data_of(args, 0)[args[3]];
}

struct Outcome {
  RunResult result;
  std::vector<std::pair<int32_t, std::string>> lines;  ///< of the orchestration, with their levels
};

class Interface : public testing::TestWithParam<ExecutorKind> {
 protected:
  static OrchestrationLibrary image(const std::string& name) {
    return OrchestrationLibrary::from_file(std::string(TEST_IMAGES) + "/" + name + ".so");
  }

  static Outcome run(const std::string& name, std::vector<uint64_t> args) {
    static constexpr KernelEntry kernels[] = {hub, scale, add, copy, double_block};
    const OrchestrationLibrary library = image(name);
    const int count = static_cast<int>(args.size());
    library.bind(nullptr);
    EXPECT_EQ(library.config(args.data(), count).expected_arg_count, count);
    Outcome outcome;
    const Launch what{
        kernels,
        [&](PTO2Runtime* rt) {
          library.bind(rt);
          library.entry(rt, args.data(), count);
        },
        [&](int32_t level, const char* text) { outcome.lines.emplace_back(level, text); }};
    outcome.result = launch_on(GetParam(), small_device(), what, 1);
    EXPECT_EQ(outcome.result.error.code, ErrorCode::ok) << outcome.result.error.message;
    return outcome;
  }

  template <class T>
  static uint64_t address(std::vector<T>& of) {
    return reinterpret_cast<uint64_t>(of.data());
  }
};

/// Six rows are two chunks; element j of each of three blocks is j, so each sum is 1 + 3 x 7 x j.
TEST_P(Interface, ASourceForTheOriginalRuns) {
  constexpr uint64_t batch = 6, blocks = 3, width = 5;
  std::vector<float> x(batch * blocks * width);
  for (uint64_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % width);
  std::vector<float> out(batch * width, -1);
  std::vector<int64_t> config = {batch, blocks, width, 7};
  const Outcome outcome = run("chunked_sums", {address(x), address(out), address(config)});
  EXPECT_EQ(outcome.result.tasks, 2U * (1 + 2 * blocks + 1));
  for (uint64_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i], static_cast<float>(1 + 21 * (i % width))) << i;
  }
}

/// Each line is there once: dump() returns it, and the source logs it. The call whose result is
/// dropped shows nothing.
TEST_P(Interface, DumpReturnsTheLineAndLogsNothing) {
  std::vector<float> x(5 * 2, 1);
  std::vector<float> out(5 * 2);
  std::vector<int64_t> config = {5, 1, 2, 1};
  const Outcome outcome = run("chunked_sums", {address(x), address(out), address(config)});
  EXPECT_THAT(
      outcome.lines,
      ElementsAre(
          Pair(int{PTO2_LOG_INFO}, "float32 [5, 1, 2] strides [2, 2, 1], contiguous, external at " +
                                       fmt::format("{:#x}", address(x))),
          Pair(int{PTO2_LOG_DEBUG}, HasSubstr("chunk 0: float32 [4, 2] strides [2, 1]")),
          Pair(int{PTO2_LOG_DEBUG}, AllOf(HasSubstr("chunk 4: float32 [1, 2] strides [2, 1]"),
                                          HasSubstr(", 32 bytes into its buffer"))),
          Pair(int{PTO2_LOG_ALWAYS}, "submitted 8 tasks")));
}

TEST_P(Interface, ALongLineIsLoggedAsItIs) {
  for (const std::size_t length : {1023U, 1024U, 5000U}) {
    const std::string text(length, 'x');
    std::vector<std::string> lines;
    const Launch what{{},
                      [&](PTO2Runtime* rt) { LOG_ERROR(rt, "%s%d", text.c_str(), 7); },
                      [&](int32_t, const char* line) { lines.emplace_back(line); }};
    EXPECT_EQ(launch_on(GetParam(), small_device(), what, 1).error.code, ErrorCode::ok);
    EXPECT_THAT(lines, ElementsAre(text + "7"));
  }
}

/// Each if has its own else, and what is in a scope runs once.
TEST(Scope, AnElseBehindItBelongsToTheIfBeforeIt) {
  static int begun, ended;
  PTO2RuntimeOps ops{};
  ops.scope_begin = [](PTO2Runtime*) { ++begun; };
  ops.scope_end = [](PTO2Runtime*) { ++ended; };
  PTO2Runtime runtime{&ops};
  for (const bool is_first : {true, false}) {
    begun = ended = 0;
    int inside = 0, instead = 0;
    // clang-format off
    if (is_first)
      PTO2_SCOPE(&runtime) { ++inside; EXPECT_EQ(ended, 0); }
    else
      ++instead;
    // clang-format on
    EXPECT_EQ(inside, is_first);
    // clang-format off
    if (!is_first) PTO2_SCOPE(&runtime) { ++inside; }  // compiles, with all warnings
    // clang-format on
    EXPECT_EQ(inside, 1);
    EXPECT_EQ(instead, !is_first);
    EXPECT_EQ(begun, 1);
    EXPECT_EQ(ended, 1);
  }
}

TEST_P(Interface, TheLoopOverBlocksRuns) {
  std::vector<float> in = {3, 1, 4, 1, 5, 9, 2, 6};
  std::vector<float> out(in.size(), -1);
  const Outcome outcome = run("block_loop", {address(in), address(out), in.size()});
  EXPECT_EQ(outcome.result.tasks, in.size());
  EXPECT_THAT(out, ElementsAre(6, 2, 8, 2, 10, 18, 4, 12));
  EXPECT_TRUE(outcome.lines.empty());
}

TEST_P(Interface, AnImageOfVersion1Runs) {
  std::vector<float> out(3, -1);
  const Outcome outcome = run("version_1", {address(out)});
  EXPECT_EQ(outcome.result.tasks, 3U);
  EXPECT_THAT(out, ElementsAre(5, 5, 5));
  EXPECT_THAT(outcome.lines,
              ElementsAre(Pair(int{PTO2_LOG_INFO}, "turned: 2 dimensions, not contiguous"),
                          Pair(int{PTO2_LOG_INFO}, "flat: 3 elements"),
                          Pair(int{PTO2_LOG_INFO}, AllOf(HasSubstr("float32 [3] strides [1]"),
                                                         HasSubstr("12 bytes into its buffer")))));
}

INSTANTIATE_TEST_SUITE_P(Executors, Interface,
                         testing::Values(ExecutorKind::packed, ExecutorKind::threads,
                                         ExecutorKind::seeded),
                         [](const auto& test) { return executor_name(test.param); });

/// Runs `entry` as the orchestration, without kernels.
RunResult orchestrate(const std::function<void(PTO2Runtime*)>& entry) {
  return launch_on(ExecutorKind::seeded, small_device(), {{}, entry, {}}, 1);
}

TEST(Dump, SaysWhatIsWrongWithAHandle) {
  const RunResult result = orchestrate([](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    EXPECT_EQ(Tensor{}.dump(), "handle 0 is no tensor; make one with make_tensor");
  });
  EXPECT_EQ(result.error.code, ErrorCode::ok) << "to ask is no mistake";
}

TEST(Dump, IsEmptyAfterAnError) {
  const RunResult result = orchestrate([](PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
    EXPECT_EQ(Tensor{}.dump(), "");
    char text[] = "not read";
    EXPECT_EQ(rt->ops->describe(rt, 0, text, sizeof text), 0U);
    EXPECT_STREQ(text, "");
  });
  EXPECT_EQ(result.error.code, ErrorCode::bad_submission);
}

TEST(Dump, IsCutToTheCapacity) {
  (void)orchestrate([](PTO2Runtime* rt) {
    for (const uint64_t capacity : {uint64_t{0}, uint64_t{1}, uint64_t{9}, uint64_t{100}}) {
      std::string text(128, 'x');
      const std::string whole = "handle 0 is no tensor; make one with make_tensor";
      EXPECT_EQ(rt->ops->describe(rt, 0, text.data(), capacity), whole.size());
      if (capacity != 0) {
        EXPECT_STREQ(text.c_str(), whole.substr(0, capacity - 1).c_str());
      }
      EXPECT_EQ(text.substr(capacity), std::string(128 - capacity, 'x'));
    }
  });
}

/// Images that exist find their functions where they were.
TEST(Table, GrowsAtItsEnd) {
  EXPECT_EQ(offsetof(PTO2RuntimeOps, submit_task), 1 * sizeof(void*));
  EXPECT_EQ(offsetof(PTO2RuntimeOps, log), 13 * sizeof(void*));
  EXPECT_EQ(offsetof(PTO2RuntimeOps, describe), 14 * sizeof(void*));
}

}  // namespace
}  // namespace pto2::test

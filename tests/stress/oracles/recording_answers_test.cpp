/// What a recording answers to an orchestration is what the runtime does: else it might go on in
/// another way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "runtime/device/device.hpp"
#include "stress/oracles/recording_runtime.hpp"

namespace pto2::oracle {
namespace {

using Answers = std::string (*)(PTO2Runtime*);

/// Of a recording, which the runtime answers too.
std::string answers_of(Answers ask) {
  RecordingRuntime recorder;
  recorder.scope_begin();
  pto2_rt_init_tensor_pool(&recorder);
  std::string recorded = ask(&recorder);
  recorder.scope_end();
  EXPECT_TRUE(recorder.boxes_are_apart());
  std::string answered;
  DeviceConfig config;
  config.chip.clusters = 8;
  const RunResult result = launch(config, executors::SeededOptions{.seed = 1},
                                  {{},
                                   [&](PTO2Runtime* rt) {
                                     pto2_rt_init_tensor_pool(rt);
                                     answered = ask(rt);
                                   },
                                   {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(recorded, answered);
  return recorded;
}

std::string is_contiguous(const Tensor& tensor) {
  return tensor.is_contiguous() ? "y" : "n";
}

alignas(64) float matrix[24];

TEST(RecordingAnswers, SayWhetherATensorIsContiguous) {
  EXPECT_EQ(answers_of([](PTO2Runtime*) {
              const uint64_t shape[] = {4, 6};
              const uint64_t rows[] = {2, 6};
              const uint64_t row_part[] = {1, 3};
              const uint64_t start[] = {1, 0};
              const Tensor tensor = make_tensor_external(matrix, shape, 2);
              return is_contiguous(tensor) + is_contiguous(tensor.view(rows, start)) +
                     is_contiguous(tensor.view(row_part, start));
            }),
            "yyy");
  EXPECT_EQ(answers_of([](PTO2Runtime*) {
              const uint64_t shape[] = {4, 6};
              const uint64_t columns[] = {4, 3};
              const uint64_t start[] = {0, 3};
              const Tensor tensor = make_tensor_external(matrix, shape, 2);
              return is_contiguous(tensor.view(columns, start)) +
                     is_contiguous(tensor.transpose(0, 1)) +
                     is_contiguous(tensor.transpose(0, 1).transpose(1, 0));
            }),
            "nny");
}

/// An axis of one element is no gap, wherever it is.
TEST(RecordingAnswers, KnowReshapedTensors) {
  EXPECT_EQ(answers_of([](PTO2Runtime*) {
              const uint64_t shape[] = {24};
              const uint64_t cube[] = {1, 4, 6};
              const Tensor tensor = make_tensor_external(matrix, shape, 1).reshape(cube, 3);
              return is_contiguous(tensor) + is_contiguous(tensor.transpose(0, 1)) +
                     is_contiguous(tensor.transpose(0, 2)) + is_contiguous(tensor.transpose(1, 2));
            }),
            "yynn");
}

TEST(RecordingAnswers, GiveEachOpenGroupTheLowestClusterThatIsFree) {
  EXPECT_EQ(answers_of([](PTO2Runtime* rt) {
              std::string ids;
              const auto allocate = [&] { ids += std::to_string(pto2_rt_allocate_cluster(rt)); };
              for (int i = 0; i < 3; ++i) allocate();
              PTO2_SCOPE(rt) {
                pto2_rt_free_cluster(rt, 1);
                for (int i = 0; i < 3; ++i) allocate();
                pto2_rt_free_cluster(rt, 0);
              }
              for (int i = 0; i < 4; ++i) allocate();
              return ids;
            }),
            "0121340134");
}

/// As one that is not open.
TEST(RecordingAnswers, ClustersAreFreedOnce) {
  RecordingRuntime runtime;
  runtime.scope_begin();
  pto2_rt_free_cluster(&runtime, pto2_rt_allocate_cluster(&runtime));
  EXPECT_TRUE(runtime.boxes_are_apart());
  pto2_rt_free_cluster(&runtime, 0);
  EXPECT_FALSE(runtime.boxes_are_apart());
}

TEST(RecordingAnswers, TransposeAxesThatThereAre) {
  const uint64_t shape[] = {4, 6};
  for (const auto& [x, y] : {std::pair(0U, 2U), std::pair(~0U, 1U)}) {
    RecordingRuntime runtime;
    const uint64_t tensor = runtime.ops->make_tensor(&runtime, 64, shape, 2, DataType::INT32);
    EXPECT_EQ(runtime.ops->transpose(&runtime, tensor, x, y), 0U);
    EXPECT_FALSE(runtime.boxes_are_apart());
    EXPECT_FALSE(runtime.ops->is_contiguous(&runtime, 0));
  }
}

}  // namespace
}  // namespace pto2::oracle

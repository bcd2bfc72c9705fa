/// The workloads on dense matrices, one task after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "runtime/workloads/alternating/alternating_case.hpp"
#include "runtime/workloads/random_fill.hpp"
#include "tests/runtime/workloads/run_case.hpp"

namespace pto2::workloads {
namespace {

struct Dense {
  const char* workload;
  const char* name;
  uint64_t tasks;
  uint64_t edges;
  double tolerance;
  double bound;  ///< of the error when all is right
};

class PublishedDense : public testing::TestWithParam<Dense> {};

/// The published tolerance of bgemm is nearly as large as its products: a product that lacks a term
/// is within it. So the error is bounded more closely here.
TEST_P(PublishedDense, computes_its_reference_with_the_published_graph) {
  const auto data = find_workload(GetParam().workload).make_case(GetParam().name);
  EXPECT_EQ(data->expected_tasks(), GetParam().tasks);
  EXPECT_EQ(data->expected_edges(), GetParam().edges);
  EXPECT_EQ(data->tolerance(), GetParam().tolerance);
  expect_correct(GetParam().workload, *data);
  EXPECT_LT(data->verify().max_abs_error, GetParam().bound);
}

/// An output that nobody writes fails, and so does a sum that nobody adds to.
TEST_P(PublishedDense, without_a_run_fails) {
  const auto data = find_workload(GetParam().workload).make_case(GetParam().name);
  expect_correct(GetParam().workload, *data);
  data->reset_outputs();
  EXPECT_FALSE(data->verify().pass);
  expect_correct(GetParam().workload, *data);
}

INSTANTIATE_TEST_SUITE_P(Cases, PublishedDense,
                         testing::Values(Dense{"bgemm", "Case1", 256, 224, 1e-3, 1e-7},
                                         Dense{"block_incore", "expansion", 48, 576, 1e-4, 1e-5},
                                         Dense{"block_incore", "block_task", 2, 1, 1e-4, 1e-5},
                                         Dense{"clusters", "tensor", 72, 64, 1e-3, 1e-6},
                                         Dense{"clusters", "pipe", 72, 64, 1e-3, 1e-6},
                                         Dense{"matmul", "Case1", 4, 4, 1e-2, 1e-3},
                                         Dense{"matmul", "CaseRandom", 4, 4, 1e-2, 5e-3},
                                         Dense{"alternating", "case1", 64, 0, 1e-3, 1e-7},
                                         Dense{"alternating", "case2", 128, 0, 1e-3, 1e-7}),
                         [](const auto& test) {
                           return std::string(test.param.workload) + "_" + test.param.name;
                         });

/// The memory of an argument.
template <class T>
std::span<T> values_of(const CaseData& data, const std::string& name) {
  for (const Argument& argument : data.arguments()) {
    if (argument.name == name) {
      return {reinterpret_cast<T*>(argument.value), argument.bytes / sizeof(T)};
    }
  }
  ADD_FAILURE() << "no argument " << name;
  return {};
}

TEST(BlockIncore, refuses_as_many_blocks_as_no_task_can_have) {
  for (const char* const name : {"expansion", "block_task"}) {
    for (const uint64_t blocks : {uint64_t{0}, uint64_t{65536}, (uint64_t{1} << 32) + 24}) {
      EXPECT_EQ(error_after("block_incore", name, [&](auto& args) { args[6] = blocks; }),
                "block_incore: block_dim is " + std::to_string(blocks) + ", not in 1..65535");
    }
    for (const uint64_t blocks : {1, 65535}) {  // goes on to what is wrong behind it
      const std::string error = error_after("block_incore", name, [&](auto& args) {
        args[6] = blocks;
        args[4] -= sizeof(float);
      });
      EXPECT_NE(error.find("bytes"), std::string::npos) << error;
    }
  }
}

TEST(Bgemm, adds_to_what_is_there) {
  const auto data = find_workload("bgemm").make_case("Case1");
  const auto c = values_of<float>(*data, "C");
  const std::vector<float> before(c.begin(), c.end());
  expect_correct("bgemm", *data);
  EXPECT_FALSE(std::ranges::equal(before, c));
  data->reset_outputs();
  EXPECT_TRUE(std::ranges::equal(before, c)) << "each repetition begins alike";
}

/// Element (1, 70, 200) by hand: row 6 of tile (1, 1, k), column 8 of tile (1, k, 3).
TEST(Bgemm, tiles_come_first) {
  const auto data = find_workload("bgemm").make_case("Case1");
  const auto a = values_of<float>(*data, "A");
  const auto b = values_of<float>(*data, "B");
  const auto c = values_of<float>(*data, "C");
  const auto at = [](uint64_t i, uint64_t row, uint64_t column) {
    const uint64_t tile = (i * 4 + row / 64) * 4 + column / 64;
    return tile * 64 * 64 + row % 64 * 64 + column % 64;
  };
  double wanted = double{c[at(1, 70, 200)]};
  for (uint64_t k = 0; k < 256; ++k) {
    wanted += double{a[at(1, 70, k)]} * double{b[at(1, k, 200)]};
  }
  expect_correct("bgemm", *data);
  EXPECT_NEAR(c[at(1, 70, 200)], wanted, 1e-7);
}

TEST(Matmul, every_element_is_e_squared) {
  const auto data = find_workload("matmul").make_case("Case1");
  expect_correct("matmul", *data);
  for (const float f : values_of<float>(*data, "f")) ASSERT_NEAR(f, 7.389, 1e-2);
}

/// A product of nothing is zero, and e to the power of that is one.
TEST(Matmul, a_result_of_other_weights_than_those_given_fails) {
  const auto data = find_workload("matmul").make_case("CaseRandom");
  for (const char* weights : {"w1", "w2"}) {
    std::ranges::fill(values_of<uint16_t>(*data, weights), uint16_t{0});
  }
  std::ranges::fill(values_of<float>(*data, "f"), 1.0f);
  EXPECT_FALSE(data->verify().pass);
}

TEST(Alternating, several_products_and_another_number_of_sums) {
  const CaseInfo info = alternating().cases().front();
  for (const auto& [products, sums] : {std::pair(3u, 1u), std::pair(1u, 4u)}) {
    const auto data = make_alternating_case(info, 2, products, sums, 5);
    EXPECT_EQ(data->expected_tasks(), 2 * (products + sums));
    expect_correct("alternating", *data);
    EXPECT_LT(data->verify().max_abs_error, 1e-7);
  }
}

/// Runs the first case with arguments that `damage` has changed; returns what the orchestration
/// logs.
std::string complaint(const std::string& workload,
                      const std::function<void(std::vector<uint64_t>&)>& damage) {
  const Workload& found = find_workload(workload);
  const auto data = found.make_case(found.cases().front().name);
  const KernelLibrary kernels = kernels_of(workload);
  oracle::SequentialRuntime runtime(kernels);
  std::vector<uint64_t> args = data->args();
  damage(args);
  const auto orchestration =
      OrchestrationLibrary::from_file(find_workload_images(workload).orchestration);
  orchestration.bind(&runtime);
  orchestration.entry(&runtime, args.data(), static_cast<int>(args.size()));
  EXPECT_EQ(runtime.tasks(), 0u);
  return runtime.errors().empty() ? "" : runtime.errors().front();
}

TEST(Dense, orchestrations_check_their_arguments) {
  const auto more = [](int argument) {
    return [argument](std::vector<uint64_t>& args) { ++args[argument]; };
  };
  EXPECT_EQ(complaint("bgemm", more(3)), "bgemm: A is 524289 bytes, no multiple of 262144");
  EXPECT_EQ(complaint("bgemm", [](auto& args) { args[3] = 0; }),
            "bgemm: A is 0 bytes, no multiple of 262144");
  EXPECT_EQ(complaint("bgemm", more(4)), "bgemm: argument 4 is 524289 bytes, not 524288");
  EXPECT_EQ(complaint("bgemm", more(5)), "bgemm: argument 5 is 524289 bytes, not 524288");
  EXPECT_EQ(complaint("matmul", more(8)),
            "matmul: 16385 elements are no square of up to 32768 x 32768");
  EXPECT_EQ(complaint("matmul", more(6)), "matmul: argument 6 is 32769 bytes, not 32768");
  EXPECT_EQ(complaint("matmul", more(7)), "matmul: argument 7 is 65537 bytes, not 65536");
  EXPECT_EQ(complaint("alternating", more(8)),
            "alternating: argument 8 is 2097153 bytes, not 2097152");
  EXPECT_EQ(complaint("alternating", more(11)),
            "alternating: argument 11 is 1048577 bytes, not 1048576");
  for (int i = 0; i < 3; ++i) {
    const auto set = [i](int64_t to) {
      return complaint("alternating", [=](std::vector<uint64_t>& args) {
        reinterpret_cast<int64_t*>(args[12])[i] = to;
      });
    };
    const std::string config = "alternating: config[" + std::to_string(i) + "] is ";
    EXPECT_EQ(set(0), config + "0, not in 1..1048576");
    EXPECT_EQ(set((1 << 20) + 1), config + "1048577, not in 1..1048576");
  }
}

TEST(Dense, inputs_follow_from_the_seed) {
  for (const char* workload : {"bgemm", "alternating"}) {
    const auto inputs_of = [&](uint64_t seed) {
      CaseOptions options;
      options.seed = seed;
      const Workload& found = find_workload(workload);
      const auto data = found.make_case(found.cases().front().name, options);
      const auto a = values_of<float>(*data, "A");
      const auto b = values_of<float>(*data, "B");
      EXPECT_FALSE(std::ranges::equal(a, b));
      return std::vector<float>(b.begin(), b.end());
    };
    EXPECT_EQ(inputs_of(3), inputs_of(3));
    EXPECT_NE(inputs_of(3), inputs_of(4));
  }
}

TEST(RandomFill, normal_values_have_their_moments) {
  std::vector<float> values(100001);
  fill_normal_float(values, 2, 7);
  double sum = 0, squares = 0, neighbours = 0;
  uint64_t within = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = double{values[i]};
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    within += std::abs(x) < 2 ? 1 : 0;
    if (i > 0) neighbours += x * double{values[i - 1]};
  }
  const auto n = static_cast<double>(values.size());
  EXPECT_NEAR(sum / n, 0, 0.03);
  EXPECT_NEAR(squares / n, 4, 0.08);
  EXPECT_NEAR(neighbours / n, 0, 0.08);
  EXPECT_NEAR(static_cast<double>(within) / n, 0.6827, 0.01);
}

}  // namespace
}  // namespace pto2::workloads

/// Workloads on the whole runtime: every case that does not take long on every executor, production
/// sizes on the packed one. What a run comes to is compared with the reference, its graph with the
/// published one, its events with the rules; and a wrong kernel is seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/include/pto_kernel_api.h"
#include "runtime/judge/judge.hpp"
#include "tests/runtime/workloads/run_case.hpp"
#include "tests/support/executors_under_test.hpp"

namespace pto2::workloads {
namespace {

/// A case on an executor, with kernels that can be replaced.
class RunOfCase {
 public:
  RunOfCase(const std::string& workload, const std::string& case_name)
      : data_(find_workload(workload).make_case(case_name)),
        orchestration_(OrchestrationLibrary::from_file(find_workload_images(workload).orchestration,
                                                       data_->entry())),
        kernels_(kernels_of(workload)) {
    for (int32_t id = 0; id < kernels_.id_limit(); ++id) {
      const Kernel* kernel = kernels_.find(id);
      entries_.push_back(kernel == nullptr ? nullptr : kernel->entry);
    }
  }

  void replace(size_t id, KernelEntry kernel) { entries_.at(id) = kernel; }
  CaseData& data() { return *data_; }

  /// Expects a run without errors, of the published graph; compares the outputs.
  Verification on(ExecutorKind executor, uint64_t seed = 1) {
    data_->reset_outputs();
    std::vector<uint64_t> args = data_->args();
    DeviceConfig config;
    config.events = 1 << 20;
    const Launch what{entries_,
                      [&](PTO2Runtime* rt) {
                        orchestration_.bind(rt);
                        orchestration_.entry(rt, args.data(), static_cast<int>(args.size()));
                      },
                      {}};
    const RunResult result = test::launch_on(executor, config, what, seed);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_EQ(result.tasks, data_->expected_tasks());
    EXPECT_EQ(result.edges_linked + result.edges_early, data_->expected_edges());
    EXPECT_THAT(judging::problems_of(result.record), testing::IsEmpty());
    return data_->verify();
  }

 private:
  std::unique_ptr<CaseData> data_;
  OrchestrationLibrary orchestration_;
  KernelLibrary kernels_;
  std::vector<KernelEntry> entries_;
};

struct Case {
  const char* workload;
  const char* name;
  double bound;  ///< of the error when all is right
};

class Small : public testing::TestWithParam<std::tuple<Case, ExecutorKind>> {};

TEST_P(Small, ComputesItsReference) {
  const auto& [one, executor] = GetParam();
  RunOfCase run(one.workload, one.name);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Verification result = run.on(executor, seed);
    EXPECT_TRUE(result.pass) << result.detail << ", seed " << seed;
    EXPECT_LT(result.max_abs_error, one.bound) << "seed " << seed;
  }
}

std::string name_of(const testing::TestParamInfo<Small::ParamType>& info) {
  const auto& [one, executor] = info.param;
  return std::string(one.workload) + "_" + one.name + "_" + test::executor_name(executor);
}

INSTANTIATE_TEST_SUITE_P(
    Everywhere, Small,
    testing::Combine(
        testing::Values(Case{"alternating", "case1", 1e-7}, Case{"alternating", "case2", 1e-7},
                        Case{"bgemm", "Case1", 1e-7}, Case{"block_incore", "expansion", 1e-5},
                        Case{"block_incore", "block_task", 1e-5}, Case{"clusters", "tensor", 1e-6},
                        Case{"clusters", "pipe", 1e-6}, Case{"matmul", "Case1", 1e-3},
                        Case{"matmul", "CaseRandom", 5e-3},
                        Case{"vector_example", "CaseRandom", 1e-3},
                        Case{"paged_attention", "Case1", 1e-2},
                        Case{"paged_attention_seq", "Case1", 1e-2}),
        testing::Values(ExecutorKind::packed, ExecutorKind::threads, ExecutorKind::seeded)),
    name_of);

/// Workload and case.
class Production : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Production, PagedAttentionPassesOnPacked) {
  const auto& [workload, case_name] = GetParam();
  RunOfCase run(workload, case_name);
  const Verification result = run.on(ExecutorKind::packed);
  EXPECT_TRUE(result.pass) << result.detail;
  EXPECT_EQ(run.data().tolerance(), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Cases, Production,
                         testing::Values(std::pair("paged_attention", "ProdCase1"),
                                         std::pair("paged_attention", "ProdCase2"),
                                         std::pair("paged_attention", "ProdVarSeq"),
                                         std::pair("paged_attention_seq", "ProdCase1"),
                                         std::pair("paged_attention_seq", "ProdCase2")),
                         [](const auto& one) {
                           return std::string(one.param.first) + "_" + one.param.second;
                         });

float* data_of(const int64_t* args, int i) {
  return pto_tensor(args, i).data<float>();
}

/// The verdict of a case with one wrong kernel.
Verification wrong(const Case& one, size_t kernel, KernelEntry entry) {
  RunOfCase run(one.workload, one.name);
  run.replace(kernel, entry);
  return run.on(ExecutorKind::packed);
}

TEST(AWrongKernel, ThatForgetsTheSumIsSeen) {
  const auto forget = [](int64_t* args) {
    std::copy_n(data_of(args, 0), 64 * 64, data_of(args, 1));
  };
  const Verification result = wrong({"bgemm", "Case1", 0}, 1, forget);
  EXPECT_FALSE(result.pass);
  EXPECT_THAT(result.detail, testing::HasSubstr("C: element"));
}

/// The canary: whoever pops a pipe's entries twice, or one too late, has other sums.
TEST(AWrongKernel, ThatAddsTheSameEntryTwiceIsSeen) {
  const auto first_slot = [](int64_t* args) {
    (void)TPOP(args, 0);
    const auto* p = reinterpret_cast<const float*>(pto_pipe(args, 0).slots);
    for (int i = 0; i < 64 * 64; ++i) data_of(args, 1)[i] += p[i];
    (void)TFREE(args, 0);
  };
  const Verification result = wrong({"clusters", "pipe", 0}, 4, first_slot);
  EXPECT_FALSE(result.pass);
  EXPECT_THAT(result.detail, testing::HasSubstr("C: element"));
}

TEST(AWrongKernel, ThatLeavesOutItsBlockIsSeen) {
  for (const auto& [name, mismatches] : {std::pair{"expansion", 24'001}, {"block_task", 24'001}}) {
    const auto first_block = [](int64_t* args) {
      if (args[4] != 0) return;
      for (int i = 0; i < 24'001 / 24; ++i) data_of(args, 2)[i] = data_of(args, 0)[i];
    };
    const Verification result = wrong({"block_incore", name, 0}, 1, first_block);
    EXPECT_FALSE(result.pass);
    EXPECT_EQ(result.mismatches, static_cast<uint64_t>(mismatches));
  }
}

/// All but the last term of each product is so nearly right that the published tolerance lets it
/// pass; the bound of these tests does not.
TEST(AWrongKernel, ThatForgetsATermIsBeyondTheBound) {
  const auto shorter = [](int64_t* args) {
    for (int i = 0; i < 64; ++i) {
      for (int j = 0; j < 64; ++j) {
        float sum = 0;
        for (int k = 0; k < 63; ++k)
          sum += data_of(args, 0)[i * 64 + k] * data_of(args, 1)[k * 64 + j];
        data_of(args, 2)[i * 64 + j] = sum;
      }
    }
  };
  EXPECT_GT(wrong({"bgemm", "Case1", 0}, 0, shorter).max_abs_error, 1e-5);
}

TEST(AWrongKernel, ThatSubtractsIsSeen) {
  const auto subtract = [](int64_t* args) {
    for (int i = 0; i < 64 * 128; ++i)
      data_of(args, 2)[i] = data_of(args, 0)[i] - data_of(args, 1)[i];
  };
  const Verification result = wrong({"alternating", "case1", 0}, 1, subtract);
  EXPECT_FALSE(result.pass);
  EXPECT_THAT(result.detail, testing::HasSubstr("Z: element"));
}

TEST(AWrongKernel, ThatDropsAProductIsSeen) {
  const auto drop = [](int64_t* args) {
    for (int i = 0; i < 128 * 128; ++i) data_of(args, 2)[i] = std::exp(data_of(args, 0)[i]);
  };
  const Verification result = wrong({"matmul", "Case1", 0}, 2, drop);
  EXPECT_FALSE(result.pass);
  EXPECT_EQ(result.mismatches, 128U * 128);
  EXPECT_THAT(result.detail, testing::HasSubstr("f: element 0 is 2.7"));
}

TEST(AWrongKernel, ThatWritesNothingIsSeen) {
  const Verification result = wrong({"alternating", "case1", 0}, 0, [](int64_t*) {});
  EXPECT_FALSE(result.pass) << "though the other output is right";
  EXPECT_EQ(result.mismatches, 32U * 128 * 128);
  EXPECT_THAT(result.detail, testing::HasSubstr("C: element 0 is nan"));
  EXPECT_TRUE(std::isinf(result.max_abs_error)) << "the error is that of all outputs";
}

}  // namespace
}  // namespace pto2::workloads

#include "runtime/workloads/attention/attention_case.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "runtime/loader/kernel_library.hpp"
#include "runtime/loader/orchestration_library.hpp"
#include "tests/support/sequential_runtime.hpp"

namespace pto2::workloads {
namespace {

struct Name {
  const char* workload;
  const char* name;
};

class EveryCase : public testing::TestWithParam<Name> {};

TEST_P(EveryCase, computes_its_reference_with_the_expected_graph) {
  const auto [workload, name] = GetParam();
  const auto data = find_workload(workload).make_case(name);
  const WorkloadImages images = find_workload_images(workload);
  const KernelLibrary kernels = KernelLibrary::from_folder(images.kernels);
  const auto orchestration = OrchestrationLibrary::from_file(images.orchestration, data->entry());
  test::SequentialRuntime runtime(kernels);
  orchestration.bind(&runtime);
  std::vector<uint64_t> args = data->args();
  const int count = static_cast<int>(args.size());
  ASSERT_EQ(orchestration.config(args.data(), count).expected_arg_count, count);
  orchestration.entry(&runtime, args.data(), count);
  EXPECT_EQ(runtime.errors(), std::vector<std::string>{});
  EXPECT_EQ(runtime.tasks(), data->expected_tasks());
  EXPECT_EQ(runtime.edges(), data->expected_edges());
  const Verification result = data->verify();
  EXPECT_TRUE(result.pass) << result.detail;
  std::printf("%s %s: error %.2e, kernels %.1f ms (qk %.1f sf %.1f pv %.1f up %.1f)\n", workload,
              name, result.max_abs_error, 1e3 * runtime.kernel_seconds(),
              1e3 * runtime.kernel_seconds(0), 1e3 * runtime.kernel_seconds(1),
              1e3 * runtime.kernel_seconds(2), 1e3 * runtime.kernel_seconds(3));
}

INSTANTIATE_TEST_SUITE_P(
    Batch, EveryCase,
    testing::Values(Name{"paged_attention", "Case1"}, Name{"paged_attention", "Case2"},
                    Name{"paged_attention", "Case3"}, Name{"paged_attention", "CaseVarSeq2"},
                    Name{"paged_attention", "CaseVarSeq4"}, Name{"paged_attention", "CaseBatch256"},
                    Name{"paged_attention", "ProdCase1"}, Name{"paged_attention", "ProdCase2"},
                    Name{"paged_attention", "ProdVarSeq"}));
INSTANTIATE_TEST_SUITE_P(Sequence, EveryCase,
                         testing::Values(Name{"paged_attention_seq", "Case1"},
                                         Name{"paged_attention_seq", "Case2"},
                                         Name{"paged_attention_seq", "ProdCase1"},
                                         Name{"paged_attention_seq", "ProdCase2"},
                                         Name{"paged_attention_seq", "TaskRing"},
                                         Name{"paged_attention_seq", "TaskRingNested"},
                                         Name{"paged_attention_seq", "RingBuffer"},
                                         Name{"paged_attention_seq", "RingBufferNested"}));
INSTANTIATE_TEST_SUITE_P(Vector, EveryCase,
                         testing::Values(Name{"vector_example", "Case1"},
                                         Name{"vector_example", "CaseRandom"}));

}  // namespace
}  // namespace pto2::workloads

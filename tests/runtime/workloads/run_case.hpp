#pragma once

#include <gtest/gtest.h>

#include "runtime/loader/kernel_library.hpp"
#include "runtime/loader/orchestration_library.hpp"
#include "runtime/workloads/workload.hpp"
#include "stress/oracles/sequential_runtime.hpp"

namespace pto2::workloads {

/// Runs a case of `workload` in `runtime`.
inline void run_case(const std::string& workload, const CaseData& data,
                     oracle::SequentialRuntime& runtime) {
  const auto orchestration =
      OrchestrationLibrary::from_file(find_workload_images(workload).orchestration, data.entry());
  orchestration.bind(&runtime);
  std::vector<uint64_t> args = data.args();
  const int count = static_cast<int>(args.size());
  ASSERT_EQ(orchestration.config(args.data(), count).expected_arg_count, count);
  orchestration.entry(&runtime, args.data(), count);
}

/// The kernels of `workload`.
inline KernelLibrary kernels_of(const std::string& workload) {
  return KernelLibrary::from_folder(find_workload_images(workload).kernels);
}

/// Runs a case and expects its graph and its result.
inline void expect_correct(const std::string& workload, CaseData& data) {
  const KernelLibrary kernels = kernels_of(workload);
  oracle::SequentialRuntime runtime(kernels);
  run_case(workload, data, runtime);
  EXPECT_EQ(runtime.errors(), std::vector<std::string>{});
  EXPECT_EQ(runtime.tasks(), data.expected_tasks());
  EXPECT_EQ(runtime.edges(), data.expected_edges());
  const Verification result = data.verify();
  EXPECT_TRUE(result.pass) << result.detail;
  testing::Test::RecordProperty("max_abs_error", std::to_string(result.max_abs_error));
  testing::Test::RecordProperty("kernel_ms", std::to_string(1e3 * runtime.kernel_seconds()));
}

/// Runs a case after damage(args), which may change its memory, too; what the orchestration logs,
/// which must submit nothing.
template <class Damage>
std::string error_after(const std::string& workload, const std::string& name, Damage damage) {
  const auto data = find_workload(workload).make_case(name);
  const KernelLibrary kernels = kernels_of(workload);
  oracle::SequentialRuntime runtime(kernels);
  std::vector<uint64_t> args = data->args();
  damage(args);
  const auto orchestration =
      OrchestrationLibrary::from_file(find_workload_images(workload).orchestration, data->entry());
  orchestration.bind(&runtime);
  orchestration.entry(&runtime, args.data(), static_cast<int>(args.size()));
  EXPECT_EQ(runtime.tasks(), 0u);
  return runtime.errors().empty() ? "" : runtime.errors().front();
}

}  // namespace pto2::workloads

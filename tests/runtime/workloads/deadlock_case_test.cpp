#include "runtime/workloads/deadlock/deadlock_case.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/runtime/workloads/run_case.hpp"

namespace pto2::workloads {
namespace {

TEST(DeadlockCase, each_graph_computes_its_reference) {
  for (const CaseInfo& info : deadlock().cases()) {
    SCOPED_TRACE(info.name);
    expect_correct("deadlock", *deadlock().make_case(info.name));
  }
}

TEST(DeadlockCase, a_wrong_element_of_any_graph_fails) {
  for (const CaseInfo& info : deadlock().cases()) {
    const auto data = deadlock().make_case(info.name);
    expect_correct("deadlock", *data);
    const Argument& y = data->arguments()[1];
    auto* const last = reinterpret_cast<float*>(y.value + y.bytes) - 1;
    *last += 0.25f;
    EXPECT_EQ(data->verify().mismatches, 1u) << info.name;
  }
}

TEST(DeadlockCase, without_a_run_every_element_fails) {
  for (const CaseInfo& info : deadlock().cases()) {
    const auto data = deadlock().make_case(info.name);
    expect_correct("deadlock", *data);
    data->reset_outputs();
    EXPECT_EQ(data->verify().mismatches, data->arguments()[1].bytes / sizeof(float)) << info.name;
  }
}

TEST(DeadlockCase, a_twin_is_the_same_graph_with_another_size) {
  std::map<std::string, CaseInfo> infos;
  for (const CaseInfo& info : deadlock().cases()) infos[info.name] = info;
  for (const auto& [name, info] : infos) {
    if (info.fault.empty()) continue;
    const CaseInfo& twin = infos.at(info.twin);
    EXPECT_EQ(info.twin, name + "_fits");
    EXPECT_EQ(twin.fault, "");
    EXPECT_EQ(twin.tasks, info.tasks);
    const auto values = [](const std::string& of) {
      const auto data = deadlock().make_case(of);
      return std::vector{data->arguments()[4].value, data->arguments()[5].value};
    };
    EXPECT_EQ(values(name), values(info.twin));
    EXPECT_EQ(deadlock().make_case(name)->entry(), deadlock().make_case(info.twin)->entry());
    const RingSizes &a = info.rings, &b = twin.rings;
    EXPECT_EQ((a.window != b.window) + (a.heap_bytes != b.heap_bytes) + (a.dep_pool != b.dep_pool) +
                  (a.tensormap_pool != b.tensormap_pool) + (info.blocks != twin.blocks),
              1)
        << name << ": one setting makes the difference";
  }
}

TEST(DeadlockCase, one_scope_holds_all_tasks) {
  const KernelLibrary kernels = kernels_of("deadlock");
  for (const CaseInfo& info : deadlock().cases()) {
    oracle::SequentialRuntime runtime(kernels);
    run_case("deadlock", *deadlock().make_case(info.name), runtime);
    EXPECT_EQ(runtime.largest_scope(), info.tasks) << info.name;
  }
}

TEST(DeadlockCase, sizes_that_do_not_fit_are_refused_by_the_orchestration) {
  const KernelLibrary kernels = kernels_of("deadlock");
  for (const CaseInfo& info : deadlock().cases()) {
    const auto data = deadlock().make_case(info.name);
    const auto orchestration = OrchestrationLibrary::from_file(
        find_workload_images("deadlock").orchestration, data->entry());
    for (const int wrong : {2, 3, 4, 5}) {
      oracle::SequentialRuntime runtime(kernels);
      orchestration.bind(&runtime);
      std::vector<uint64_t> args = data->args();
      ++args[static_cast<size_t>(wrong)];
      orchestration.entry(&runtime, args.data(), static_cast<int>(args.size()));
      EXPECT_EQ(runtime.errors().size(), 1u) << info.name << ' ' << wrong;
      EXPECT_EQ(runtime.tasks(), 0u) << info.name << ' ' << wrong;
    }
  }
}

TEST(DeadlockCase, an_unknown_case_is_answered_with_the_known_ones) {
  try {
    static_cast<void>(deadlock().make_case("windows"));
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("no case 'windows'; there are window, window_fits,"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace pto2::workloads

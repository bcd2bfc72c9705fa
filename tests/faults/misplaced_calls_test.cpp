/// Calls of the runtime on other threads than the orchestration's, and before and after its run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/executors/runtime_handle.hpp"
#include "runtime/executors/seeded_team.hpp"
#include "runtime/include/pto_core_calls.h"
#include "tests/runtime/device/task_graph.hpp"

namespace pto2::test::misplaced_calls {
namespace {

using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::IsEmpty;

PTO2Runtime* kept = nullptr;

constexpr KernelEntry graph_kernels[] = {hash_kernel};

/// Arguments: whether to call.
void caller(int64_t* args) {
  if (args[0] != 0) pto2_rt_submit_task(kept, 0, PTO2_WORKER_CUBE, nullptr, 0);
}

void submit(PTO2Runtime* rt, uint64_t calls) {
  const PTOParam param = make_scalar_param(calls);
  pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, &param, 1);
}

class MisplacedCalls : public testing::TestWithParam<ExecutorKind> {
 protected:
  static RunResult run(const std::function<void(PTO2Runtime*)>& entry) {
    static constexpr KernelEntry kernels[] = {caller};
    RunResult result = run_at(GetParam(), small_device(),
                              {kernels,
                               [&](PTO2Runtime* rt) {
                                 kept = rt;
                                 pto2_rt_init_tensor_pool(rt);
                                 entry(rt);
                               },
                               {}});
    EXPECT_THAT(result.damaged, IsEmpty()) << result.error.message;
    return result;
  }
  /// The run that follows is right.
  static RunResult refused(const std::function<void(PTO2Runtime*)>& entry) {
    RunResult result = run(entry);
    EXPECT_EQ(result.error.code, ErrorCode::wrong_thread) << result.error.message;
    EXPECT_THAT(result.error.hint, HasSubstr("aicpu_orchestration_entry"));
    EXPECT_EQ(run([](PTO2Runtime* rt) { submit(rt, 0); }).error.code, ErrorCode::ok);
    return result;
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, MisplacedCalls, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(MisplacedCalls, OnAnotherThreadAreRefused) {
  const RunResult result = refused([](PTO2Runtime* rt) {
    submit(rt, 0);
    std::thread([rt] { submit(rt, 0); }).join();
    submit(rt, 0);
  });
  EXPECT_EQ(result.error.message,
            "submit_task() was called on a thread that does not run the orchestration, and did "
            "nothing");
  EXPECT_EQ(result.tasks, 2U);
}

/// It is told at the end: the first of many tasks calls, and all that come after it run, through
/// scopes and a window that is full.
TEST_P(MisplacedCalls, DoNotEndTheRunEarly) {
  std::optional<TaskGraph> tasks;  // kernels use it after the orchestration
  const RunResult result = run_at(GetParam(), small_device(),
                                  {graph_kernels,
                                   [&](PTO2Runtime* rt) {
                                     std::thread([rt] { pto2_rt_fail(rt, 1, "elsewhere"); }).join();
                                     TaskGraph& graph = tasks.emplace(rt);
                                     Value value = graph.task({});
                                     for (int i = 0; i < 200; ++i) {
                                       PTO2_SCOPE(rt) {
                                         graph.update(value, {graph.task({value})});
                                       }
                                     }
                                   },
                                   {}});
  EXPECT_EQ(result.error.code, ErrorCode::wrong_thread) << result.error.message;
  EXPECT_EQ(result.completions, 401U);
  tasks->verify();
}

TEST_P(MisplacedCalls, InKernelsAreRefused) {
  const RunResult result = refused([](PTO2Runtime* rt) {
    for (int i = 0; i < 20; ++i) submit(rt, i == 3 ? 1 : 0);
  });
  EXPECT_THAT(result.error.message, HasSubstr("submit_task() was called on a thread"));
  EXPECT_EQ(result.tasks, 20U);
  EXPECT_EQ(result.completions, 20U);
}

/// Each of them, and what they return is nothing.
TEST_P(MisplacedCalls, OfEachKindAreRefused) {
  static const uint64_t shape[] = {2, 2};
  static Tensor tensor;
  const std::pair<const char*, std::function<void(PTO2Runtime*)>> calls[] = {
      {"scope_begin", [](PTO2Runtime* rt) { rt->ops->scope_begin(rt); }},
      {"scope_end", [](PTO2Runtime* rt) { rt->ops->scope_end(rt); }},
      {"orchestration_done", [](PTO2Runtime* rt) { pto2_rt_orchestration_done(rt); }},
      {"make_tensor", [](PTO2Runtime*) { EXPECT_EQ(make_tensor(shape, 2).id, 0U); }},
      {"numel", [](PTO2Runtime*) { EXPECT_EQ(tensor.numel(), 0U); }},
      {"describe", [](PTO2Runtime*) { EXPECT_EQ(tensor.dump(), ""); }},
      {"allocate_cluster", [](PTO2Runtime* rt) { EXPECT_EQ(pto2_rt_allocate_cluster(rt), 0); }},
      {"fail", [](PTO2Runtime* rt) { pto2_rt_fail(rt, 1, "elsewhere"); }},
      {"log", [](PTO2Runtime* rt) { LOG_INFO(rt, "elsewhere"); }},
  };
  for (const auto& [name, call] : calls) {
    const RunResult result = run([&](PTO2Runtime* rt) {
      tensor = make_tensor(shape, 2);
      std::thread([&, rt] { call(rt); }).join();
      submit(rt, 0);
    });
    EXPECT_THAT(result.error.message, HasSubstr(std::string(name) + "() was called on a thread"));
    EXPECT_EQ(result.tasks, 1U);
  }
}

TEST_P(MisplacedCalls, AreNamedByTheFirstOfThem) {
  const RunResult result = refused([](PTO2Runtime* rt) {
    std::thread([rt] {
      pto2_rt_orchestration_done(rt);
      submit(rt, 0);
    }).join();
  });
  EXPECT_THAT(result.error.message, HasSubstr("orchestration_done() was called"));
}

/// By runs that come much later.
TEST_P(MisplacedCalls, AreForgotten) {
  refused([](PTO2Runtime* rt) { std::thread([rt] { submit(rt, 0); }).join(); });
  for (int i = 0; i < 70; ++i) {
    const RunResult result = run([](PTO2Runtime* rt) { submit(rt, 0); });
    ASSERT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  }
}

/// However many runs come and go meanwhile.
TEST_P(MisplacedCalls, AreNoneOfRunsSideBySide) {
  const RunResult result = run([](PTO2Runtime* rt) {
    std::thread([] {
      for (int i = 0; i < 70; ++i) EXPECT_EQ(run([](PTO2Runtime*) {}).error.code, ErrorCode::ok);
    }).join();
    submit(rt, 0);
  });
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.tasks, 1U);
}

/// Launches that are alive at once, each begun in the middle of the one before, on another thread
/// or on the same, and what they came to.
struct Nested {
  struct One {
    std::optional<TaskGraph> tasks;
    RunResult result;
  };

  Nested(ExecutorKind where, std::size_t depth, bool on_another = true)
      : on_another_thread(on_another), launches(depth) {
    launch(where, 0);
  }

  void launch(ExecutorKind where, std::size_t i) {
    if (i == launches.size()) return;
    One& one = launches[i];
    const auto entry = [&, where, i](PTO2Runtime* rt) {
      EXPECT_TRUE(alive.insert(rt).second) << "two have one handle";
      if (on_another_thread) {
        std::thread([&, where, i] { launch(where, i + 1); }).join();
      } else {
        launch(where, i + 1);
      }
      TaskGraph& graph = one.tasks.emplace(rt);
      Value value = graph.task({});
      for (std::size_t task = 0; task < i; ++task) {
        PTO2_SCOPE(rt) {
          graph.update(value);
        }
      }
    };
    one.result = run_at(where, tiny_device(), {graph_kernels, entry, {}});
  }

  const bool on_another_thread;
  std::vector<One> launches;
  std::set<PTO2Runtime*> alive;
};

/// More than there are handles without memory. Those that were made are used again.
TEST_P(MisplacedCalls, AreNoneOfSeventyRunsAtOnce) {
  constexpr std::size_t depth = 70;
  const Nested first(GetParam(), depth);
  for (std::size_t i = 0; i < depth; ++i) {
    const Nested::One& one = first.launches[i];
    EXPECT_EQ(one.result.error.code, ErrorCode::ok) << i << ": " << one.result.error.message;
    EXPECT_EQ(one.result.completions, i + 1);
    one.tasks->verify();
  }
  EXPECT_EQ(Nested(GetParam(), depth).alive, first.alive);
}

TEST_P(MisplacedCalls, AreNoneOfRunsWithinOneOnItsThread) {
  const Nested runs(GetParam(), 3, false);
  for (const Nested::One& one : runs.launches) {
    EXPECT_EQ(one.result.error.code, ErrorCode::ok) << one.result.error.message;
    one.tasks->verify();
  }
}

TEST_P(MisplacedCalls, AreNoneOfARunWithinAKernel) {
  static ExecutorKind where;
  where = GetParam();
  static constexpr KernelEntry kernels[] = {[](int64_t* args) {
    static constexpr KernelEntry nothing[] = {[](int64_t*) {}};
    const auto entry = [](PTO2Runtime* rt) { submit(rt, 0); };
    EXPECT_EQ(run_at(where, tiny_device(), {nothing, entry, {}}).error.code, ErrorCode::ok);
    EXPECT_GE(pto_place(args).cluster, 0) << "it is on its own core again";
  }};
  const auto entry = [](PTO2Runtime* rt) {
    for (int i = 0; i < 3; ++i) pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
  };
  const RunResult result = run_at(where, tiny_device(), {kernels, entry, {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.completions, 3U);
}

/// On the OS thread of a simulation, whose threads have the same names: each is on its own core.
TEST(CallsOfSimulations, AreNoneOfARunOnHardwareWithin) {
  static std::vector<int> types;
  types.clear();
  static constexpr KernelEntry kernels[] = {[](int64_t* args) {
    static constexpr KernelEntry inner[] = {
        [](int64_t* own) { types.push_back(pto_place(own).type); }};
    const auto entry = [](PTO2Runtime* rt) { submit(rt, 0); };
    const executors::TeamOptions one{.executor = executors::Executor::packed, .host_threads = 1};
    EXPECT_EQ(launch(tiny_device(), one, {inner, entry, {}}).error.code, ErrorCode::ok);
    types.push_back(pto_place(args).type);
  }};
  const auto entry = [](PTO2Runtime* rt) {
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, nullptr, 0);
  };
  const RunResult result = run_at(ExecutorKind::seeded, tiny_device(), {kernels, entry, {}});
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(types, (std::vector<int>{PTO2_WORKER_VECTOR, PTO2_WORKER_CUBE}));
}

/// What the orchestration has met itself comes first.
TEST_P(MisplacedCalls, AreNotTheFirstError) {
  const RunResult result = run([](PTO2Runtime* rt) {
    std::thread([rt] { submit(rt, 0); }).join();
    pto2_rt_fail(rt, 1, "first");
  });
  EXPECT_EQ(result.error.code, ErrorCode::orchestration_failed);
}

TEST_P(MisplacedCalls, AfterTheEndEndTheProcess) {
  ASSERT_EQ(run([](PTO2Runtime*) {}).error.code, ErrorCode::ok);
  EXPECT_EXIT(submit(kept, 0), ExitedWithCode(5),
              "FATAL: submit_task\\(\\) was called after the end of the run\n.*keep none of them");
  EXPECT_EXIT(LOG_INFO(kept, "too late"), ExitedWithCode(5), "log\\(\\) was called after the end");
  const uint64_t shape[] = {2};
  EXPECT_EXIT(static_cast<void>(make_tensor(shape, 1)), ExitedWithCode(5),
              "make_tensor\\(\\) was called after the end");
}

/// The calls of one that has failed came to nothing, those behind its end do not.
TEST_P(MisplacedCalls, AfterTheEndOfAFailedRunEndTheProcess) {
  const PTO2RuntimeOps* table = nullptr;
  const auto fails = [&](PTO2Runtime* rt) {
    table = rt->ops;
    pto2_rt_fail(rt, 1, "enough");
    submit(rt, 0);
  };
  ASSERT_EQ(run(fails).error.code, ErrorCode::orchestration_failed);
  EXPECT_EXIT(submit(kept, 0), ExitedWithCode(5), "submit_task\\(\\) was called after the end");
  EXPECT_EXIT(table->scope_begin(kept), ExitedWithCode(5), "scope_begin\\(\\) was called after");
  EXPECT_EXIT(table->log(kept, PTO2_LOG_INFO, "too late"), ExitedWithCode(5),
              "log\\(\\) was called after the end");
}

/// Also in another run, and after many.
TEST_P(MisplacedCalls, OfAnotherRunEndTheProcess) {
  PTO2Runtime* former = nullptr;
  ASSERT_EQ(run([&](PTO2Runtime* rt) { former = rt; }).error.code, ErrorCode::ok);
  EXPECT_EXIT(static_cast<void>(run([&](PTO2Runtime*) { submit(former, 0); })), ExitedWithCode(5),
              "submit_task\\(\\) was called after the end");
  for (int i = 0; i < 20; ++i) ASSERT_EQ(run([](PTO2Runtime*) {}).error.code, ErrorCode::ok);
  EXPECT_EXIT(submit(former, 0), ExitedWithCode(5), "submit_task\\(\\) was called after the end");
}

/// Kernels have run on the same OS thread meanwhile.
TEST(CallsOfSimulations, GoOnWhenTheOrchestrationHasGivenWay) {
  for (const ExecutorKind where : {ExecutorKind::seeded, ExecutorKind::random}) {
    static constexpr KernelEntry kernels[] = {caller};
    const auto entry = [](PTO2Runtime* rt) {
      pto2_rt_init_tensor_pool(rt);
      for (int task = 0; task < 5; ++task) {
        submit(rt, 0);
        for (int i = 0; i < 100; ++i) executors::SeededTeam::current()->give_way();
      }
    };
    const RunResult result = run_at(where, small_device(), {kernels, entry, {}});
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    EXPECT_EQ(result.tasks, 5U);
  }
}

TEST(CallsBeforeTheRun, DoNothing) {
  static const uint64_t shape[] = {2, 2};
  static const PTOParam none[1] = {};
  const std::pair<const char*, std::function<void(PTO2Runtime*)>> calls[] = {
      {"submit_task", [](PTO2Runtime* rt) { submit(rt, 0); }},
      {"scope_begin", [](PTO2Runtime* rt) { const PTO2ScopeGuard scope(rt); }},
      {"make_tensor", [](PTO2Runtime*) { EXPECT_EQ(make_tensor(shape, 2).id, 0U); }},
      {"ndims", [](PTO2Runtime*) { EXPECT_EQ(Tensor{1}.view(shape, shape).id, 0U); }},
      {"reshape", [](PTO2Runtime*) { EXPECT_EQ(Tensor{1}.reshape(shape, 2).id, 0U); }},
      {"describe", [](PTO2Runtime*) { EXPECT_EQ(Tensor{1}.dump(), ""); }},
      {"log", [](PTO2Runtime* rt) { LOG_INFO(rt, "%d", 1); }},
      {"allocate_cluster", [](PTO2Runtime* rt) { EXPECT_EQ(pto2_rt_allocate_cluster(rt), 0); }},
      {"submit_block_task",
       [](PTO2Runtime* rt) { pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_CUBE, none, 0, 2); }},
      {"fail", [](PTO2Runtime* rt) { pto2_rt_fail(rt, 1, "early"); }},
  };
  for (const auto& [name, call] : calls) {
    const auto handle = executors::RuntimeHandle::take_before_run();
    pto2_rt_init_tensor_pool(handle.get());
    EXPECT_EQ(handle->misplaced_call(), nullptr) << name;
    call(handle.get());
    ASSERT_STREQ(handle->misplaced_call(), name);
    pto2_rt_orchestration_done(handle.get());
    EXPECT_STREQ(handle->misplaced_call(), name) << "the first";
  }
}

/// Who keeps the handle calls too late later on.
TEST(CallsBeforeTheRun, EndTheProcessOnceItHasBegun) {
  auto handle = executors::RuntimeHandle::take_before_run();
  PTO2Runtime* const early = handle.get();
  handle.reset();
  EXPECT_EXIT(submit(early, 0), ExitedWithCode(5), "submit_task\\(\\) was called after the end");
}

}  // namespace
}  // namespace pto2::test::misplaced_calls

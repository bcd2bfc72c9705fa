/// Pipes: what is refused, counted and reported.
#include <fmt/core.h>

#include "tests/runtime/device/pipe_scripts.hpp"

namespace pto2::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_P(Pipes, WhatIsLeftIsReported) {
  expect_ok(tiny_device(), [&](PTO2Runtime* rt) {
    for (uint64_t group = 0; group < 3; ++group) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      EXPECT_EQ(warnings_.size(), group) << "once the group's cluster was free";
      PTO2_SCOPE(rt) {
        submit(rt, cluster, {make_pipe_out_param(2)}, times(3, push(1)));
        submit(rt, cluster, {make_pipe_in_param(2), make_pipe_out_param(9)},
               {pop(), release(), pop()});
      }
      pto2_rt_free_cluster(rt, cluster);
    }
  });
  std::vector<std::string> expected;
  for (int group = 0; group < 3; ++group) {
    expected.push_back(
        fmt::format("[Pipe] group {}, tag 2: 2 entries are left at the end of the "
                    "group, 1 of them popped and not freed",
                    group));
  }
  EXPECT_EQ(warnings_, expected);
}

/// A pipe takes an entry of the TensorMap.
TEST_P(Pipes, TheTensorMapCountsThem) {
  for (const int pipes : {16, 17}) {
    DeviceConfig config = small_device();
    config.tensormap_pool = 16;
    const RunResult result = run(config, [&](PTO2Runtime* rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      for (int tag = 0; tag < pipes; ++tag) {
        submit(rt, cluster, {make_pipe_out_param(tag, 1, 64)}, {});
      }
    });
    const bool fits = pipes == 16;
    EXPECT_EQ(result.error.code, fits ? ErrorCode::ok : ErrorCode::tensormap_overflow);
    EXPECT_THAT(result.error.hint, HasSubstr(fits ? "" : "--tensormap-pool 17 "));
  }
}

TEST_P(Pipes, WhatWaitsIsToldFromWhatIsHeld) {
  const auto pops_one_of_four = [&](bool overflow) {
    return [&, overflow](PTO2Runtime* rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      submit(rt, cluster, {make_pipe_out_param(0, 4, 64)}, times(4, push(1)));
      submit(rt, cluster, {make_pipe_in_param(0)}, {pop()});
      if (overflow) submit(rt, cluster, {make_pipe_out_param(0)}, {push(1)});
    };
  };
  expect_error(ErrorCode::pipe_overflow, "by 3 entries that wait and 1 that are popped", "",
               pops_one_of_four(true));
  expect_ok(small_device(), pops_one_of_four(false));
  EXPECT_THAT(warnings_,
              ElementsAre(HasSubstr("4 entries are left at the end of the group, 1 of")));
}

TEST_P(Pipes, TasksWithoutAGroupAreRefused) {
  expect_error(ErrorCode::bad_submission,
               "submission 0, parameter 1: pipe 4 for a task without a cluster", "group",
               [&](PTO2Runtime* rt) { submit(rt, -1, {make_pipe_out_param(4)}, {push(1)}); });
  const auto block = [&](PTO2Runtime* rt, const std::vector<int32_t>& clusters) {
    const std::vector<PTOParam> params = params_of({make_pipe_out_param(4)}, {push(1)});
    pto2_rt_submit_block_task_clustered(rt, 1, PTO2_WORKER_CUBE, params.data(), 2, 2,
                                        clusters.empty() ? nullptr : clusters.data());
  };
  expect_error(ErrorCode::bad_submission, "pipe 4 for a task without a cluster", "group",
               [&](PTO2Runtime* rt) { block(rt, {}); });
  expect_error(ErrorCode::bad_submission, "pipe 4 for a block task with parts in groups 0 and 1",
               "one task per group", [&](PTO2Runtime* rt) {
                 (void)pto2_rt_allocate_cluster(rt);
                 block(rt, {0, pto2_rt_allocate_cluster(rt)});
               });
  expect_error(ErrorCode::bad_submission, "pipe 4 for a block task of 2 parts, which run in no",
               "one task per part", [&](PTO2Runtime* rt) {
                 (void)pto2_rt_allocate_cluster(rt);
                 block(rt, {0, 0});
               });
}

TEST_P(Pipes, ImpossibleSizesAreRefused) {
  for (const auto& [capacity, bytes] :
       std::vector<std::pair<uint32_t, uint32_t>>{{0, 64},
                                                  {8, 0},
                                                  {1, 0xffffffff},
                                                  {0xffffffff, 1},
                                                  {0xffffffff, 0xffffffff},
                                                  {(1u << 24) + 1, 64},
                                                  {1u << 31, 1u << 31}}) {
    expect_error(ErrorCode::bad_submission,
                 fmt::format("pipe 6 of group 0: {} slots of {} bytes", capacity, bytes),
                 "sizes within these limits", [&](PTO2Runtime* rt) {
                   const int32_t cluster = pto2_rt_allocate_cluster(rt);
                   submit(rt, cluster, {make_pipe_out_param(6, capacity, bytes)}, {});
                 });
  }
}

TEST_P(Pipes, OtherSizesForTheSamePipeAreRefused) {
  const auto then = [&](const PTOParam& first, const PTOParam& second) {
    return [&, first, second](PTO2Runtime* rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      submit(rt, cluster, {first}, {});
      submit(rt, cluster, {second}, {});
    };
  };
  expect_error(ErrorCode::bad_submission,
               "submission 1, parameter 1: pipe 6 of group 0: it was made with 4 slots of 64 bytes,"
               " and not 5 of 64",
               "the same sizes", then(make_pipe_out_param(6, 4, 64), make_pipe_in_param(6, 5, 64)));
  expect_error(ErrorCode::bad_submission, "made with 8 slots of 16384 bytes, and not 8 of 16383",
               "the same sizes", then(make_pipe_in_param(6), make_pipe_out_param(6, 8, 16383)));
  expect_ok(small_device(), then(make_pipe_in_param(6), make_pipe_out_param(6, 8, 16384)));
}

/// By a pointer that goes astray, or to spare itself the verbs. It is nobody else's doing.
TEST_P(Pipes, AKernelThatChangesAPipeByItselfEndsTheRun) {
  const std::pair<void (*)(PTOPipe&), const char*> all[] = {
      {[](PTOPipe& pipe) { pipe.popped += 5; }, "2 pushed, 6 popped and 0 freed in 4 slots of 64"},
      {[](PTOPipe& pipe) { pipe.freed += 2; }, "2 pushed, 1 popped and 2 freed"},
      {[](PTOPipe& pipe) { pipe.pushed += 3; }, "5 pushed, 1 popped and 0 freed"},
      {[](PTOPipe& pipe) { pipe.pushed -= 1; }, "1 pushed, 1 popped and 0 freed"},
      {[](PTOPipe& pipe) { pipe.popped = 0; }, "2 pushed, 0 popped and 0 freed"},
      {[](PTOPipe& pipe) { pipe.slots += 64; }, "2 pushed, 1 popped and 0 freed in 4 slots of 64"},
      {[](PTOPipe& pipe) { pipe.stride += 64; }, "2 pushed, 1 popped and 0 freed in 4 slots of 64"},
      {[](PTOPipe& pipe) { pipe.capacity = 9; }, "2 pushed, 1 popped and 0 freed in 9 slots of 64"},
      {[](PTOPipe& pipe) { pipe.slot_bytes = 8; },
       "2 pushed, 1 popped and 0 freed in 4 slots of 8 bytes"}};
  for (const auto& [how, text] : all) {
    expect_error(ErrorCode::kernel_overran,
                 std::string("pipe (group 0, tag 3), kernel 1, task 2 of ring 0: its counts, sizes "
                             "or fault were changed by other means than TPUSH, TPOP and TFREE: ") +
                     text,
                 "TPUSH, TPOP and TFREE alone", [&, how = how](PTO2Runtime* rt) {
                   const int32_t cluster = pto2_rt_allocate_cluster(rt);
                   submit(rt, cluster, {make_pipe_out_param(3, 4, 64)}, {push(1), push(2)});
                   submit(rt, cluster, {make_pipe_in_param(3)}, {pop()});
                   submit(rt, cluster, {make_pipe_in_param(3)}, {change(how)});
                   submit(rt, cluster, {make_pipe_in_param(3)}, {});
                 });
  }
}

TEST_P(Pipes, AKernelThatTakesBackWhatOthersHaveFreedEndsTheRun) {
  const auto take_back = [](PTOPipe& pipe) { pipe.freed = 0; };
  expect_error(ErrorCode::kernel_overran, "task 1 of ring 0: its counts", "", [&](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    submit(rt, cluster, {make_pipe_out_param(3, 4, 64)}, {push(1), pop(), release()});
    submit(rt, cluster, {make_pipe_in_param(3)}, {change(take_back)});
  });
}

/// None that the verbs note where there is one of two entries, and room, in a pipe of 4 slots.
TEST_P(Pipes, AFaultThatAKernelHasMadeUpIsNoFaultOfItsPipe) {
  void (*const all[])(PTOPipe&) = {
      [](PTOPipe& pipe) { pipe.fault = PTOPipeFault::FULL; },
      [](PTOPipe& pipe) { pipe.fault = PTOPipeFault::OVERSIZED; },
      [](PTOPipe& pipe) { pipe.fault = PTOPipeFault::EMPTY; },
      [](PTOPipe& pipe) { pipe.fault = PTOPipeFault::NOT_HELD; },
      [](PTOPipe& pipe) { pipe.fault = static_cast<PTOPipeFault>(9); },
  };
  for (const auto& how : all) {
    expect_error(ErrorCode::kernel_overran, "its counts, sizes or fault were changed",
                 "TPUSH, TPOP and TFREE alone", [&](PTO2Runtime* rt) {
                   const int32_t cluster = pto2_rt_allocate_cluster(rt);
                   submit(rt, cluster, {make_pipe_out_param(3, 4, 64)}, {push(1), push(2)});
                   submit(rt, cluster, {make_pipe_in_param(3)}, {pop(), change(how)});
                 });
  }
}

/// Whatever else it did to this pipe, or to another one.
TEST_P(Pipes, AKernelThatChangesAPipeIsToldBeforeItsBounds) {
  const auto empty = [](PTOPipe& pipe) { pipe.popped = pipe.pushed + 1; };
  for (const int spoilt : {1, 2}) {
    expect_error(
        ErrorCode::kernel_overran, fmt::format("tag {}), kernel 1, task 0", 3 + spoilt),
        "TPUSH, TPOP and TFREE alone", [&](PTO2Runtime* rt) {
          const int32_t cluster = pto2_rt_allocate_cluster(rt);
          Step spoil = change(empty);
          spoil.pipe = spoilt;
          submit(rt, cluster, {make_pipe_in_param(4), make_pipe_in_param(5)}, {pop(), spoil});
        });
  }
}

/// They take slots and entries of the TensorMap as others do, and no heap.
TEST_P(Pipes, ADeadlockIsCountedWithPipes) {
  const auto overfill = [&](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    submit(rt, cluster, {make_pipe_out_param(0)}, {push(1)});
    for (int i = 0; i < 5; ++i)
      submit(rt, cluster, {make_pipe_in_param(0), make_pipe_in_param(1)}, {});
    const int32_t second = pto2_rt_allocate_cluster(rt);
    submit(rt, second, {make_pipe_out_param(0, 8, 1u << 27)}, {});
  };
  DeviceConfig config = tiny_device();
  config.chip.clusters = 2;
  const RunResult result = run(config, overfill);
  EXPECT_EQ(result.error.code, ErrorCode::flow_control_deadlock);
  EXPECT_THAT(result.error.hint, HasSubstr("(the smallest that works): --window 8"));
  EXPECT_THAT(warnings_, testing::Not(testing::Contains(HasSubstr("[Pipe]"))));
}

}  // namespace
}  // namespace pto2::test

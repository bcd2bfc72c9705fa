/// Pipes: what tasks of a group hand to one another, and what ends a run.
#include <fmt/core.h>

#include "tests/runtime/device/pipe_scripts.hpp"

namespace pto2::test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

INSTANTIATE_TEST_SUITE_P(Everywhere, Pipes, testing::ValuesIn(everywhere()),
                         [](const auto& test) { return executor_name(test.param); });

TEST_P(Pipes, DataArriveInOrder) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Script* reader = nullptr;
    expect_ok(
        small_device(),
        [&](PTO2Runtime* rt) {
          const int32_t cluster = pto2_rt_allocate_cluster(rt);
          submit(rt, cluster, {make_pipe_out_param(0)}, {push(1), push(2)}, PTO2_WORKER_CUBE);
          submit(rt, cluster, {make_pipe_out_param(0)}, {fill(3)});
          submit(rt, cluster, {make_pipe_out_param(0)}, {push(4), push(5)}, PTO2_WORKER_CUBE);
          reader = &submit(rt, cluster, {make_pipe_in_param(0)},
                           {pop(), release(), pop(), pop(), release(), release(), pop(), pop(),
                            release(), release()});
        },
        seed);
    EXPECT_THAT(reader->popped, ElementsAre(1, 2, 3, 4, 5));
    EXPECT_EQ(reader->refused, 0u);
    EXPECT_THAT(warnings_, IsEmpty());
  }
}

/// Three slots serve forty entries, from and to cores of both types, in scopes and out of them.
TEST_P(Pipes, APipeLastsAsLongAsItsGroup) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    std::vector<Script*> readers;
    expect_ok(
        small_device(),
        [&](PTO2Runtime* rt) {
          const int32_t cluster = pto2_rt_allocate_cluster(rt);
          for (uint64_t i = 0; i < 20; ++i) {
            PTO2_SCOPE(rt) {
              submit(rt, cluster, {make_pipe_out_param(-3, 3, 8)}, {push(2 * i), push(2 * i + 1)},
                     PTO2_WORKER_CUBE);
            }
            readers.push_back(&submit(rt, cluster, {make_pipe_in_param(-3)},
                                      {pop(), release(), pop(), release()},
                                      i % 2 == 0 ? PTO2_WORKER_VECTOR : PTO2_WORKER_CUBE));
          }
        },
        seed);
    for (uint64_t i = 0; i < readers.size(); ++i) {
      EXPECT_THAT(readers[i]->popped, ElementsAre(2 * i, 2 * i + 1));
    }
  }
}

TEST_P(Pipes, AnEntryStaysUntilItIsFreed) {
  expect_ok(small_device(), [&](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    submit(rt, cluster, {make_pipe_out_param(0, 2, 64)}, {fill(1), fill(2)});
    submit(rt, cluster, {make_pipe_in_param(0)}, {pop()});
    submit(rt, cluster, {make_pipe_in_param(0)}, {release()});
    submit(rt, cluster, {make_pipe_out_param(0)}, {fill(3)});
    submit(rt, cluster, {make_pipe_in_param(0)}, {pop(), pop(), release(), release()});
  });
  EXPECT_THAT(scripts_.back().popped, ElementsAre(2, 3));
  expect_error(ErrorCode::pipe_overflow, "in use by 1 entries that wait and 1 that are popped and",
               "TFREE", [&](PTO2Runtime* rt) {
                 const int32_t cluster = pto2_rt_allocate_cluster(rt);
                 submit(rt, cluster, {make_pipe_out_param(0, 2, 64)}, {fill(1), fill(2)});
                 submit(rt, cluster, {make_pipe_in_param(0)}, {pop()});
                 submit(rt, cluster, {make_pipe_out_param(0)}, {fill(3)});
               });
}

TEST_P(Pipes, TagsTellPipesApart) {
  Script* relay = nullptr;
  expect_ok(small_device(), [&](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    const auto both = {make_pipe_out_param(1), make_pipe_out_param(2)};
    submit(rt, cluster, both, {push(10, 1), push(20, 2), push(11, 1), push(21, 2)});
    relay = &submit(rt, cluster, {make_pipe_in_param(1), make_pipe_out_param(2)},
                    {pop(1), release(1), pop(1), release(1), push(22, 2)});
    submit(rt, cluster, {make_pipe_in_param(2)},
           {pop(), pop(), pop(), release(), release(), release()});
  });
  EXPECT_THAT(relay->popped, ElementsAre(10, 11));
  EXPECT_THAT(scripts_.back().popped, ElementsAre(20, 21, 22));
}

TEST_P(Pipes, TasksOfDifferentPipesAreNotOrdered) {
  const RunResult result = run(small_device(), [&](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    for (int tag = 0; tag < 4; ++tag) {
      submit(rt, cluster, {make_pipe_out_param(tag), make_pipe_out_param(tag + 100)}, {});
    }
  });
  EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
  EXPECT_EQ(result.edges_linked + result.edges_early, 0u);
}

TEST_P(Pipes, GroupsTellPipesApart) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    std::vector<Script*> readers;
    expect_ok(
        small_device(),
        [&](PTO2Runtime* rt) {
          std::vector<int32_t> clusters;
          for (int i = 0; i < 3; ++i) clusters.push_back(pto2_rt_allocate_cluster(rt));
          for (const int32_t c : clusters) {
            submit(rt, c, {make_pipe_out_param(0, 4, 8)}, {push(10 + static_cast<uint64_t>(c))});
          }
          for (const int32_t c : clusters) {
            readers.push_back(&submit(rt, c, {make_pipe_in_param(0)}, {pop(), release()}));
          }
        },
        seed);
    for (uint64_t c = 0; c < 3; ++c) EXPECT_THAT(readers[c]->popped, ElementsAre(10 + c));
  }
}

/// The next group on the cluster may have the former's memory, not its entries or sizes.
TEST_P(Pipes, TheNextGroupHasPipesOfItsOwn) {
  std::vector<Script*> readers;
  expect_ok(tiny_device(), [&](PTO2Runtime* rt) {
    for (uint32_t group = 0; group < 6; ++group) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      PTO2_SCOPE(rt) {
        submit(rt, cluster, {make_pipe_out_param(0, 2 + group % 2, 512)}, {fill(group), fill(99)});
        readers.push_back(&submit(rt, cluster, {make_pipe_in_param(0)}, {pop(), release()}));
      }
      pto2_rt_free_cluster(rt, cluster);
    }
  });
  for (uint64_t group = 0; group < readers.size(); ++group) {
    EXPECT_THAT(readers[group]->popped, ElementsAre(group));
  }
  // Group 1 needs more than group 0; from then on that serves both sizes.
  for (std::size_t group = 2; group < readers.size(); ++group) {
    EXPECT_EQ(readers[group]->slots, readers[1]->slots);
  }
}

/// Whatever is in a slot, its neighbours do not touch it.
TEST_P(Pipes, SlotsAreAsLargeAsTheySay) {
  for (const uint32_t slot_bytes : {8u, 64u, 104u, 4096u, PTO2_PIPE_SLOT_BYTES}) {
    Script* reader = nullptr;
    expect_ok(small_device(), [&](PTO2Runtime* rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      Step copy = push(1);
      copy.bytes = slot_bytes;
      submit(rt, cluster, {make_pipe_out_param(0, 3, slot_bytes)}, {copy, fill(2), fill(3)});
      reader = &submit(rt, cluster, {make_pipe_in_param(0, 3, slot_bytes)},
                       {pop(), pop(), pop(), release(), release(), release()});
    });
    EXPECT_THAT(reader->popped, ElementsAre(1, 2, 3));
    EXPECT_EQ(reader->slots % 64, 0u);
  }
}

TEST_P(Pipes, APushToAFullPipeEndsTheRun) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Script* pusher = nullptr;
    Script* reader = nullptr;
    expect_error(
        ErrorCode::pipe_overflow,
        "pipe (group 1, tag -7), kernel 1, task 1 of ring 0: a push to a full pipe, whose 4 slots",
        "larger capacity",
        [&](PTO2Runtime* rt) {
          const int32_t other = pto2_rt_allocate_cluster(rt);
          const int32_t cluster = pto2_rt_allocate_cluster(rt);
          submit(rt, other, {make_pipe_out_param(-7, 5, 64)}, times(5, push(1)));
          pusher = &submit(rt, cluster, {make_pipe_out_param(-7, 4, 64)}, times(6, push(1)));
          // It comes too late to help, on every schedule.
          reader = &submit(rt, cluster, {make_pipe_in_param(-7)}, {pop(), release()});
        },
        seed);
    EXPECT_EQ(pusher->refused, 2u);
    EXPECT_EQ(reader->runs, 0u);
  }
}

TEST_P(Pipes, EightEntriesOf16KiBFitByDefault) {
  Step large = push(1);
  large.bytes = 16384;
  for (const std::size_t pushes : {8u, 9u}) {
    const RunResult result = run(tiny_device(), [&](PTO2Runtime* rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      submit(rt, cluster, {make_pipe_out_param(0)}, times(pushes, large));
    });
    EXPECT_EQ(result.error.code, pushes == 8 ? ErrorCode::ok : ErrorCode::pipe_overflow);
  }
  large.bytes = 16392;
  expect_error(ErrorCode::pipe_overflow, "a push of 16392 bytes to a pipe of 8 slots of 16384",
               "larger slots", [&](PTO2Runtime* rt) {
                 const int32_t cluster = pto2_rt_allocate_cluster(rt);
                 submit(rt, cluster, {make_pipe_out_param(0)}, {large});
               });
}

TEST_P(Pipes, APopFromAnEmptyPipeEndsTheRun) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    expect_error(
        ErrorCode::pipe_underflow,
        "pipe (group 0, tag 3), kernel 1, task 1 of ring 0: a pop from an empty pipe of capacity 8,"
        " after 2 pushes",
        "before those that pop",
        [&](PTO2Runtime* rt) {
          const int32_t cluster = pto2_rt_allocate_cluster(rt);
          submit(rt, cluster, {make_pipe_out_param(3)}, {push(1), push(2)});
          submit(rt, cluster, {make_pipe_in_param(3)}, times(3, pop()));
          submit(rt, cluster, {make_pipe_out_param(3)}, {push(3)});
        },
        seed);
  }
  expect_error(ErrorCode::pipe_underflow, "a TFREE without an entry that is popped", "each TPOP",
               [&](PTO2Runtime* rt) {
                 const int32_t cluster = pto2_rt_allocate_cluster(rt);
                 submit(rt, cluster, {make_pipe_out_param(3)}, {push(1), release()});
               });
}

/// The fault is of the second pipe, and the kernel has long overwritten its arguments.
TEST_P(Pipes, TheFaultOfAnyPipeIsFound) {
  expect_error(ErrorCode::pipe_underflow, "tag 5)", "", [&](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    submit(rt, cluster, {make_pipe_out_param(4), make_pipe_in_param(5)}, {push(1, 1), pop(2)});
  });
  expect_error(ErrorCode::pipe_underflow, "tag 4)", "", [&](PTO2Runtime* rt) {
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    const std::vector<PTOParam> params = params_of({make_pipe_in_param(4)}, {pop()});
    pto2_rt_submit_block_task_clustered(rt, 1, PTO2_WORKER_CUBE, params.data(), 2, 1, &cluster);
  });
}

/// While the orchestrator waits for a slot or for a cluster, and when it fails on its own.
TEST_P(Pipes, AFaultEndsTheRunWhateverTheOrchestratorDoes) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto faulty = [&](PTO2Runtime* rt) {
      const int32_t cluster = pto2_rt_allocate_cluster(rt);
      submit(rt, cluster, {make_pipe_in_param(0)}, {pop()});
      return cluster;
    };
    RunResult result = run(
        tiny_device(),
        [&](PTO2Runtime* rt) {
          const int32_t cluster = faulty(rt);
          for (int i = 0; i < 50; ++i) {
            PTO2_SCOPE(rt) {
              submit(rt, cluster, {make_pipe_in_param(1)}, {});
            }
          }
        },
        seed);
    EXPECT_EQ(result.error.code, ErrorCode::pipe_underflow) << result.error.message;
    result = run(
        tiny_device(),
        [&](PTO2Runtime* rt) {
          pto2_rt_free_cluster(rt, faulty(rt));
          faulty(rt);
        },
        seed);
    EXPECT_EQ(result.error.code, ErrorCode::pipe_underflow) << result.error.message;
    result = run(
        small_device(),
        [&](PTO2Runtime* rt) {
          const int32_t cluster = faulty(rt);
          for (uint64_t i = 0; i < seed; ++i) submit(rt, cluster, {make_pipe_in_param(1)}, {});
          pto2_rt_free_cluster(rt, 5);
        },
        seed);
    EXPECT_THAT(result.error.code, AnyOf(ErrorCode::pipe_underflow, ErrorCode::bad_submission));
  }
}

}  // namespace
}  // namespace pto2::test

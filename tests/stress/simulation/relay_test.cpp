#include "stress/simulation/relay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <cstring>
#include <string>
#include <thread>

#include "runtime/device/device.hpp"
#include "tests/runtime/executors/hammer.hpp"

namespace pto2::simulations {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// Three tasks in a row on one tensor, and a fourth that reads what the first wrote.
class RelayOfChain : public testing::Test {
 protected:
  static void chain(PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {4};
    const Tensor first = make_tensor(shape, 1);
    const Tensor second = make_tensor(shape, 1);
    const PTOParam makes[] = {make_output_param(first)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, makes, 1);
    const PTOParam passes[] = {make_input_param(first), make_output_param(second)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_CUBE, passes, 2);
    const PTOParam changes[] = {make_inout_param(second)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, changes, 1);
    const PTOParam reads[] = {make_input_param(second), make_input_param(first)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, reads, 2);
  }

  /// The second task changes the end of what the first wrote, under another shape; the third reads
  /// all of it.
  static void rest(PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {4};
    const uint64_t half[] = {2};
    const uint64_t column[] = {2, 1};
    const Tensor whole = make_tensor(shape, 1);
    const PTOParam makes[] = {make_output_param(whole)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, makes, 1);
    const PTOParam changes[] = {make_inout_param(whole.view(half, half).reshape(column, 2))};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, changes, 1);
    const PTOParam reads[] = {make_input_param(whole)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, reads, 1);
  }

  /// A tensor of this many bytes, which the third task reads behind a scalar.
  template <uint64_t bytes>
  static void small(PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {bytes};
    const Tensor tensor = make_tensor(shape, 1, DataType::UINT8);
    const PTOParam makes[] = {make_output_param(tensor)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, makes, 1);
    const PTOParam changes[] = {make_inout_param(tensor)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, changes, 1);
    const PTOParam reads[] = {make_scalar_param(9), make_input_param(tensor)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, reads, 2);
  }

  static void six(PTO2Runtime* rt) {
    for (int i = 0; i < 6; ++i) pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
  }

  /// The second task changes a tensor that it reads under another number as well.
  static void twice(PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {4};
    const Tensor tensor = make_tensor(shape, 1);
    const PTOParam makes[] = {make_output_param(tensor)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, makes, 1);
    const PTOParam changes[] = {make_inout_param(tensor), make_input_param(tensor)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, changes, 2);
  }

  /// A task of a group, and one of three parts that reads what it wrote. Two read what those wrote.
  static void grouped(PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {4};
    const Tensor first = make_tensor(shape, 1);
    const Tensor second = make_tensor(shape, 1);
    const int32_t cluster = pto2_rt_allocate_cluster(rt);
    const PTOParam makes[] = {make_output_param(first)};
    pto2_rt_submit_task_clustered(rt, 0, PTO2_WORKER_VECTOR, makes, 1, cluster);
    pto2_rt_free_cluster(rt, cluster);
    const PTOParam parts[] = {make_input_param(first), make_output_param(second)};
    pto2_rt_submit_block_task(rt, 0, PTO2_WORKER_VECTOR, parts, 2, 3);
    const PTOParam reads[] = {make_input_param(first), make_input_param(second)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, reads, 2);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, reads, 2);
  }

  /// Every call that there is, and more groups than the chip has blocks.
  static void every_call(PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {2, 2};
    const uint64_t part[] = {1, 1};
    const Tensor tensor = make_tensor(shape, 2);
    const PTOParam params[] = {make_output_param(tensor)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, params, 1);
    EXPECT_EQ(tensor.view(part, part).id, 0u);
    EXPECT_EQ(tensor.reshape(shape, 2).id, 0u);
    EXPECT_EQ(tensor.transpose(0, 1).id, 0u);
    EXPECT_EQ(rt->ops->ndims(rt, tensor.id), 0u);
    EXPECT_EQ(tensor.numel(), 0u);
    EXPECT_TRUE(tensor.is_contiguous());
    EXPECT_EQ(tensor.dump(), "");
    pto2_rt_free_cluster(rt, 0);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(pto2_rt_allocate_cluster(rt), 0);
  }

  /// Two tasks write a tensor in any order, then the third changes it if it is to, and the last
  /// reads it.
  template <bool changes>
  static void unordered(PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {4};
    const Tensor tensor = make_tensor(shape, 1);
    const PTOParam writes[] = {make_output_param(tensor)};
    const PTOParam updates[] = {make_inout_param(tensor)};
    const PTOParam reads[] = {make_input_param(tensor)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, writes, 1);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, writes, 1);
    if (changes) pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, updates, 1);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, reads, 1);
  }

  /// The second task changes all of a tensor, under another shape; the third reads it.
  static void reshaped(PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {4};
    const uint64_t square[] = {2, 2};
    const Tensor tensor = make_tensor(shape, 1);
    const PTOParam makes[] = {make_output_param(tensor)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, makes, 1);
    const PTOParam changes[] = {make_inout_param(tensor.reshape(square, 2))};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, changes, 1);
    const PTOParam reads[] = {make_input_param(tensor)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, reads, 1);
  }

  /// One task writes the caller's memory, the other reads it as another tensor.
  static void external(PTO2Runtime* rt) {
    static float memory[4];
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {4};
    const PTOParam writes[] = {make_output_param(make_tensor_external(memory, shape, 1))};
    const PTOParam reads[] = {make_input_param(make_tensor_external(memory, shape, 1))};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, writes, 1);
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, reads, 1);
  }

  /// One task writes the start of the caller's memory, the next all of it; more than have a slot at
  /// a time change it.
  static void growing(PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t start[] = {3};
    const uint64_t all[] = {sizeof callers_};
    for (const uint64_t* shape : {start, all}) {
      const Tensor tensor = make_tensor_external(callers_, shape, 1, DataType::UINT8);
      const PTOParam writes[] = {make_output_param(tensor)};
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, writes, 1);
    }
    const Tensor whole = make_tensor_external(callers_, all, 1, DataType::UINT8);
    const PTOParam changes[] = {make_inout_param(whole)};
    for (int i = 0; i < 40; ++i) {
      PTO2_SCOPE(rt) {
        pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, changes, 1);
      }
    }
  }

  /// The same, and then another tensor that begins in the middle of the first stub's number.
  static void overlapping(PTO2Runtime* rt) {
    growing(rt);
    const uint64_t shape[] = {8};
    const Tensor beside = make_tensor_external(callers_ + 4, shape, 1, DataType::UINT8);
    const PTOParam writes[] = {make_output_param(beside)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, writes, 1);
  }

  /// The third task changes the second tensor, transposed; the fourth reads both.
  static void turned(PTO2Runtime* rt) {
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {2, 3};
    const Tensor first = make_tensor(shape, 2);
    const Tensor second = make_tensor(shape, 2);
    const PTOParam makes_first[] = {make_output_param(first)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, makes_first, 1);
    const PTOParam makes_second[] = {make_output_param(second)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, makes_second, 1);
    const PTOParam changes[] = {make_inout_param(second.transpose(0, 1))};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, changes, 1);
    const PTOParam reads[] = {make_input_param(first), make_input_param(second)};
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, reads, 2);
  }

  /// In a scope a task writes a tensor; in the next one another reads memory of the caller, which
  /// has the record of that tensor.
  static void scopes(PTO2Runtime* rt) {
    static float memory[4];
    pto2_rt_init_tensor_pool(rt);
    const uint64_t shape[] = {4};
    PTO2_SCOPE(rt) {
      const PTOParam writes[] = {make_output_param(make_tensor(shape, 1))};
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, writes, 1);
    }
    PTO2_SCOPE(rt) {
      const PTOParam reads[] = {make_input_param(make_tensor_external(memory, shape, 1))};
      pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, reads, 1);
    }
  }

  /// What the stubs say of a graph with `kernel` in their place, when the last `refused` tasks are
  /// said to have been refused.
  std::vector<std::string> problems_with(KernelEntry kernel, uint64_t tasks = ~uint64_t{0},
                                         void (*graph)(PTO2Runtime*) = chain, bool complete = true,
                                         uint64_t refused = 0) {
    std::optional<Relay> relay;
    const KernelEntry kernels[] = {kernel};
    DeviceConfig config;
    config.window = 16;
    config.chip.clusters = 2;
    config.chip.schedulers = 1;
    const Launch what{kernels,
                      [&](PTO2Runtime* rt) {
                        relay.emplace(rt, RelayOptions{.stub_kernels = true, .most_tasks = tasks});
                        graph(&*relay);
                      },
                      {}};
    const RunResult result = launch(config, executors::SeededOptions{.seed = 5}, what);
    EXPECT_EQ(result.error.code, ErrorCode::ok) << result.error.message;
    tasks_ = result.tasks;
    return relay->problems(result.tasks - refused, complete);
  }

  static inline char callers_[16];

  uint64_t tasks_ = 0;
};

TEST_F(RelayOfChain, FindsNothingWrong) {
  EXPECT_THAT(problems_with(&Relay::stub), IsEmpty());
  EXPECT_EQ(tasks_, 4u);
}

TEST_F(RelayOfChain, EndsTheGraphEarly) {
  EXPECT_THAT(problems_with(&Relay::stub, 2), IsEmpty());
  EXPECT_EQ(tasks_, 2u);
}

TEST_F(RelayOfChain, FindsATaskThatDidNotRun) {
  const auto every_second = [](int64_t* args) {
    static uint32_t calls = 0;
    if (++calls % 4 != 0) Relay::stub(args);
  };
  EXPECT_THAT(problems_with(every_second), ElementsAre("task 4 of 1 parts ran 0 times"));
}

TEST_F(RelayOfChain, FindsATaskThatRanTwice) {
  const auto twice = [](int64_t* args) {
    static uint32_t calls = 0;
    if (++calls == 1) Relay::stub(args);
    Relay::stub(args);
  };
  EXPECT_THAT(problems_with(twice), ElementsAre("task 1 of 1 parts ran 2 times"));
}

TEST_F(RelayOfChain, FindsWhatRanTwiceThoughNothingNeedHaveRun) {
  const auto none_or_twice = [](int64_t* args) {
    static uint32_t calls = 0;
    if (++calls != 1) return;
    Relay::stub(args);
    Relay::stub(args);
  };
  EXPECT_THAT(problems_with(none_or_twice, ~uint64_t{0}, chain, false),
              ElementsAre("task 1 of 1 parts ran 2 times"));
}

/// After the second task, somebody writes to what it wrote.
TEST_F(RelayOfChain, FindsWhatRanThoughItWasRefused) {
  for (const bool complete : {true, false}) {
    EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, chain, complete, 1),
                ElementsAre("task 4 of 1 parts ran 1 times"));
  }
}

TEST_F(RelayOfChain, FindsWrongData) {
  const auto spoils = [](int64_t* args) {
    static uint32_t calls = 0;
    Relay::stub(args);
    if (++calls == 2) *pto_tensor(args, 2).data<char>() ^= 1;
  };
  EXPECT_THAT(problems_with(spoils),
              ElementsAre(testing::AllOf(StartsWith("task 3, parameter 1: it reads "),
                                         HasSubstr("and not what task 2 wrote"))));
}

/// After the third task, which changes what the second wrote: that is one more writer, and the one
/// that counts.
TEST_F(RelayOfChain, FindsWrongDataOfWhoChangesIt) {
  const auto spoils = [](int64_t* args) {
    static uint32_t calls = 0;
    Relay::stub(args);
    if (++calls == 3) *pto_tensor(args, 1).data<char>() ^= 1;
  };
  EXPECT_THAT(problems_with(spoils),
              ElementsAre(testing::AllOf(StartsWith("task 4, parameter 1: it reads "),
                                         HasSubstr("and not what task 3 wrote"))));
}

/// Where a part of a buffer begins nobody has written the number of a task.
TEST_F(RelayOfChain, APartOfABufferUnderAnotherShapeIsAPart) {
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, rest), IsEmpty());
  EXPECT_EQ(tasks_, 3u);
}

TEST_F(RelayOfChain, ATensorEndsWithItsScope) {
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, scopes), IsEmpty());
  EXPECT_EQ(tasks_, 2u);
}

TEST_F(RelayOfChain, ATaskReadsBeforeItWrites) {
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, twice), IsEmpty());
}

/// The first bytes of a tensor hold what has room there.
TEST_F(RelayOfChain, ATensorMayBeSmallerThanTheNumberOfATask) {
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, small<1>), IsEmpty());
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, small<2>), IsEmpty());
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, small<7>), IsEmpty());
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, small<8>), IsEmpty());
}

/// As if the second task had written nothing, in tensors of every size.
TEST_F(RelayOfChain, FindsWrongDataBehindAScalar) {
  const auto forgets = [](int64_t* args) {
    static uint32_t calls = 0;
    Relay::stub(args);
    if (++calls % 3 == 2) std::memset(pto_tensor(args, 1).data<char>(), 0, 1);
  };
  const auto wrong = ElementsAre(
      testing::AllOf(StartsWith("task 3, parameter 2: it reads "), HasSubstr("what task 2 wrote")));
  EXPECT_THAT(problems_with(forgets, ~uint64_t{0}, small<1>), wrong);
  EXPECT_THAT(problems_with(forgets, ~uint64_t{0}, small<8>), wrong);
}

/// The parts write the same bytes, so that nothing is known of these.
TEST_F(RelayOfChain, EachPartRunsOnce) {
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, grouped), IsEmpty());
  EXPECT_EQ(tasks_, 4u);
  const auto only_two_parts = [](int64_t* args) {
    static uint32_t calls = 0;
    if (++calls != 3) Relay::stub(args);
  };
  EXPECT_THAT(problems_with(only_two_parts, ~uint64_t{0}, grouped),
              ElementsAre("task 2 of 3 parts ran 2 times"));
}

/// On OS threads, each on a CPU of its own.
TEST_F(RelayOfChain, CountsPartsThatRunAtTheSameTime) {
  const auto on_two_threads = [](int64_t* args) {
    std::barrier both(2);
    const auto many = [&](uint32_t side) {
      const executors::Pinned here(side);
      for (int i = 0; i < 1'000'000; ++i) {
        if (i % 10'000 == 0) both.arrive_and_wait();
        Relay::stub(args);
      }
    };
    std::thread other(many, 1);
    many(0);
    other.join();
  };
  const auto one = [](PTO2Runtime* rt) {
    pto2_rt_submit_task(rt, 0, PTO2_WORKER_VECTOR, nullptr, 0);
  };
  EXPECT_THAT(problems_with(on_two_threads, ~uint64_t{0}, one),
              ElementsAre("task 1 of 1 parts ran 2000000 times"));
}

/// Whatever it may be asked.
TEST_F(RelayOfChain, AnswersForTheRuntimeBehindTheEnd) {
  EXPECT_THAT(problems_with(&Relay::stub, 0, every_call), IsEmpty());
  EXPECT_EQ(tasks_, 0u);
}

/// Until one of them is known to be the last.
TEST_F(RelayOfChain, KnowsNoneOfSeveralWhoWrite) {
  const auto spoils = [](int64_t* args) {
    static uint32_t calls = 0;
    Relay::stub(args);
    if (++calls <= 2 || calls == 6) *pto_tensor(args, 1).data<char>() ^= 1;
  };
  EXPECT_THAT(problems_with(spoils, ~uint64_t{0}, unordered<false>), IsEmpty());
  EXPECT_THAT(problems_with(spoils, ~uint64_t{0}, unordered<true>),
              ElementsAre(testing::AllOf(StartsWith("task 4, parameter 1: it reads "),
                                         HasSubstr("and not what task 3 wrote"))));
}

TEST_F(RelayOfChain, ATransposedTensorIsTheSame) {
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, turned), IsEmpty());
}

TEST_F(RelayOfChain, AReshapedTensorIsWhole) {
  const auto spoils = [](int64_t* args) {
    static uint32_t calls = 0;
    Relay::stub(args);
    if (++calls == 2) *pto_tensor(args, 1).data<char>() ^= 1;
  };
  EXPECT_THAT(problems_with(spoils, ~uint64_t{0}, reshaped),
              ElementsAre(HasSubstr("and not what task 2 wrote")));
}

/// The second time it finds what it has written itself.
TEST_F(RelayOfChain, TellsWhatATaskReadsBesideHowOftenItRan) {
  const auto third_twice = [](int64_t* args) {
    static uint32_t calls = 0;
    if (++calls == 3) Relay::stub(args);
    Relay::stub(args);
  };
  EXPECT_THAT(problems_with(third_twice),
              ElementsAre(HasSubstr("and not what task 2 wrote"), "task 3 of 1 parts ran 2 times"));
}

TEST_F(RelayOfChain, TensorsOfTheSameMemoryAreOne) {
  const auto spoils = [](int64_t* args) {
    static uint32_t calls = 0;
    Relay::stub(args);
    if (++calls == 1) *pto_tensor(args, 1).data<char>() ^= 1;
  };
  EXPECT_THAT(problems_with(spoils, ~uint64_t{0}, external),
              ElementsAre(HasSubstr("and not what task 1 wrote")));
}

/// As if the second task read before the first has written.
TEST_F(RelayOfChain, WhatARunHasWrittenIsNothingToTheNext) {
  const auto first_is_late = [](int64_t* args) {
    static uint32_t calls = 0;
    auto* const memory = pto_tensor(args, 1).data<char>();
    const std::string before(memory, sizeof(uint64_t));
    Relay::stub(args);
    if (++calls == 1) before.copy(memory, before.size());
  };
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, external), IsEmpty());
  EXPECT_THAT(problems_with(first_is_late, ~uint64_t{0}, external),
              ElementsAre(HasSubstr("and not what task 1 wrote")));
}

TEST_F(RelayOfChain, TheCallersMemoryIsAsBefore) {
  const std::string before = "what was there..";
  before.copy(callers_, sizeof callers_);
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, growing), IsEmpty());
  EXPECT_EQ(tasks_, 42u);
  EXPECT_EQ(std::string(callers_, sizeof callers_), before);
  EXPECT_THAT(problems_with(&Relay::stub, ~uint64_t{0}, overlapping), IsEmpty());
  EXPECT_EQ(std::string(callers_, sizeof callers_), before);
}

TEST_F(RelayOfChain, TellsTheFirstProblemsOnly) {
  EXPECT_THAT(problems_with([](int64_t*) {}, ~uint64_t{0}, six),
              ElementsAre(StartsWith("task 1 "), StartsWith("task 2 "), StartsWith("task 3 "),
                          StartsWith("task 4 ")));
}

}  // namespace
}  // namespace pto2::simulations

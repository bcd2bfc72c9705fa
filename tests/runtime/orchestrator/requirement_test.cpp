#include "runtime/orchestrator/requirement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "stress/oracles/counting_oracle.hpp"

namespace pto2 {
namespace {

using oracle::Call;
using oracle::CallKind;
using oracle::Configuration;
using oracle::Program;
using oracle::Resource;

constexpr uint64_t plenty = uint64_t{1} << 50;

void begin(Program& program) {
  program.push_back({CallKind::scope_begin});
}
void end(Program& program) {
  program.push_back({CallKind::scope_end});
}
void task(Program& program, std::vector<uint64_t> outputs, uint64_t nodes = 0) {
  program.push_back({CallKind::submit, std::move(outputs), nodes});
}

ResourceRequirement count(const Program& program, uint32_t rings, uint64_t least_heap = 1024) {
  ResourceRequirement requirement(least_heap);
  size_t depth = 0;
  for (const Call& call : program) {
    if (call.kind == CallKind::scope_begin) {
      ++depth;
      requirement.scope_begin();
    } else if (call.kind == CallKind::scope_end) {
      --depth;
      requirement.scope_end();
    } else {
      uint64_t bytes = 0;
      for (uint64_t output : call.output_bytes) bytes = packed_bytes_with(bytes, output);
      requirement.submit(RingId(oracle::ring_at(depth, rings)), {bytes, call.dep_nodes});
    }
  }
  return requirement;
}

/// The largest need over the rings, as one configuration for all of them.
Configuration smallest(const ResourceRequirement& requirement, uint32_t rings) {
  Configuration result{4, 1024, 0, plenty, rings};
  for (uint32_t i = 0; i < max_rings; ++i) {
    const RingRequirement ring = requirement.ring(RingId(i));
    result.window = std::max(result.window, ring.window);
    result.heap = std::max(result.heap, ring.heap_bytes.value_or(plenty));
    result.dep_pool = std::max(result.dep_pool, ring.dep_pool);
  }
  return result;
}

TEST(ResourceRequirement, NothingNeedsTheMinimum) {
  const ResourceRequirement requirement;
  EXPECT_EQ(requirement.ring(0).window, 4U);
  EXPECT_EQ(requirement.ring(0).heap_bytes, 1024U);
  EXPECT_EQ(requirement.ring(0).dep_pool, 0U);
}

TEST(ResourceRequirement, WindowHoldsTheLargestScopeAndOneMore) {
  for (uint64_t tasks : {3U, 4U, 7U, 8U, 15U, 16U, 37U}) {
    Program program;
    begin(program);
    for (uint64_t i = 0; i < tasks; ++i) task(program, {});
    end(program);
    const uint64_t expected = std::max<uint64_t>(4, std::bit_ceil(tasks + 1));
    EXPECT_EQ(count(program, 1).ring(0).window, expected) << tasks;
  }
}

TEST(ResourceRequirement, NestedScopesFreeTheirRing) {
  Program program;
  begin(program);
  task(program, {1});
  for (int i = 0; i < 100; ++i) {
    begin(program);
    for (int j = 0; j < 4; ++j) task(program, {1000}, 2);
    end(program);
  }
  end(program);
  const ResourceRequirement four = count(program, 4);
  EXPECT_EQ(four.ring(0).window, 4U);
  EXPECT_EQ(four.ring(1).window, 8U);
  EXPECT_EQ(four.ring(1).heap_bytes, 8192U) << "4 KiB would be filled to the last byte";
  EXPECT_EQ(four.ring(1).dep_pool, 8U);
  const ResourceRequirement one = count(program, 1);
  EXPECT_EQ(one.ring(0).window, 512U) << "the outer scope's task holds all behind it";
  EXPECT_EQ(one.ring(0).dep_pool, 800U);
}

/// A heap that is parked behind the first buffer starts over while a task without outputs is alive.
TEST(ResourceRequirement, TasksWithoutOutputsTakeNothingOfTheHeap) {
  Program program;
  begin(program);
  task(program, {40 << 10});
  end(program);
  begin(program);
  task(program, {});
  task(program, {40 << 10});
  EXPECT_EQ(count(program, 1).ring(0).heap_bytes, 64U << 10);
  task(program, {24 << 10});
  EXPECT_EQ(count(program, 1).ring(0).heap_bytes, 128U << 10);
}

TEST(ResourceRequirement, TooLargeForAnyHeap) {
  Program program;
  begin(program);
  task(program, {(uint64_t{1} << 40) - 1024});
  EXPECT_EQ(count(program, 1).ring(0).heap_bytes, uint64_t{1} << 40);
  task(program, {1024});
  EXPECT_EQ(count(program, 1).ring(0).heap_bytes, std::nullopt);
  ResourceRequirement requirement;
  requirement.scope_begin();
  requirement.submit(0, {.heap_bytes = unplaceable_bytes});
  requirement.submit(0, {.heap_bytes = unplaceable_bytes});
  EXPECT_EQ(requirement.ring(0).heap_bytes, std::nullopt);
}

Program random_program(std::mt19937_64& random, uint64_t longest) {
  Program program;
  const uint64_t steps = 1 + random() % longest;
  // Most sizes are small, so that many kinds of fit occur in small heaps.
  const uint64_t largest = uint64_t{1} << random() % 5;
  size_t depth = 0;
  const auto submit = [&] {
    std::vector<uint64_t> outputs(random() % 3);
    for (uint64_t& bytes : outputs) bytes = 1 + random() % (1024 * largest);
    task(program, outputs, random() % 5);
  };
  const uint64_t scope_weight = 2 + random() % 6;
  for (uint64_t i = 0; i < steps; ++i) {
    if (depth == 0 || (depth < 6 && random() % scope_weight == 0)) {
      begin(program);
      ++depth;
    } else if (random() % (scope_weight + 1) == 0) {
      end(program);
      --depth;
    } else {
      submit();
    }
  }
  for (; depth > 0; --depth) end(program);
  return program;
}

void expect_deadlock(const Program& program, const Configuration& configuration,
                     Resource resource) {
  const auto deadlock = oracle::first_deadlock(program, configuration);
  ASSERT_TRUE(deadlock.has_value()) << oracle::name_of(resource) << " should be too small";
  EXPECT_EQ(deadlock->resource, resource);
}

TEST(ResourceRequirement, AgreesWithTheOracle) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 100000; ++i) {
    const Program program = random_program(random, i % 200 == 0 ? 400 : 40);
    const uint32_t rings = i % 2 == 0 ? 4 : 1;
    const Configuration enough = smallest(count(program, rings), rings);
    const auto deadlock = oracle::first_deadlock(program, enough);
    ASSERT_FALSE(deadlock.has_value())
        << "program " << i << ": " << oracle::name_of(deadlock->resource) << " at task "
        << deadlock->task;
    Configuration less = enough;
    if (enough.window > 4) {
      less.window = enough.window / 2;
      expect_deadlock(program, less, Resource::task_window);
    }
    less = enough;
    if (enough.heap > 1024) {
      for (less.heap = enough.heap / 2; less.heap >= 1024; less.heap /= 2) {
        expect_deadlock(program, less, Resource::heap);
      }
    }
    less = enough;
    if (enough.dep_pool > 0) {
      less.dep_pool = enough.dep_pool - 1;
      expect_deadlock(program, less, Resource::dep_pool);
    }
    ASSERT_FALSE(::testing::Test::HasFailure()) << "program " << i;
  }
}

/// A run that was given a heap asks of what is as large, or larger.
TEST(ResourceRequirement, SmallHeapsNeedNotBeSimulated) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i) {
    const Program program = random_program(random, 100);
    const uint64_t enough = smallest(count(program, 1), 1).heap;
    for (const uint64_t least : {uint64_t{1024}, enough / 2, enough, enough + enough / 2,
                                 2 * enough - 1, 2 * enough, uint64_t{1} << 40}) {
      if (least < 1024) continue;
      EXPECT_EQ(smallest(count(program, 1, least), 1).heap, std::max(enough, std::bit_floor(least)))
          << program.size() << " calls, from " << least;
    }
  }
}

TEST(ResourceRequirement, BestCaseWatermark) {
  ResourceRequirement requirement;
  requirement.scope_begin();
  requirement.submit(0, {});
  requirement.scope_begin();
  requirement.submit(1, {});
  requirement.submit(1, {});
  EXPECT_EQ(requirement.watermark(0), 0U);
  EXPECT_EQ(requirement.watermark(1), 0U);
  EXPECT_TRUE(requirement.can_be_live(make_id(1, 1)));
  requirement.scope_end();
  EXPECT_EQ(requirement.watermark(1), 2U);
  EXPECT_FALSE(requirement.can_be_live(make_id(1, 1)));
  EXPECT_TRUE(requirement.can_be_live(make_id(0, 0)));
  requirement.submit(0, {});
  EXPECT_EQ(requirement.watermark(0), 0U);
  requirement.scope_end();
  EXPECT_EQ(requirement.watermark(0), 2U);
}

TEST(ResourceRequirementDeathTest, WithoutAScopeOrARing) {
  ResourceRequirement requirement;
  EXPECT_DEATH(requirement.scope_end(), "RR-P1");
  EXPECT_DEATH(requirement.submit(0, {}), "RR-P1");
  requirement.scope_begin();
  EXPECT_DEATH(requirement.submit(max_rings, {}), "RR-P2");
}

}  // namespace
}  // namespace pto2

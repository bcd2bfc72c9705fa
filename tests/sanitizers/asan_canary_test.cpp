// ASan, LeakSanitizer and UBSan each end a program that has a defect of their kind, on OS threads
// and on fibers of the packed executor.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "runtime/executors/team.hpp"

namespace {

using pto2::executors::Executor;
using pto2::executors::Team;

/// Hides a value from the optimiser, so that the defect survives until run time.
template <class T>
T opaque(T value) {
  asm volatile("" : "+r"(value));
  return value;
}

class AsanCanary : public testing::TestWithParam<Executor> {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  /// Runs `body` as a logical thread, then ends the program.
  static void run(const std::function<void()>& body) {
    {
      Team team({.executor = GetParam(), .host_threads = 2});
      team.add("canary", 1, body);
      team.run();
    }
    std::exit(0);
  }
};

TEST_P(AsanCanary, AHeapOverflowIsReported) {
  const auto overflow = [] {
    const auto values = std::make_unique<int[]>(4);
    opaque(values.get())[opaque(4)] = 1;
  };
  EXPECT_DEATH(run(overflow), "heap-buffer-overflow");
}

TEST_P(AsanCanary, AStackOverflowOfAnArrayIsReported) {
  const auto overflow = [] {
    int values[4] = {};
    opaque(&values[0])[opaque(4)] = 1;
  };
  EXPECT_DEATH(run(overflow), "stack-buffer-overflow");
}

TEST_P(AsanCanary, UseAfterFreeIsReported) {
  const auto use_after_free = [] {
    auto owner = std::make_unique<int>(1);
    int* const freed = opaque(owner.get());
    owner.reset();
    *freed = 2;
  };
  EXPECT_DEATH(run(use_after_free), "heap-use-after-free");
}

TEST_P(AsanCanary, ALeakIsReported) {
  const auto leak = [] { opaque(new int(1)); };
  EXPECT_DEATH(run(leak), "detected memory leaks");
}

TEST_P(AsanCanary, SignedOverflowIsReported) {
  const auto overflow = [] {
    const int sum = opaque(std::numeric_limits<int>::max()) + opaque(1);
    (void)opaque(sum);
  };
  EXPECT_DEATH(run(overflow), "signed integer overflow");
}

TEST_P(AsanCanary, AMisalignedAccessIsReported) {
  const auto misaligned = [] {
    alignas(int) char bytes[2 * sizeof(int)] = {};
    *reinterpret_cast<int*>(opaque(&bytes[1])) = 1;
  };
  EXPECT_DEATH(run(misaligned), "store to misaligned address");
}

/// Before the access, which would be a crash.
TEST_P(AsanCanary, ANullDereferenceIsReported) {
  const auto dereference = [] { *opaque<int*>(nullptr) = 1; };
  EXPECT_DEATH(run(dereference), "store to null pointer of type 'int'");
}

TEST_P(AsanCanary, ADefectFreeProgramIsNot) {
  EXPECT_EXIT(run([] {}), testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(, AsanCanary, testing::Values(Executor::threads, Executor::packed),
                         [](const auto& executor) {
                           return std::string(executor.param == Executor::packed ? "Fibers"
                                                                                 : "OsThreads");
                         });

}  // namespace

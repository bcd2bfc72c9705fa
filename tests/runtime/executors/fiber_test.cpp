#include "runtime/executors/fiber.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <exception>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/executors/sanitizer_switch.hpp"
#include "tests/support/guarded_tests.hpp"

namespace pto2::executors {
namespace {

constexpr std::size_t stack_bytes = std::size_t{64} << 10;

TEST(Fiber, RunsWhenResumedAndKeepsItsPlace) {
  std::string order;
  Fiber* self = nullptr;
  Fiber fiber(stack_bytes, [&] {
    order += 'a';
    self->suspend();
    order += 'b';
  });
  self = &fiber;
  EXPECT_EQ(order, "");
  fiber.resume();
  EXPECT_EQ(order, "a");
  EXPECT_FALSE(fiber.finished());
  order += '-';
  fiber.resume();
  EXPECT_EQ(order, "a-b");
  EXPECT_TRUE(fiber.finished());
}

// A host may be run in a handler, too: of whoever launches.
TEST(Fiber, HasTheHandlersThatItIsInToItself) {
  Fiber* self = nullptr;
  std::string order;
  Fiber fiber(stack_bytes, [&] {
    if (std::current_exception() == nullptr) order += "none ";
    try {
      throw std::runtime_error("fiber's");
    } catch (const std::runtime_error&) {
      self->suspend();
      try {
        throw;
      } catch (const std::runtime_error& again) {
        order += again.what();
      }
    }
  });
  self = &fiber;
  try {
    throw std::logic_error("host's");
  } catch (const std::logic_error&) {
    fiber.resume();
    try {
      throw;
    } catch (const std::logic_error& again) {
      order += again.what();
    }
  }
  EXPECT_EQ(std::current_exception(), nullptr) << "the fiber is in a handler, not its host";
  order += ' ';
  std::thread([&] { fiber.resume(); }).join();
  EXPECT_TRUE(fiber.finished());
  EXPECT_EQ(order, "none host's fiber's");
}

TEST(Fiber, MayWaitWhileItIsUnwound) {
  Fiber* self = nullptr;
  int exceptions = -1;
  struct Waits {
    ~Waits() {
      self->suspend();
      exceptions = std::uncaught_exceptions();
    }
    Fiber*& self;
    int& exceptions;
  };
  Fiber fiber(stack_bytes, [&] {
    try {
      const Waits waits{self, exceptions};
      throw std::runtime_error("on its way");
    } catch (const std::runtime_error&) {
    }
  });
  self = &fiber;
  fiber.resume();
  EXPECT_EQ(std::uncaught_exceptions(), 0) << "it is the fiber that is unwound";
  fiber.resume();
  EXPECT_TRUE(fiber.finished());
  EXPECT_EQ(exceptions, 1);
}

std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

// A team whose threads cannot be started never runs its fibers.
TEST(Fiber, ThatNeverBeganGivesItsStackBack) {
  const auto make_and_drop = [] {
    std::vector<std::unique_ptr<Fiber>> fibers;
    for (int i = 0; i < 100; ++i) fibers.push_back(std::make_unique<Fiber>(stack_bytes, [] {}));
  };
  make_and_drop();
  const std::size_t before = mappings();
  make_and_drop();
  EXPECT_LT(mappings(), before + 50);
}

// Whoever makes a wrong run smaller gives up thousands of runs, each with all its threads, and the
// system has 65530 mappings for a process.
TEST(Fiber, ThatIsGivenUpGivesItsStackBack) {
  if (PTO2_UNDER_TSAN) GTEST_SKIP() << "what TSan knows of such a fiber stays";
  const auto make_and_drop = [] {
    std::vector<std::unique_ptr<Fiber>> fibers;
    for (int i = 0; i < 100; ++i) {
      fibers.push_back(
          std::make_unique<Fiber>(stack_bytes, [&fibers] { fibers.back()->suspend(); }));
      fibers.back()->resume();
    }
  };
  // What a sanitizer keeps of addresses that are new to it takes mappings, too.
  for (int i = 0; i < 3; ++i) make_and_drop();
  const std::size_t before = mappings();
  for (int i = 0; i < 10; ++i) make_and_drop();
  EXPECT_LT(mappings(), before + 500);
}

// More than TSan has room for frames in a context, which stays with the stack.
TEST(Fiber, AnyNumberMayHaveOneStackAfterEachOther) {
  constexpr int lives = 200'000;
  int ended = 0;
  for (int i = 0; i < lives; ++i) {
    Fiber fiber(stack_bytes, [&] { ++ended; });
    if (i % 4 != 0) fiber.resume();
  }
  EXPECT_EQ(ended, lives / 4 * 3);
}

TEST(Fiber, HostsMayChangeBetweenResumes) {
  int steps = 0;
  Fiber* self = nullptr;
  Fiber fiber(stack_bytes, [&] {
    for (; steps < 10; ++steps) self->suspend();
  });
  self = &fiber;
  while (!fiber.finished()) {
    std::thread([&] { fiber.resume(); }).join();
  }
  EXPECT_EQ(steps, 10);
}

TEST(Fiber, FibersNest) {
  std::string order;
  Fiber inner(stack_bytes, [&] { order += 'i'; });
  Fiber outer(stack_bytes, [&] {
    order += '(';
    inner.resume();
    order += ')';
  });
  outer.resume();
  EXPECT_EQ(order, "(i)");
}

/// Uses more and more of the stack.
[[gnu::noinline]] int descend(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  return depth == 0 ? frame[0] : descend(depth - 1) + frame[0];
}

TEST(FiberDeathTest, AnOverflowMeetsTheGuardPage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Fiber fiber(stack_bytes, [] { descend(10'000); });
        fiber.resume();
      },
      "");
}

TEST(Fiber, OneThatNeverRanCanBeDropped) {
  auto body = std::make_shared<int>(7);
  {
    Fiber fiber(stack_bytes, [body] { FAIL() << *body; });
  }
  EXPECT_EQ(body.use_count(), 1);
}

TEST(Fiber, OneThatIsSuspendedCanBeDropped) {
  int steps = 0;
  {
    Fiber* self = nullptr;
    Fiber fiber(stack_bytes, [&] {
      ++steps;
      self->suspend();
      ++steps;
    });
    self = &fiber;
    fiber.resume();
  }
  EXPECT_EQ(steps, 1);
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Under TSan this also says that its shadow call stacks balance: a frame left behind by each fiber
// makes every later call stack a new one, and 8000 fibers then cost it 900 MiB; 2000 are enough.
TEST(Fiber, ThousandsLeaveNothingBehind) {
  const auto batch = [] {
    for (int i = 0; i < 80; ++i) {
      Fiber* self = nullptr;
      Fiber fiber(stack_bytes, [&] { self->suspend(); });
      self = &fiber;
      fiber.resume();
      fiber.resume();
    }
  };
  batch();
  const long before = peak_kib();
  for (int i = 0; i < (PTO2_UNDER_TSAN ? 25 : 100); ++i) batch();
  EXPECT_LT(peak_kib() - before, 64 << 10);
}

}  // namespace
}  // namespace pto2::executors

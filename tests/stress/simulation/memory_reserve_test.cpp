/// What is left when memory has ended.
#include "stress/simulation/memory_reserve.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <new>
#include <thread>

#include "stress/simulation/simulate.hpp"

namespace pto2::simulations {
namespace {

constexpr std::size_t one_mebibyte = std::size_t{1} << 20;

bool has_memory() {
  try {
    MemoryReserve::check();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// In MiB, until there are no more or `is_enough` says so.
template <class Enough>
int taken_until(Enough&& is_enough) {
  int taken = 0;
  try {
    for (; !is_enough(); ++taken) {
      void* volatile memory = ::operator new(one_mebibyte);
      static_cast<void>(memory);
    }
  } catch (const std::bad_alloc&) {
    // there are no more
  }
  return taken;
}

[[noreturn]] void use_up_memory() {
  const rlimit limit{1000 * one_mebibyte, 1000 * one_mebibyte};
  setrlimit(RLIMIT_AS, &limit);
  MemoryReserve::install();
  const bool had_memory = has_memory();
  taken_until([] { return !has_memory(); });
  const int of_runs = taken_until([] { return false; });
  MemoryReserve::release();
  const int of_report = taken_until([] { return false; });
  std::_Exit(had_memory && of_runs > 16 && of_report > 16 ? 0 : 1);
}

TEST(MemoryReserveDeathTest, HasAPartForRunsAndOneForTheReport) {
  EXPECT_EXIT(use_up_memory(), testing::ExitedWithCode(0), "");
}

/// Whether it is worth another try.
bool is_handed_out() {
  try {
    std::get_new_handler()();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

[[noreturn]] void fail_on_two_threads() {
  MemoryReserve::install();
  const bool first = is_handed_out();
  bool other = false;
  bool again = true;
  std::thread([&] {
    other = is_handed_out();
    again = is_handed_out();
  }).join();
  std::_Exit(first && other && !again ? 0 : 1);
}

TEST(MemoryReserveDeathTest, WhoFailedBeforeItWasHandedOutTriesAgainOnce) {
  EXPECT_EXIT(fail_on_two_threads(), testing::ExitedWithCode(0), "");
}

/// Its second run keeps all memory.
class Keeper final : public Subject {
 public:
  SimulatedRun run(uint64_t seed) override {
    if (seed == 1) return {.outcome = "wrong", .problems = {"odd"}};
    taken_until([] { return false; });
    throw std::bad_alloc();
  }
  Shrunk shrink(uint64_t) override { return {}; }
  SimulatedRun run_shrunk(uint64_t, const std::string&, std::string&) override { return {}; }
  [[nodiscard]] std::vector<std::string> usual_outcomes() const override { return {}; }
};

[[noreturn]] void keep_memory_after_a_wrong_run() {
  const rlimit limit{1000 * one_mebibyte, 1000 * one_mebibyte};
  setrlimit(RLIMIT_AS, &limit);
  MemoryReserve::install();
  const Summary summary =
      simulate({}, {1, 2}, 1, {}, [](const Options&) { return std::make_unique<Keeper>(); });
  const int of_report = taken_until([] { return false; });
  std::_Exit(summary.wrong_runs == 1 && of_report > 16 ? 0 : 1);
}

TEST(MemoryReserveDeathTest, IsThereWhenWrongRunsAreTold) {
  EXPECT_EXIT(keep_memory_after_a_wrong_run(), testing::ExitedWithCode(0), "");
}

/// What ends a run without a result, such as threads that wait for one that had no memory, says
/// nothing of the runtime then.
[[noreturn]] void run_a_wrong_seed_without_memory() {
  MemoryReserve::install();
  Options options;
  options.executor = ExecutorKind::random;
  options.weaken = "core_mailbox.dispatch";
  const std::unique_ptr<Subject> subject = make_subject(options);
  constexpr uint64_t seeds = 1000;  // many more than until the first wrong one
  uint64_t seed = 1;
  while (seed <= seeds && !subject->run(seed).wrong()) ++seed;
  if (seed > seeds) std::_Exit(2);
  static_cast<void>(is_handed_out());
  try {
    static_cast<void>(subject->run(seed));
  } catch (const std::bad_alloc&) {
    std::_Exit(0);
  }
  std::_Exit(1);
}

TEST(MemoryReserveDeathTest, NoRunIsWrongThatHadTooLittle) {
  EXPECT_EXIT(run_a_wrong_seed_without_memory(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace pto2::simulations

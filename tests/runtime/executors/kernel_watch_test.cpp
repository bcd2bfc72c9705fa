#include "runtime/executors/kernel_watch.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace pto2::executors {
namespace {

class Watched : public testing::Test {
 protected:
  /// Looks at two threads `times` times.
  void look(KernelState first, KernelState second, int times = 1) {
    for (int i = 0; i < times; ++i) watch_.look(std::vector{first, second});
  }

  std::vector<pid_t> stuck_;
  std::vector<bool> last_;
  std::vector<pid_t> mute_;
  KernelWatch watch_{3,
                     [this](const KernelState& thread, bool is_last) {
                       stuck_.push_back(thread.thread);
                       last_.push_back(is_last);
                     },
                     [this](const KernelState& thread) { mute_.push_back(thread.thread); }};

  static constexpr KernelState outside{7, 1, false};
  static constexpr KernelState inside{8, 1, true};
};

TEST_F(Watched, ThreadIsFoundAfterSoManyLooks) {
  look(outside, inside, 3);
  EXPECT_EQ(stuck_, std::vector<pid_t>{});
  look(outside, inside);
  EXPECT_EQ(stuck_, std::vector<pid_t>{8});
}

/// At each look, and it is said when it is for the last time.
TEST_F(Watched, ThreadIsFoundAgainForAWhile) {
  look(outside, inside, 3 + KernelWatch::patience);
  EXPECT_EQ(stuck_, std::vector<pid_t>(KernelWatch::patience, 8));
  std::vector<bool> only_the_last(KernelWatch::patience, false);
  only_the_last.back() = true;
  EXPECT_EQ(last_, only_the_last);
  EXPECT_EQ(mute_, std::vector<pid_t>{});
  look(outside, inside, KernelWatch::patience - 1);
  EXPECT_EQ(mute_, std::vector<pid_t>{});
  look(outside, inside);
  EXPECT_EQ(mute_, std::vector<pid_t>{8});
  look(outside, inside);
  EXPECT_EQ(mute_, (std::vector<pid_t>{8, 8})) << "who lacks memory for it comes back";
  EXPECT_EQ(stuck_.size(), KernelWatch::patience);
}

TEST_F(Watched, ThreadInAnotherKernelIsNot) {
  look(outside, inside, 3);
  look(outside, {8, 2, true}, 3);
  look(outside, inside, 3);
  EXPECT_EQ(stuck_, std::vector<pid_t>{});
}

TEST_F(Watched, ThreadThatLeftItsKernelIsNot) {
  look(outside, inside, 3);
  look(outside, {8, 1, false});
  look(outside, inside, 3);
  EXPECT_EQ(stuck_, std::vector<pid_t>{});
  look(outside, inside);
  EXPECT_EQ(stuck_, std::vector<pid_t>{8});
}

TEST_F(Watched, ThreadsAreToldApart) {
  look({7, 1, true}, outside, 2);
  look({7, 1, true}, {8, 1, true}, 2);
  EXPECT_EQ(stuck_, std::vector<pid_t>{7});
  look({7, 2, true}, {8, 1, true}, 2);
  EXPECT_EQ(stuck_, (std::vector<pid_t>{7, 8}));
}

/// As many looks later as periods have begun in it.
TEST(KernelCount, TheKernelsOfASectionAreOneSection) {
  KernelCount count;
  count.count();
  EXPECT_EQ(count.sections(), 1u);
  count.count_next();
  count.count_next();
  EXPECT_EQ(count.sections(), 1u);
  EXPECT_EQ(count.turn().load(), 3u) << "but each is a turn of its own";
  count.count();
  EXPECT_EQ(count.sections(), 2u);
}

TEST(KernelWatch, FindsWhoIsInsideAtADeadline) {
  const std::pair<uint64_t, int> looks_by_deadline[] = {
      {1, 1}, {250, 1}, {251, 2}, {500, 2}, {60'000, 240}};
  for (const auto& [deadline, looks] : looks_by_deadline) {
    int found = 0;
    StuckKernels what;
    what.deadline_ms = deadline;
    what.found = [&](const KernelState&, bool) { ++found; };
    KernelWatch watch(what);
    const std::vector<KernelState> threads{{7, 1, true}};
    for (int i = 0; i < looks; ++i) watch.look(threads);
    EXPECT_EQ(found, 0) << deadline;
    watch.look(threads);
    EXPECT_EQ(found, 1) << deadline;
  }
}

TEST(KernelWatch, WithoutLooksFindsNobody) {
  KernelWatch watch(
      0, [](const KernelState&, bool) { FAIL(); }, [](const KernelState&) { FAIL(); });
  for (int i = 0; i < 20; ++i) watch.look(std::vector<KernelState>{{7, 1, true}});
}

}  // namespace
}  // namespace pto2::executors

// TSan sees a race, and sees none where release and acquire order the accesses. The time between
// the two accesses is no matter: TSan reports by happens-before.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

namespace {

/// One thread writes, then sets a flag with `publish`; the other waits for it, then reads.
int pass_message(std::memory_order publish) {
  int message = 0;
  std::atomic<bool> sent{false};
  std::jthread sender([&] {
    message = 1;
    sent.store(true, publish);
  });
  while (!sent.load(std::memory_order_acquire)) std::this_thread::yield();
  return message;
}

TEST(TsanCanary, ARelaxedPublicationIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(std::exit(pass_message(std::memory_order_relaxed)), "data race");
}

TEST(TsanCanary, AReleasedOneIsNot) {
  EXPECT_EQ(pass_message(std::memory_order_release), 1);
}

}  // namespace

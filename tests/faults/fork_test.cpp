/// What a thread holds of the C library while it loads images, a child of another thread does not
/// have for ever.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <thread>

#include "runtime/device/exit_guard.hpp"
#include "runtime/loader/no_fork.hpp"
#include "runtime/loader/shared_object.hpp"

namespace pto2 {
namespace {

/// Those that hang are ended by their alarm.
TEST(ForkBesideImages, LeavesTheChildWhatARunNeeds) {
  std::atomic<bool> goes_on{true};
  std::thread loading([&] {
    while (goes_on) static_cast<void>(SharedObject::from_file(KERNEL_ONE));
  });
  int hung = 0;
  for (int i = 0; i < 150 && hung == 0; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      {
        const ExitGuard guard([] { return std::string(); });
      }
      std::thread([] { static_cast<void>(SharedObject::from_file(KERNEL_ONE)); }).join();
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    hung += !WIFEXITED(status);
  }
  goes_on = false;
  loading.join();
  EXPECT_EQ(hung, 0);
}

/// Its start waits for a thread that waits for its child.
TEST(ForkBesideImages, OfWhomAnImageWaitsForEnds) {
  static_cast<void>(SharedObject::from_file(FORKING_IMAGE));
}

/// A child that was forked without waiting any longer can load images.
TEST(ForkBesideImages, LeavesTheChildALockThatNobodyHolds) {
  std::promise<void> held, forked;
  std::thread holding([&] {
    const NoFork meanwhile;
    held.set_value();
    forked.get_future().wait();
  });
  held.get_future().wait();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    { const NoFork of_the_child; }
    _exit(0);
  }
  forked.set_value();
  holding.join();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
}

}  // namespace
}  // namespace pto2

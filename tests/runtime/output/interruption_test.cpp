#include "runtime/output/interruption.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace pto2::cli {
namespace {

TEST(InterruptionDeathTest, ASignalEndsWhatHasNothingToSave) {
  const auto interrupted_by = [](int signal) {
    const Interruption interruption(Interruption::First::ends);
    kill(getpid(), signal);
    pause();
  };
  EXPECT_EXIT(interrupted_by(SIGINT), testing::ExitedWithCode(130), "pto2: interrupted");
  EXPECT_EXIT(interrupted_by(SIGTERM), testing::ExitedWithCode(143), "pto2: terminated");
}

TEST(Interruption, IsOverWithItsObject) {
  sigset_t before, after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  {
    const Interruption interruption(Interruption::First::requests_stop);
    EXPECT_FALSE(interruption.exit_code());
    EXPECT_FALSE(interruption.stop().stop_requested());
  }
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
  }
}

}  // namespace
}  // namespace pto2::cli

// How forked processes end, and what they leave.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

#include "runtime/output/ends_of_forks.hpp"
#include "runtime/output/own_place.hpp"

namespace pto2::cli {
namespace {

template <class Child>
pid_t forked(Child&& child) {
  const pid_t process = fork();
  if (process == 0) _exit(child());
  return process;
}

/// Whoever started this program may have it so.
class EndsOfForks : public testing::Test {
 protected:
  EndsOfForks() { std::signal(SIGCHLD, SIG_IGN); }
  ~EndsOfForks() override { std::signal(SIGCHLD, SIG_DFL); }
  static bool are_ignored() {
    struct sigaction now {};
    sigaction(SIGCHLD, nullptr, &now);
    return now.sa_handler == SIG_IGN;
  }
};

TEST_F(EndsOfForks, AreKept) {
  {
    const KeptEnds kept;
    const int status = status_of(forked([] { return 7; }));
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
  EXPECT_TRUE(are_ignored());
}

TEST_F(EndsOfForks, AreAsBeforeInTheForkThatSaysSo) {
  const KeptEnds kept;
  const int status = status_of(forked([&] {
    kept.restore();
    return are_ignored() ? 7 : 8;
  }));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(EndsOfForks, AreNoneWhileTheyRun) {
  const KeptEnds kept;
  const pid_t process = forked([] {
    alarm(60);
    return pause();
  });
  EXPECT_FALSE(status_if_ended(process).has_value());
  kill(process, SIGKILL);
  EXPECT_EQ(WTERMSIG(status_of(process)), SIGKILL);
}

/// And no good end.
TEST_F(EndsOfForks, ThatNobodyKnowsAreErrors) {
  const pid_t process = forked([] { return 7; });
  EXPECT_THROW(static_cast<void>(status_of(process)), std::system_error);
  EXPECT_THROW(static_cast<void>(status_if_ended(process)), std::system_error);
}

TEST(OwnPlace, IsOfOneProcess) {
  OwnPlace<int> place;
  EXPECT_EQ(place.get(), nullptr);
  int value = 0;
  place.set(&value);
  EXPECT_EQ(place.get(), &value);
  EXPECT_EQ(WEXITSTATUS(status_of(forked([&] { return place.get() == nullptr ? 7 : 8; }))), 7);
  place.set(nullptr);
  EXPECT_EQ(place.get(), nullptr);
}

}  // namespace
}  // namespace pto2::cli

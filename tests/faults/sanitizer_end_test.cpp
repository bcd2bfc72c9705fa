// What is said at the end of a sanitizer's report. This program plays the sanitizer.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "runtime/device/crash_guard.hpp"

namespace {

void (*end_of_report)() = nullptr;

}  // namespace

/// The runtime looks for it by this name.
extern "C" [[gnu::used, gnu::visibility("default")]] void take_end(void (*end)()) asm(
    "__sanitizer_set_death_callback");
void take_end(void (*end)()) {
  end_of_report = end;
}

namespace pto2::test {
namespace {

int said = 0;

TEST(SanitizerEnd, IsThatOfTheGuardedProcessAlone) {
  CrashGuard::say_more_by([] { ++said; });
  ASSERT_NE(end_of_report, nullptr);
  const CrashGuard guard([] { return std::string("somebody"); });
  const pid_t forked = fork();
  if (forked == 0) {
    end_of_report();
    _exit(said);
  }
  int status = 0;
  waitpid(forked, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "of a process that was forked the run has nothing to say";
  end_of_report();
  EXPECT_EQ(said, 1);
}

}  // namespace
}  // namespace pto2::test

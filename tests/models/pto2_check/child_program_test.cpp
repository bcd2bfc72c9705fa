// Running another program: what it printed, how it ended, and that nothing of it stays.
#include "models/pto2_check/child_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <system_error>
#include <thread>

namespace pto2::scenarios {
namespace {

using testing::Property;
using testing::StartsWith;
using testing::Throws;

ChildResult shell(const std::string& script, Catch what = Catch::output_and_errors,
                  double max_seconds = 60) {
  return run_child({"/bin/sh", "-c", script}, what, max_seconds, {});
}

/// Whether the process with this number ends soon. Nobody need have waited for it.
bool ends(const std::string& number) {
  const std::string file = "/proc/" + std::to_string(std::stoi(number)) + "/stat";
  for (int look = 0; look < 1000; ++look) {
    std::string pid, name, state;
    if (!(std::ifstream(file) >> pid >> name >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(ChildProgram, CatchesWhatIsPrinted) {
  EXPECT_EQ(shell("echo one; echo two >&2; echo three").text, "one\ntwo\nthree\n");
  EXPECT_EQ(shell("echo one; echo two >&2; echo three", Catch::output).text, "one\nthree\n");
}

TEST(ChildProgram, CatchesMoreThanAPipeHolds) {
  EXPECT_EQ(shell("head -c 1000000 /dev/zero").text.size(), 1000000U);
}

TEST(ChildProgram, KeepsTheFirst16MiB) {
  EXPECT_EQ(shell("head -c 20000000 /dev/zero").text.size(), std::size_t{16} << 20);
}

TEST(ChildProgram, TellsHowItEnded) {
  EXPECT_EQ(shell("exit 7").code, 7);
  EXPECT_EQ(shell("kill -ABRT $$").code, 128 + SIGABRT);
  EXPECT_FALSE(shell("exit 0").timed_out);
}

/// Tests of interruptions wait for it.
TEST(ChildProgram, IsInterruptedWhereTheCallerIsNot) {
  const auto former = std::signal(SIGINT, SIG_IGN);
  EXPECT_EQ(shell("kill -INT $$; exit 7").code, 128 + SIGINT);
  std::signal(SIGINT, former);
}

/// The system refuses to wait for more descriptors than a process may have.
TEST(ChildProgram, IsNotLeftBehindByWhoMayNotWait) {
  rlimit former{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &former), 0);
  EXPECT_THAT([] { shell("prlimit --pid $PPID --nofile=1: && echo done; sleep 600"); },
              Throws<std::system_error>(Property(
                  &std::system_error::what, StartsWith("cannot wait for a process: Invalid"))));
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &former), 0);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

/// As the threads of pto2 check do.
TEST(ChildProgram, BlocksNoSignals) {
  sigset_t all;
  sigset_t former;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &former);
  EXPECT_EQ(shell("kill -TERM $$; exit 7").code, 128 + SIGTERM);
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

/// A program that minds the limit of its files does so by itself.
TEST(ChildProgram, IsEndedForATooLargeFileWhereTheCallerIsNot) {
  const auto former = std::signal(SIGXFSZ, SIG_IGN);
  EXPECT_EQ(shell("kill -XFSZ $$; exit 7").code, 128 + SIGXFSZ);
  std::signal(SIGXFSZ, former);
}

TEST(ChildProgram, IsKilledWithItsChildrenWhenItsTimeIsUp) {
  const ChildResult result = shell("sleep 600 & echo $!; wait", Catch::output_and_errors, 2);
  EXPECT_TRUE(result.timed_out);
  EXPECT_GE(result.seconds, 2);
  EXPECT_LT(result.seconds, 60);
  EXPECT_TRUE(ends(result.text));
}

TEST(ChildProgram, EndsAlthoughAChildKeepsTheOutputOpen) {
  const ChildResult result = shell("sleep 600 & echo $!");
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(ends(result.text));
}

TEST(ChildProgram, TimeGoesOnAfterTheOutputIsClosed) {
  EXPECT_TRUE(shell("exec >&- 2>&-; sleep 600", Catch::output_and_errors, 0.2).timed_out);
}

/// Several writers refill the pipe as fast as it is emptied.
TEST(ChildProgram, TimeGoesOnWhileItPrintsWithoutEnd) {
  const ChildResult result = shell("yes & yes & yes & exec yes", Catch::output_and_errors, 1);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.code, 128 + SIGKILL);
  EXPECT_GE(result.seconds, 1);
  EXPECT_LT(result.seconds, 20);
  EXPECT_TRUE(result.text.starts_with("y\ny\n"));
}

TEST(ChildProgram, IsKilledWithItsChildrenWhenAStopIsRequested) {
  // Once somebody has opened the pipe to write, the child has one of its own.
  std::string name = std::filesystem::temp_directory_path() / "child_program.XXXXXX";
  const std::string folder = mkdtemp(name.data());
  const std::string pipe = folder + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::stop_source source;
  std::thread stopper([&] {
    std::ifstream(pipe).get();
    source.request_stop();
  });
  const ChildResult result =
      run_child({"/bin/sh", "-c", "sleep 600 & echo $!; echo >" + pipe + "; wait"},
                Catch::output_and_errors, 60, source.get_token());
  stopper.join();
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.code, 128 + SIGKILL);
  EXPECT_TRUE(ends(result.text));
}

TEST(ChildProgram, ThatDoesNotExistEndsWithCode127) {
  const ChildResult result = run_child({"/no/such/program"}, Catch::output_and_errors, 60, {});
  EXPECT_EQ(result.code, 127);
  EXPECT_EQ(result.text, "");
}

}  // namespace
}  // namespace pto2::scenarios

// The line on the terminal that says how far a run is.
#include "runtime/cli/progress.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "tests/cli/program.hpp"

namespace pto2::cli {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// What it takes to show a line, and a little more.
constexpr auto long_enough = std::chrono::milliseconds(2600);

/// A terminal that stands in for stderr as long as it lives.
class Terminal {
 public:
  Terminal() : stderr_(dup(STDERR_FILENO)), ours_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    if (ours_ < 0 || grantpt(ours_) != 0 || unlockpt(ours_) != 0) {
      throw std::runtime_error("cannot make a terminal");
    }
    const int theirs = open(ptsname(ours_), O_RDWR | O_NOCTTY);
    if (theirs < 0) throw std::runtime_error("cannot open a terminal");
    std::fflush(stderr);
    dup2(theirs, STDERR_FILENO);
    close(theirs);
  }
  ~Terminal() {
    std::fflush(stderr);
    dup2(stderr_, STDERR_FILENO);
    close(stderr_);
    close(ours_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// All that was printed up to now. Call it once.
  std::string text() const {
    const std::string end = "(end)";
    std::fputs(end.c_str(), stderr);
    std::fflush(stderr);
    std::string all;
    const bool ended = test::eventually([&] {
      char some[256];
      const ssize_t got = read(ours_, some, sizeof some);
      if (got > 0) all.append(some, static_cast<std::size_t>(got));
      return all.ends_with(end);
    });
    EXPECT_TRUE(ended) << all;
    return ended ? all.substr(0, all.size() - end.size()) : all;
  }

 private:
  int stderr_;
  int ours_;
};

TEST(Progress, OfShortWorkShowsNothing) {
  const Terminal terminal;
  ASSERT_EQ(isatty(STDERR_FILENO), 1);
  const auto begin = std::chrono::steady_clock::now();
  {
    Progress progress(true);
    progress.step("running", 1, 3);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  EXPECT_EQ(terminal.text(), "");
}

TEST(Progress, OfLongWorkIsALineThatIsTakenAway) {
  const Terminal terminal;
  {
    Progress progress(true);
    progress.step("running", 1, 3);
    std::this_thread::sleep_for(long_enough);
  }
  EXPECT_THAT(terminal.text(),
              AllOf(StartsWith("\rrunning, "), HasSubstr(", 1 of 3, "), EndsWith("\r\033[K")));
}

TEST(Progress, ThatIsNotWantedShowsNothing) {
  const Terminal terminal;
  {
    Progress progress(false);
    progress.step("running", 1, 3);
    std::this_thread::sleep_for(long_enough);
  }
  EXPECT_EQ(terminal.text(), "");
}

}  // namespace
}  // namespace pto2::cli

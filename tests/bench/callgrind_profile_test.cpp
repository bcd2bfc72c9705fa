#include "bench/callgrind_profile.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace pto2::bench {
namespace {

Profile profile_of(const std::string& lines, int total) {
  std::istringstream text("version: 1\npositions: line\nevents: Ir\n\n" + lines +
                          "\ntotals: " + std::to_string(total) + "\n");
  return read_profile(text, "/src");
}

/// Also a line that is relative to the one before.
TEST(CallgrindProfile, AddsUpWhatIsInALayer) {
  EXPECT_EQ(profile_of("fl=(1) /src/core/a.hpp\nfn=(1) f\n10 5\n+2 3\n-1 2\n* 1\n"
                       "fl=(2) /src/runtime/run/b.cpp\nfn=(2) g\n7 4\n"
                       "fl=(3) /src/core/c.hpp\nfn=(3) h\n1 20\n",
                       35),
            (Profile{{"core", 31}, {"runtime/run", 4}}));
}

/// The cost behind a call is that of the callee, which has lines of its own.
TEST(CallgrindProfile, CountsACallOnce) {
  EXPECT_EQ(profile_of("fl=(1) /src/core/a.hpp\nfn=(1) f\n10 5\n"
                       "cfi=(2) /src/runtime/run/b.cpp\ncfn=(2) g\ncalls=1 7\n11 4\n12 6\n"
                       "fl=(2)\nfn=(2)\n7 4\n",
                       15),
            (Profile{{"core", 11}, {"runtime/run", 4}}));
}

/// Inlined code is where it was written, if that is in the project; behind it comes the function's
/// own again, as it does with the next function.
TEST(CallgrindProfile, AnInlinedLineBelongsToItsFile) {
  EXPECT_EQ(profile_of("fl=(1) /src/core/a.hpp\nfn=(1) f\n10 1\n"
                       "fi=(3) /usr/include/c++/12/span\n9 100\n"
                       "fi=(2) /src/runtime/run/b.hpp\n3 10\n"
                       "fe=(1)\n11 1000\n"
                       "fi=(2)\n3 10000\nfn=(4) g\n12 100000\n",
                       111111),
            (Profile{{"core", 101101}, {"runtime/run", 10010}}));
}

TEST(CallgrindProfile, WhatNobodyInlinesFromOutsideIsOfLibraries) {
  EXPECT_EQ(profile_of("fl=(1) ./string/memset.S\nfn=(1) memset\n10 5\n"
                       "fl=(2) ???\nfn=(2) 0x1234\n0 2\n"
                       "fl=(3) /srcs/core/a.hpp\nfn=(3) other\n0 1\n",
                       8),
            (Profile{{"libraries", 8}}));
}

TEST(CallgrindProfile, RefusesWhatDoesNotAddUp) {
  EXPECT_THROW((void)profile_of("fl=(1) /src/core/a.hpp\nfn=(1) f\n10 5\n", 6), std::runtime_error);
  EXPECT_THROW((void)profile_of("", 0), std::runtime_error);
}

}  // namespace
}  // namespace pto2::bench

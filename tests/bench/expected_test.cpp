#include "bench/expected.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace pto2::bench {
namespace {

using namespace std::string_literals;

const Expectation expectation{.subject = "test",
                              .file = {},
                              .headings = "graph,part,figure",
                              .decimals = 2,
                              .tolerance = 0.1,
                              .least_tolerance = 0.5};

bool differs(double measured, double expected) {
  return compare({{"part", measured}}, {{"part", expected}}, expectation).at(0).differs;
}

TEST(Expected, AFigureMayBeAPartOfItselfAway) {
  EXPECT_FALSE(differs(109, 100));
  EXPECT_FALSE(differs(91, 100));
  EXPECT_TRUE(differs(111, 100));
  EXPECT_TRUE(differs(89, 100));
}

TEST(Expected, ASmallFigureMayBeALittleAway) {
  EXPECT_FALSE(differs(1.4, 1));
  EXPECT_FALSE(differs(0.6, 1));
  EXPECT_TRUE(differs(1.6, 1));
  EXPECT_TRUE(differs(0.4, 1));
}

/// A part that costs as little as may differ is as good as none.
TEST(Expected, APartIsMissingOrNew) {
  const PerTask measured{{"both", 7}, {"new", 2}, {"little", 0.25}};
  const PerTask expected{{"both", 7}, {"missing", 3}, {"gone", 0.25}};
  std::string found;
  for (const Compared& row : compare(measured, expected, expectation)) {
    std::ostringstream text;
    text << row.part << ' ' << row.figure << ' ' << row.expected << (row.differs ? " differs" : "");
    found += text.str() + '\n';
  }
  EXPECT_EQ(found, "both 7 7\ngone 0 0.25\nlittle 0.25 0\nmissing 0 3 differs\nnew 2 0 differs\n");
}

TEST(Expected, AFileIsReadAsItWasWritten) {
  const Figures figures{{"chain", {{"all", 3.25}, {"core", 3.25}}}, {"stencil", {{"all", 0.5}}}};
  std::stringstream file;
  write_figures(file, figures, expectation);
  EXPECT_EQ(file.str(), "graph,part,figure\nchain,all,3.25\nchain,core,3.25\nstencil,all,0.50\n");
  EXPECT_EQ(read_figures(file), figures);
}

TEST(Expected, RefusesAFigureThatIsNone) {
  for (const char* figure : {"", ",", ",x", ",nan", ",inf", ",1505abc", ",1505,6", ",1505 "}) {
    std::istringstream file(std::string("graph,part,figure\nchain,all") + figure + "\n");
    EXPECT_THROW((void)read_figures(file), std::invalid_argument) << figure;
  }
}

TEST(Expected, RefusesASecondFigureOfAPart) {
  std::istringstream file("graph,part,figure\nchain,all,7\nchain,core,7\nchain,all,7\n");
  EXPECT_THROW((void)read_figures(file), std::invalid_argument);
}

/// What is measured of no task is no number, and none is near another.
TEST(Expected, NoNumberDiffersFromEach) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(differs(none, 1));
  EXPECT_TRUE(differs(std::numeric_limits<double>::infinity(), 1));
}

/// `before` is in the file; what check_figures() returns, and what is there then.
std::pair<int, std::string> checked(const std::string& before, const FigureOptions& options,
                                    double figure = 10) {
  Expectation expected = expectation;
  expected.file = testing::TempDir() + "/pto2-expected-" + std::to_string(getpid());
  std::ofstream(expected.file) << expectation.headings << '\n' << before;
  const Work chain{"chain", [=] { return PerTask{{"all", figure}}; }};
  const int code = check_figures(expected, options, {&chain, 1});
  std::ifstream after(expected.file);
  std::string headings, rest;
  std::getline(std::getline(after, headings), rest, '\0');
  std::filesystem::remove(expected.file);
  return {code, rest};
}

TEST(Expected, MissesAWorkThatIsNoLongerMeasured) {
  EXPECT_EQ(checked("chain,all,10\n", {}).first, 0);
  testing::internal::CaptureStderr();
  const std::string file = "chain,all,10\ngone,all,0.25\n";
  EXPECT_EQ(checked(file, {}), std::pair(1, file));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("gone is no longer measured"),
            std::string::npos);
}

/// Also a file that cannot be read.
TEST(Expected, AnUpdateForgetsWhatWasThere) {
  for (const char* before : {"chain,all,1\ngone,all,7\n", "chain,all,x\n"}) {
    EXPECT_EQ(checked(before, {.rows = {}, .update = true}), std::pair(0, "chain,all,10.00\n"s));
  }
}

TEST(Expected, AnUpdateWritesNumbersAlone) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(checked("chain,all,1\n", {.rows = {}, .update = true}, none),
            std::pair(1, "chain,all,1\n"s));
}

/// Without rows there is no figure: each is new.
TEST(Expected, AnEmptyFileExpectsNothing) {
  std::istringstream file("");
  EXPECT_EQ(read_figures(file), Figures());
}

TEST(Expected, ReadsItsOptions) {
  FigureOptions options;
  EXPECT_TRUE(parse({}, options));
  EXPECT_TRUE(options.rows.empty() && !options.update);
  EXPECT_TRUE(parse({"--update", "--rows", "file"}, options));
  EXPECT_TRUE(options.rows == "file" && options.update);
  EXPECT_FALSE(parse({"--rows"}, options));
  EXPECT_FALSE(parse({"chain"}, options));
}

}  // namespace
}  // namespace pto2::bench

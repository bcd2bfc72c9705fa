#include "bench/expected.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace pto2::bench {
namespace {

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
  std::istringstream file("graph,part,figure\nchain,all\n");
  EXPECT_THROW((void)read_figures(file), std::invalid_argument);
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

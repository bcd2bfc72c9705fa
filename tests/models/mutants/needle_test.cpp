#include "models/mutants/needle.hpp"

#include <gtest/gtest.h>

namespace pto2::mutants {
namespace {

std::vector<std::string> found(std::string_view text, std::string_view needle) {
  std::vector<std::string> places;
  for (const Span& span : LooseText(text).find(needle)) {
    places.emplace_back(text.substr(span.begin, span.end - span.begin));
  }
  return places;
}

using Strings = std::vector<std::string>;

TEST(LooseText, WhiteSpaceCountsOnlyBetweenWords) {
  EXPECT_EQ(found("  f( a,\n     b );", "f(a, b)"), Strings{"f( a,\n     b )"});
  EXPECT_EQ(found("f(a,b);", "f(\n  a,\n  b\n)"), Strings{"f(a,b)"});
  EXPECT_EQ(found("return  x;", "return x"), Strings{"return  x"});
  EXPECT_EQ(found("returnx;", "return x"), Strings{});
  EXPECT_EQ(found("return x;", "returnx"), Strings{});
}

TEST(LooseText, WholeWordsMatch) {
  EXPECT_EQ(found("ab abc ab", "ab").size(), 2U);
  EXPECT_EQ(found("x_a a_x a1", "a").size(), 0U);
  EXPECT_EQ(found("(a+a)", "a").size(), 2U);
  EXPECT_EQ(found("+++", "++").size(), 2U);
  EXPECT_EQ(found("abc", " \n ").size(), 0U);
  EXPECT_EQ(found("", "a").size(), 0U);
}

TEST(LooseText, TheNearestIsTheLineWithMostOfTheNeedle) {
  const std::string text =
      "void f() {\n  count_ += step;\n  other();\n  count_ += size_of(step) + 1;\n}\n";
  const auto like = LooseText(text).nearest("count_ += size_of(stop) + 1;");
  EXPECT_EQ(line_of(text, like.span.begin), 4U);
  EXPECT_GT(like.share, 0.7);
  EXPECT_LT(like.share, 1);
  EXPECT_EQ(LooseText("").nearest("abc").share, 0);
}

std::string difference_of(std::string_view text, std::string_view replacement) {
  const Difference rest = difference(text, {0, text.size()}, replacement);
  return std::string(text.substr(rest.span.begin, rest.span.end - rest.span.begin)) + "|" +
         std::string(rest.replacement);
}

TEST(Difference, LeavesOutTheWordsThatBothBeginAndEndWith) {
  EXPECT_EQ(difference_of("a + b + c", "a + d + c"), " b | d ");
  EXPECT_EQ(difference_of("f(a)", "f(ab)"), "a|ab");
  EXPECT_EQ(difference_of("first second", "fit second"), "first |fit ");
  EXPECT_EQ(difference_of("void f() {", "void f() {\n  g();\n"), "|\n  g();\n");
  EXPECT_EQ(difference_of("f();\ng();", "g();"), "f();\n|");
  EXPECT_EQ(difference_of("a  ,b", "a, b"), "|");
  EXPECT_EQ(difference_of("x", ""), "x|");
  EXPECT_EQ(difference_of("(not a)", "(nota)"), "not a|nota");
  EXPECT_EQ(difference_of("(nota)", "(not a)"), "nota|not a");
}

/// What is written between quotes is not broken or indented.
TEST(Difference, KeepsTheBlanksOfStrings) {
  EXPECT_EQ(difference_of(R"(f("core ", x))", R"(f("core", x))"), " |");
  EXPECT_EQ(difference_of(R"(f("core", x))", R"(f("core ", x))"), "| ");
  EXPECT_EQ(difference_of(R"(f("a b", x))", R"(f("a  b",  x))"), "| ");
  EXPECT_EQ(difference_of(R"(f("a \" b",  x))", R"(f("a \"  b", x))"), "| ");
  EXPECT_EQ(difference_of(R"(f("a",  x))", R"(f("a", x))"), "|");
}

TEST(Difference, KeepsWhatRepeatsItself) {
  // The common end must not take what the common beginning has.
  EXPECT_EQ(difference_of("g();", "g(); g();"), "| g();");
  EXPECT_EQ(difference_of("g(); g();", "g();"), " g();|");
}

TEST(LineOf, CountsFromOne) {
  EXPECT_EQ(line_of("a\nb\n", 0), 1U);
  EXPECT_EQ(line_of("a\nb\n", 2), 2U);
}

}  // namespace
}  // namespace pto2::mutants

#include "models/mutants/source_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace pto2::source {
namespace {

using Lines = std::vector<std::pair<std::size_t, std::size_t>>;

Lines function_lines(std::string_view text) {
  Lines lines;
  for (const Function& f : find_functions(text)) lines.emplace_back(f.first_line, f.last_line);
  return lines;
}

TEST(WithoutCommentsAndLiterals, BlanksThemAndKeepsOffsets) {
  EXPECT_EQ(without_comments_and_literals("a // b\nc"), "a     \nc");
  EXPECT_EQ(without_comments_and_literals("a /* b\n*/ c"), "a     \n   c");
  EXPECT_EQ(without_comments_and_literals("f(\"x\\\"y\", 'z')"), "f(\"    \", ' ')");
  EXPECT_EQ(without_comments_and_literals("R\"x(a)\"b)x\" + c"),
            "           "
            " + c");
}

TEST(WithoutCommentsAndLiterals, KeepsIncludesAndDigitSeparators) {
  const std::string text = "#include \"core/a.hpp\"\nint n = 1'000 + f('a');";
  EXPECT_EQ(without_comments_and_literals(text),
            "#include \"core/a.hpp\"\nint n = 1'000 + f(' ');");
}

TEST(WithoutCommentsAndLiterals, KeepsIncludesWhereverTheyStand) {
  for (const std::string text : {"f();\n# include \"a.hpp\"", "  #include \"a.hpp\"",
                                 "\t#\tinclude\"a.hpp\"", "#include \"a.hpp\"\n"}) {
    EXPECT_EQ(without_comments_and_literals(text), text);
  }
  EXPECT_EQ(without_comments_and_literals("/* x */ #include \"a.hpp\""),
            "        #include \"a.hpp\"");
  for (const std::string before : {"x #include ", "//\n#define include ", "# \ninclude "}) {
    EXPECT_EQ(without_comments_and_literals(before + "\"a\"").back(), '"');
    EXPECT_EQ(without_comments_and_literals(before + "\"a\"").find('a'), std::string::npos)
        << before;
  }
}

TEST(WithoutCommentsAndLiterals, SurvivesUnterminatedOnes) {
  for (const std::string text : {"a /* b", "a \"b", "a 'b", "R\"(b", "R\"b", "a \"b\\"}) {
    EXPECT_EQ(without_comments_and_literals(text).size(), text.size()) << text;
  }
}

TEST(FindFunctions, FreeFunctionsMembersAndTests) {
  const std::string text =
      "namespace a {\n"
      "struct B {\n"
      " public:\n"
      "  void f() const {\n"
      "    if (x) {\n"
      "    }\n"
      "  }\n"
      "  int member{0};\n"
      "};\n"
      "TEST(A, B) { EXPECT_EQ(1, 1); }\n"
      "}\n";
  EXPECT_EQ(function_lines(text), (Lines{{4, 7}, {10, 10}}));
}

TEST(FindFunctions, TemplatesWithAttributesAndRequirements) {
  const std::string text =
      "template <class T>\n"
      "  requires(sizeof(T) > 4)\n"
      "class alignas(64) [[nodiscard]] C : public Base<T> {\n"
      "  template <class U>\n"
      "  auto f(U u) -> int {\n"
      "    return 1;\n"
      "  }\n"
      "};\n";
  EXPECT_EQ(function_lines(text), (Lines{{4, 7}}));
}

TEST(FindFunctions, ConstructorListsWithBraces) {
  const std::string text =
      "C::C(int a)\n"
      "    : a_{a},\n"
      "      b_(b), c_<int>{} {\n"
      "  run();\n"
      "}\n"
      "void after() {\n"
      "}\n";
  EXPECT_EQ(function_lines(text), (Lines{{1, 5}, {6, 7}}));
}

TEST(FindFunctions, TablesEnumerationsAndMacrosAreNone) {
  const std::string text =
      "enum class E { a, b };\n"
      "const std::vector<int> table{\n"
      "    1,\n"
      "};\n"
      "const auto list = {f(1), g(2)};\n"
      "#define OPEN(x) \\\n"
      "  do { x\n"
      "void f() { const char brace = '{'; g(\"}\"); }\n";
  EXPECT_EQ(function_lines(text), (Lines{{8, 8}}));
}

TEST(SplitLines, KeepsEmptyLinesButNotAnEndAfterTheLastNewline) {
  EXPECT_EQ(split_lines("a\n\nb\n"), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_TRUE(split_lines("").empty());
}

}  // namespace
}  // namespace pto2::source

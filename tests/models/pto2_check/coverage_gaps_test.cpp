// What models/pto2_check/coverage_gaps tells of programs with counters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Outcome run_on(const Strings& counters) {
  return run_program(PTO2_SOURCE "/models/pto2_check/coverage_gaps", counters);
}

/// Of the program of these sources in a folder, when it has run once; in whatever order they come.
Outcome gaps_of(const TemporaryFolder& folder, const std::string& names) {
  const Outcome built = run_program(
      "/bin/sh", {"-c", "cd '" + folder.path() + "' && rm -f *.gc* && for name in " + names +
                            "; do g++ -std=c++20 -I. --coverage -c $name.cpp || exit; done && " +
                            "g++ --coverage *.o -o run && ./run"});
  EXPECT_EQ(built.code, 0) << built.err;
  Strings counters;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() == ".gcda") counters.push_back(entry.path());
  }
  std::ranges::sort(counters);
  const Outcome found = run_on(counters);
  std::ranges::reverse(counters);
  EXPECT_EQ(run_on(counters).out, found.out);
  return found;
}

/// A program of two sources, each of which has an instance of its own of what core/piece.hpp
/// defines, and calls use(argument) of it.
class Counted {
 public:
  explicit Counted(const std::string& piece) {
    std::filesystem::create_directory(folder_.path("core"));
    folder_.file("core/piece.hpp", piece);
  }

  /// Runs it with an argument for each source.
  Outcome gaps(int first, int second) const {
    const std::string begin = "#include \"core/piece.hpp\"\n";
    const auto call = [](const std::string& type, int argument) {
      return "use<" + type + ">(" + std::to_string(argument) + ")";
    };
    folder_.file("a.cpp", begin + "void other() { " + call("long", second) + "; }\n");
    folder_.file("b.cpp",
                 begin + "void other();\nint main() { " + call("int", first) + "; other(); }\n");
    return gaps_of(folder_, "a b");
  }

 private:
  TemporaryFolder folder_;
};

TEST(CoverageGaps, AnArmOfTheLastFunctionIsMissed) {
  const Counted program(
      "#pragma once\n"
      "template <class T>\n"
      "bool use(T n) {\n"
      "  if (n > 1) return false;\n"
      "  return true; }\n");
  const Outcome one = program.gaps(0, 0);
  EXPECT_EQ(one.code, 1);
  EXPECT_THAT(one.out, AllOf(HasSubstr("core/piece.hpp:4 branch 0: not taken:   if (n > 1) return"),
                             HasSubstr("core: 3 of 3 lines, 1 of 2 branches\n")));
  const Outcome both = program.gaps(0, 2);
  EXPECT_EQ(both.code, 0) << "what another instance reaches counts: " << both.out;
  EXPECT_EQ(both.out, "core: 3 of 3 lines, 2 of 2 branches\n");
}

TEST(CoverageGaps, AnExceptionNeedNotBeThrown) {
  const Counted program(
      "#pragma once\n"
      "#include <string>\n"
      "template <class T>\n"
      "int use(T n) {\n"
      "  const std::string text(n, 'x');\n"
      "  const std::string other(n, 'y');\n"
      "  return text.size() + other.size();\n"
      "}\n");
  const Outcome gaps = program.gaps(1, 2);
  EXPECT_EQ(gaps.code, 0) << gaps.out;
}

TEST(CoverageGaps, AnArmIsKnownInInstancesThatMayThrowAndThatDoNot) {
  const Counted program(
      "#pragma once\n"
      "inline int (*step)(int) = [](int n) { return n + 1; };\n"
      "template <class T>\n"
      "int next(T n) noexcept(sizeof(T) == 4) {\n"
      "  return step(n);\n"
      "}\n"
      "struct Local {\n"
      "  ~Local() {}\n"
      "};\n"
      "template <class T>\n"
      "bool use(T n) {\n"
      "  const Local local;\n"
      "  if (next(n) > 1) return false;\n"
      "  return true; }\n");
  const Outcome gaps = program.gaps(0, 1);
  EXPECT_EQ(gaps.code, 0) << gaps.out;
}

TEST(CoverageGaps, TheCompilersOwnAtAClosingBraceIsExempt) {
  const Counted program(
      "#pragma once\n"
      "inline void (*leave)() = [] {};\n"
      "struct Local {\n"
      "  ~Local() noexcept(false) { leave(); }\n"
      "};\n"
      "struct Value {\n"
      "  ~Value() {}\n"
      "  int n;\n"
      "};\n"
      "inline Value made(int n) {\n"
      "  const Local local;\n"
      "  return Value{n};\n"
      "}\n"
      "template <class T>\n"
      "int use(T n) {\n"
      "  return made(n).n;\n"
      "}\n");
  const Outcome gaps = program.gaps(1, 2);
  EXPECT_EQ(gaps.code, 0) << gaps.out;
}

TEST(CoverageGaps, AnInvariantIsExemptAndNothingBehindIt) {
  const Counted program(
      "#pragma once\n"
      "#define PTO2_INVARIANT(id, holds) if (!(holds)) __builtin_trap()\n"
      "struct Piece {\n"
      "  bool invariant_holds() const { return value == 0 || value == 1; }\n"
      "  bool is_large() const { return value > 7 || value < -7; }\n"
      "  int value;\n"
      "};\n"
      "template <class T>\n"
      "bool use(T n) {\n"
      "  const Piece piece{n};\n"
      "  PTO2_INVARIANT(\"P-I1\", piece.invariant_holds());\n"
      "  return piece.is_large();\n"
      "}\n");
  const Outcome gaps = program.gaps(0, 0);
  EXPECT_EQ(gaps.code, 1);
  EXPECT_THAT(gaps.out, AllOf(HasSubstr("core/piece.hpp:5 branch "), Not(HasSubstr("piece.hpp:4")),
                              Not(HasSubstr("piece.hpp:11"))));
}

TEST(CoverageGaps, ALineIsMissed) {
  const Counted program(
      "#pragma once\n"
      "template <class T>\n"
      "void unused(T) {\n"
      "}\n"
      "inline void rest() {\n"
      "  unused(1);\n"
      "}\n"
      "template <class T>\n"
      "void use(T n) {\n"
      "  if (n != 0) rest();\n"
      "}\n");
  const Outcome gaps = program.gaps(0, 0);
  EXPECT_EQ(gaps.code, 1);
  EXPECT_THAT(gaps.out, HasSubstr("core/piece.hpp:6: not reached:   unused(1);\n"));
  EXPECT_EQ(program.gaps(0, 1).code, 0);
}

TEST(CoverageGaps, WithoutCountersNothingIsKnown) {
  const Outcome none = run_on({"none.gcda"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("gcov ends with "));
  const TemporaryFolder folder;
  folder.file("a.cpp", "int main() {}\n");
  const Outcome other = gaps_of(folder, "a");
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("there are no counters of core/ here"));
}

}  // namespace
}  // namespace pto2::test

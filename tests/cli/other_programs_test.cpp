#include "runtime/cli/other_programs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pto2::cli {
namespace {

/// The program that has the command; empty if it is this one, or nobody's.
std::string program(const char* command, std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  const char* const found = program_of(command, pointers);
  return found == nullptr ? "" : found;
}

TEST(OtherPrograms, HaveCommandsOfTheirOwn) {
  EXPECT_EQ(program("check", {"simulate/x"}), "pto2-check");
  EXPECT_EQ(program("simulate", {"check/x"}), "pto2-simulate");
  EXPECT_EQ(program("stress", {}), "pto2-stress");
  EXPECT_EQ(program("run", {"simulate/x"}), "");
  EXPECT_EQ(program("nosuch", {}), "");
}

TEST(OtherPrograms, RepeatTheTokensThatTheyHaveMade) {
  EXPECT_EQ(program("replay", {"check/x@p"}), "pto2-check");
  EXPECT_EQ(program("replay", {"simulate/x@p", "--help"}), "pto2-simulate");
  EXPECT_EQ(program("replay", {"--trace", "-", "simulate/x"}), "pto2-simulate");
  EXPECT_EQ(program("replay", {"--help"}), "pto2-check") << "any will do";
}

TEST(OtherPrograms, AreNotChosenByTheNameOfATrace) {
  EXPECT_EQ(program("replay", {"--trace", "simulate/x", "check/x@p"}), "pto2-check");
  EXPECT_EQ(program("replay", {"simulate/x@p", "--trace", "check/x"}), "pto2-simulate");
  EXPECT_EQ(program("replay", {"--trace", "check/x", "simulate/x@p"}), "pto2-simulate");
  EXPECT_EQ(program("replay", {"x", "--trace"}), "pto2-check");
}

}  // namespace
}  // namespace pto2::cli

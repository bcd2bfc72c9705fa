/// The list of rules, and the page that shows it.
#include "runtime/judge/rule_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace pto2::test {
namespace {

using judging::Rule;

TEST(RuleTable, NumbersTheRules) {
  int number = 0;
  for (const Rule& rule : judging::rule_table()) {
    EXPECT_EQ(rule.id, "VR-I" + std::to_string(++number));
    EXPECT_EQ(&judging::rule_called(rule.id), &rule);
  }
  EXPECT_THROW(static_cast<void>(judging::rule_called("no rule")), std::logic_error);
}

TEST(RuleTable, StandsInTheDocumentation) {
  std::stringstream text;
  text << std::ifstream(PTO2_SOURCE_DIR "/docs/VALIDATE.md").rdbuf();
  for (const Rule& rule : judging::rule_table()) {
    const std::string line = std::string("\n| ") + rule.id + " | " +
                             judging::strength_name(rule.strength) + " | " + rule.sentence + " |\n";
    EXPECT_THAT(text.str(), testing::HasSubstr(line)) << "in docs/VALIDATE.md";
  }
}

}  // namespace
}  // namespace pto2::test

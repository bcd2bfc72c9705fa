// Every litmus program: its count, its outcomes, and for what it is about, that it never happens.
#include "models/litmus/table.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "models/litmus/program.hpp"
#include "tests/models/checker/brute_force.hpp"

namespace pto2::model::litmus {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::vector<std::string>> outcomes(std::string_view text) {
  std::vector<std::vector<std::string>> result;
  std::istringstream stream{std::string(text)};
  for (std::string one; std::getline(stream, one, ',');) result.push_back(words(one));
  return result;
}

std::vector<std::string> in_words(const Outcome& outcome, int locations) {
  std::vector<std::string> result;
  for (const int value : outcome) result.push_back(std::to_string(value));
  result.insert(result.end() - locations, "/");
  return result;
}

bool matches(const std::vector<std::string>& pattern, const std::vector<std::string>& outcome) {
  if (pattern.size() != outcome.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != "?" && pattern[i] != outcome[i]) return false;
  }
  return true;
}

class Litmus : public testing::TestWithParam<Entry> {};

TEST_P(Litmus, counts_and_outcomes) {
  const Entry& entry = GetParam();
  const Program program = Program::parse(entry.program);
  const Executions found = by_checker(program);
  EXPECT_EQ(found.count, entry.executions) << program.to_string();
  EXPECT_EQ(found, by_brute_force(program)) << program.to_string();
  std::set<std::vector<std::string>> seen;
  for (const Outcome& outcome : found.outcomes) seen.insert(in_words(outcome, program.locations));
  std::set<std::vector<std::string>> allowed;
  for (const auto& outcome : outcomes(entry.allowed)) allowed.insert(outcome);
  EXPECT_EQ(seen, allowed) << program.to_string();
  for (const auto& forbidden : outcomes(entry.forbidden)) {
    for (const auto& outcome : seen) {
      EXPECT_FALSE(matches(forbidden, outcome)) << program.to_string();
      EXPECT_EQ(forbidden.size(), outcome.size()) << "the pattern does not fit the program";
    }
  }
}

std::string name_of(const testing::TestParamInfo<Entry>& info) {
  std::string name(info.param.name);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(classics, Litmus, testing::ValuesIn(classics()), name_of);
INSTANTIATE_TEST_SUITE_P(coherence, Litmus, testing::ValuesIn(coherence()), name_of);
INSTANTIATE_TEST_SUITE_P(updates, Litmus, testing::ValuesIn(updates()), name_of);
INSTANTIATE_TEST_SUITE_P(sequential_consistency, Litmus,
                         testing::ValuesIn(sequential_consistency()), name_of);

TEST(Litmus, at_least_120_programs) {
  EXPECT_GE(
      classics().size() + coherence().size() + updates().size() + sequential_consistency().size(),
      120u);
}

TEST(Litmus, unreadable_programs_are_refused) {
  for (const char* text : {"x", "x=1", "x=1.foo", "w=1.rlx", "x!1.rlx", "x=a.rlx", "x?1.rlx"}) {
    EXPECT_THROW(Program::parse(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace pto2::model::litmus

// docs/RESULT.md has every field of a result.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "tests/cli/program.hpp"

namespace pto2::test {
namespace {

std::set<std::string> documented() {
  std::ifstream file(std::string(PTO2_SOURCE) + "/docs/RESULT.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> fields;
  std::size_t end = 0;
  for (std::size_t begin = text.find('`'); begin != std::string::npos;
       begin = text.find('`', end + 1)) {
    end = text.find('`', begin + 1);
    if (end == std::string::npos) break;
    fields.insert(text.substr(begin + 1, end - begin - 1));
  }
  return fields;
}

void expect_documented(const nlohmann::json& object) {
  static const std::set<std::string> fields = documented();
  ASSERT_FALSE(object.empty());
  for (const auto& [field, value] : object.items()) {
    EXPECT_TRUE(fields.contains(field)) << field;
  }
}

TEST(Result, FieldsAreDocumented) {
  expect_documented(pto2({"run", "vector_example", "--json", "-"}).json());
  const auto fault = pto2({"run", "deadlock", "--case", "window", "--json", "-"}).json();
  expect_documented(fault);
  expect_documented(fault["error"]);
  expect_documented(fault["tasks_by_state"]);
  expect_documented(pto2({"run", "vector_example", "--all", "--json", "-"}).json());
}

TEST(Result, OfABlockTaskCountsItsPartsAndItsLoans) {
  const auto result =
      pto2({"run", "block_incore", "--case", "block_task", "--executor", "seeded", "--json", "-"})
          .json();
  EXPECT_EQ(result["tasks"], 2);
  EXPECT_EQ(result["dispatches"], 48);
  EXPECT_GE(result["loans"], 2);
  EXPECT_EQ(result["acks"], 48);
  EXPECT_EQ(result["fins"], 48);
}

}  // namespace
}  // namespace pto2::test

/// The table of outcomes, and the page that shows it.
#include "runtime/record/outcome.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace pto2::test {
namespace {

TEST(OutcomeTable, HasEachCodeOnceInItsPlace) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < outcome_table().size(); ++i) {
    const OutcomeRow& row = outcome_table()[i];
    EXPECT_EQ(static_cast<std::size_t>(row.code), i);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(outcome_called(row.name), &row);
    EXPECT_STREQ(error_name(row.code), row.name);
    EXPECT_EQ(row.cause == Cause::deadlock, row.resource.has_value()) << row.name;
    EXPECT_EQ(row.cause == Cause::none, std::string(row.hint).empty()) << row.name;
  }
  EXPECT_EQ(outcome_called("unknown"), nullptr);
}

/// All others need not have run their tasks.
TEST(OutcomeTable, NamesTheEndsAfterAllTasks) {
  std::set<std::string> ends;
  for (const OutcomeRow& row : outcome_table()) {
    if (!row.ends_early) ends.insert(row.name);
  }
  EXPECT_EQ(ends, (std::set<std::string>{"ok", "not_drained", "wrong_thread"}));
}

TEST(OutcomeTable, NamesTheEndsOfProcesses) {
  std::set<std::string> ends;
  for (const OutcomeRow& row : outcome_table()) {
    if (!row.leaves_trace) ends.insert(row.name);
  }
  EXPECT_EQ(ends, (std::set<std::string>{"crashed", "exited", "runtime_crashed", "killed"}));
}

TEST(OutcomeTable, HasOneDeadlockPerResource) {
  for (uint32_t i = 0; i < resources; ++i) {
    const auto resource = static_cast<Resource>(i);
    EXPECT_EQ(row_of(deadlock_code(resource)).resource, resource);
    EXPECT_EQ(std::ranges::count(outcome_table(), resource, &OutcomeRow::resource), 1);
  }
}

/// Neither the end of a right run, nor that of a broken runtime or chip, nor one by a signal is
/// anybody's fault.
TEST(OutcomeTable, NamesTheFaults) {
  const std::vector<std::string> faults = fault_names();
  EXPECT_EQ(faults.size() + 6, outcome_table().size());
  EXPECT_THAT(faults, testing::Not(testing::Contains("ok")));
  EXPECT_THAT(faults, testing::Not(testing::Contains("not_drained")));
  EXPECT_THAT(faults, testing::Not(testing::Contains("core_lost")));
  EXPECT_THAT(faults, testing::Not(testing::Contains("runtime_crashed")));
  EXPECT_THAT(faults, testing::Not(testing::Contains("killed")));
  EXPECT_TRUE(is_kernel_fault(ErrorCode::not_a_pipe));
  EXPECT_TRUE(is_kernel_fault(ErrorCode::core_lost)) << "its scheduler finds it";
  EXPECT_FALSE(is_kernel_fault(ErrorCode::bad_submission));
}

const char* name_of(Cause cause) {
  static constexpr const char* names[] = {"none",    "deadlock", "call", "kernel",
                                          "runtime", "caller",   "chip"};
  return names[static_cast<std::size_t>(cause)];
}

TEST(OutcomeTable, StandsInTheDocumentation) {
  std::stringstream text;
  text << std::ifstream(PTO2_SOURCE_DIR "/docs/TRACE.md").rdbuf();
  for (const OutcomeRow& row : outcome_table()) {
    const std::string line = "| `" + std::string(row.name) + "` | " + name_of(row.cause) + " | " +
                             row.meaning + " | " + (row.cause == Cause::none ? "-" : row.hint) +
                             " |";
    EXPECT_THAT(text.str(), testing::HasSubstr("\n" + line + "\n")) << "in docs/TRACE.md";
  }
}

}  // namespace
}  // namespace pto2::test

/// The table of events, and the page that shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "runtime/record/counts.hpp"
#include "runtime/record/event.hpp"

namespace pto2::test {
namespace {

TEST(EventTable, HasEachKindOnceInItsPlace) {
  std::set<std::string> names;
  for (uint32_t i = 0; i < event_kinds; ++i) {
    const EventRow& row = event_table()[i];
    EXPECT_EQ(static_cast<uint32_t>(row.kind), i);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(event_kind(row.name), row.kind);
  }
  EXPECT_EQ(event_kind("end"), std::nullopt);
}

TEST(EventTable, FieldsOfOnePlaceStandInNoKindTogether) {
  for (const EventRow& row : event_table()) {
    int places = 0;
    for (const EventField field : row.fields) {
      places += field == EventField::type || field == EventField::core ||
                        field == EventField::cluster || field == EventField::depth ||
                        field == EventField::use || field == EventField::left
                    ? 1
                    : 0;
    }
    EXPECT_LE(places, 1) << row.name;
  }
}

TEST(EventTable, KnowsEachFieldOfAKind) {
  const EventRow& join = row_of(EventKind::join);
  for (const EventField field : join.fields) EXPECT_TRUE(join.has(field));
  EXPECT_FALSE(join.has(EventField::scope));
  EXPECT_TRUE(is_of_a_task(EventKind::join));
  EXPECT_FALSE(is_of_a_task(EventKind::close));
}

TEST(Roles, AreTold) {
  const Roles two = Role::orchestrator | Role::core;
  EXPECT_TRUE(two.has(Role::orchestrator));
  EXPECT_FALSE(two.has(Role::scheduler));
  EXPECT_TRUE(two.has(Role::core));
}

const EventFieldRow& row_of(EventField field) {
  return *std::ranges::find(event_field_table(), field, &EventFieldRow::field);
}

std::string threads_of(const EventRow& row) {
  std::string threads;
  const auto add = [&](Role role, const char* name) {
    if (row.recorded_by.has(role)) threads += (threads.empty() ? "" : ", ") + std::string(name);
  };
  add(Role::orchestrator, "orchestrator");
  add(Role::scheduler, "scheduler");
  add(Role::core, "core");
  return threads;
}

/// The tables of docs/TRACE.md, line by line.
std::vector<std::string> document() {
  std::vector<std::string> lines;
  for (const EventRow& row : event_table()) {
    std::string fields;
    for (const EventField field : row.fields) {
      if (field == EventField::none) continue;
      fields += (fields.empty() ? "" : ", ") + std::string(row_of(field).names);
    }
    lines.push_back("| `" + std::string(row.name) + "` | " + threads_of(row) + " | " + fields +
                    " | " + row.when + " |");
  }
  for (const EventFieldRow& row : event_field_table()) {
    lines.push_back("| " + std::string(row.names) + " | " + row.meaning + " |");
  }
  for (const CountRow& row : count_table()) {
    lines.push_back("| `" + std::string(row.name) + "` | " + row.meaning + " |");
  }
  return lines;
}

TEST(EventTable, StandsInTheDocumentation) {
  std::stringstream text;
  text << std::ifstream(PTO2_SOURCE_DIR "/docs/TRACE.md").rdbuf();
  for (const std::string& line : document()) {
    EXPECT_THAT(text.str(), testing::HasSubstr("\n" + line + "\n")) << "in docs/TRACE.md";
  }
}

}  // namespace
}  // namespace pto2::test

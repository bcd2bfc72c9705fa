/// A record is what its file says: random graphs, written and read again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/record/trace_reader.hpp"
#include "runtime/record/trace_writer.hpp"
#include "stress/graphs/trial.hpp"

namespace pto2::graphs {
namespace {

std::string text_of(const Record& record) {
  std::string text;
  write_trace(record, [&](std::string_view part) { text += part; });
  return text;
}

TEST(RoundTrip, ARecordIsWhatItsFileSays) {
  std::array<uint64_t, event_kinds> seen{};
  for (uint64_t number = 0; number < 200; ++number) {
    const Trial trial(number, Mistakes::sometimes, Graphs::clustered);
    std::vector<std::string> problems;
    RunResult result;
    trial.run(ExecutorKind::seeded, number, problems, nullptr, &result);
    ASSERT_THAT(problems, testing::IsEmpty()) << number;
    Record& record = result.record;
    record.labels = {{"workload", "none"}, {"executor", "seeded"}};
    record.kernels = {"a", "", "c"};
    record.seed = number;
    const std::string text = text_of(record);
    const Record again = read_trace_text(text);
    ASSERT_EQ(again, record) << number;
    ASSERT_EQ(text_of(again), text) << number;
    for (const Event& event : record.events) ++seen[static_cast<std::size_t>(event.kind)];
  }
  for (uint32_t kind = 0; kind < event_kinds; ++kind) {
    EXPECT_NE(seen[kind], 0U) << event_name(static_cast<EventKind>(kind));
  }
}

/// Every number of a header comes back.
TEST(RoundTrip, ARecordHasItsOutcome) {
  Record record;
  const Trial trial(3, Mistakes::sometimes, Graphs::plain);
  std::vector<std::string> problems;
  RunResult result;
  trial.run(ExecutorKind::random, 3, problems, nullptr, &result);
  record = result.record;
  EXPECT_TRUE(record.manner.weak_memory);
  record.manner.kernels_last = true;
  record.manner.replayed = true;
  record.message = "FATAL:\n\"why\"";
  record.hint = "more";
  record.damaged = {"ring 0", "life cycle"};
  uint64_t number = 1;
  for (const CountRow& row : count_table()) (*record.counts).*row.member = number++;
  EXPECT_EQ(read_trace_text(text_of(record)), record);
}

}  // namespace
}  // namespace pto2::graphs

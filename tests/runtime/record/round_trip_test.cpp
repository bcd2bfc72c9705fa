/// A record is what its file says: random graphs, written and read again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "runtime/judge/judge.hpp"
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

/// A clock that steps back, and goes on from there: the judge has it from the file, too.
TEST(RoundTrip, ARecordMayHaveAClockThatStepsBack) {
  const Trial trial(3, Mistakes::sometimes, Graphs::plain);
  std::vector<std::string> problems;
  RunResult result;
  trial.run(ExecutorKind::seeded, 3, problems, nullptr, &result);
  Record& record = result.record;
  std::size_t stepped = 0;
  for (std::size_t i = 0; i + 2 < record.events.size() && stepped == 0; ++i) {
    const std::span<Event> events(record.events.data() + i, 3);
    const uint64_t latest = events[0].t;
    const bool is_of_one =
        events[1].thread == events[0].thread && events[2].thread == events[0].thread;
    if (!is_of_one || latest < 2) continue;
    for (const std::size_t back : {1, 2}) {
      events[back].before = events[back - 1].t;
      events[back].t = latest - 3 + back;
    }
    stepped = i + 1;
  }
  ASSERT_NE(stepped, 0U);
  const Record again = read_trace_text(text_of(record));
  EXPECT_THAT(judging::problems_of(again), testing::Contains(testing::HasSubstr("VR-I3: ")));
  EXPECT_EQ(judging::problems_of(again), judging::problems_of(record));
}

}  // namespace
}  // namespace pto2::graphs

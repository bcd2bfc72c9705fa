#include "runtime/events/merged_logs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pto2::test {
namespace {

using Times = std::vector<std::vector<uint64_t>>;

/// The times and logs of all events, as they are merged. In each log the parts count up.
std::vector<std::pair<uint64_t, uint32_t>> merged(const Times& times) {
  std::vector<EventLog> logs;
  for (const std::vector<uint64_t>& of_log : times) {
    EventLog& log = logs.emplace_back("a thread", of_log.size() + 1);
    for (const uint64_t t : of_log) {
      log.record({.t = t, .part = static_cast<uint32_t>(log.events().size())});
    }
  }
  std::vector<const EventLog*> pointers;
  for (const EventLog& log : logs) pointers.push_back(&log);
  std::vector<std::pair<uint64_t, uint32_t>> found;
  std::vector<uint32_t> parts(logs.size());
  for (MergedLogs merged(pointers); !merged.empty(); merged.pop()) {
    EXPECT_EQ(merged.front().part, parts[merged.log()]++);
    found.emplace_back(merged.front().t, merged.log());
  }
  return found;
}

/// By time and log.
std::vector<std::pair<uint64_t, uint32_t>> sorted(const Times& times) {
  std::vector<std::pair<uint64_t, uint32_t>> all;
  for (uint32_t log = 0; log < times.size(); ++log) {
    for (const uint64_t t : times[log]) all.emplace_back(t, log);
  }
  std::ranges::sort(all);
  return all;
}

TEST(MergedLogs, OfNoLogsThereIsNothing) {
  EXPECT_TRUE(merged({}).empty());
  EXPECT_TRUE(merged({{}, {}}).empty());
}

TEST(MergedLogs, EventsOfOneTimeComeInTheOrderOfTheirLogs) {
  const Times times{{5, 5}, {}, {4, 5}, {5}, {5, 5}};
  EXPECT_EQ(merged(times), sorted(times));
}

TEST(MergedLogs, AreByTimeHoweverManyTheyAre) {
  std::mt19937 random(1);
  for (uint32_t logs = 1; logs < 40; ++logs) {
    Times times(logs);
    for (std::vector<uint64_t>& of_log : times) {
      of_log.resize(random() % 30);
      for (uint64_t& t : of_log) t = random() % 100;
      std::ranges::sort(of_log);
    }
    EXPECT_EQ(merged(times), sorted(times));
  }
}

}  // namespace
}  // namespace pto2::test

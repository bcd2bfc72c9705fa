/// What a census makes of the events of a run.
#include "stress/graphs/census.hpp"

#include <gtest/gtest.h>

namespace pto2::graphs {
namespace {

using enum EventKind;

/// Of a run in which the orchestrator did this with groups 0, 1, .. on cluster 0, 1, ..
Census census_of(const std::vector<std::pair<EventKind, uint32_t>>& steps) {
  RunResult result;
  for (const auto& [kind, group] : steps) {
    result.record.events.push_back({.group = group, .place = group, .kind = kind});
  }
  Census census;
  census.add({}, {}, result);
  return census;
}

TEST(Census, GroupsOneAfterTheOtherAreNotSeveralAtOnce) {
  const Census in_turn = census_of({{allocate, 0}, {close, 0}, {allocate, 1}, {close, 1}});
  EXPECT_EQ(in_turn.of(Case::groups), 1U);
  EXPECT_EQ(in_turn.of(Case::several_groups), 0U);
  const Census at_once = census_of({{allocate, 0}, {allocate, 1}, {close, 0}, {close, 1}});
  EXPECT_EQ(at_once.of(Case::several_groups), 1U);
}

}  // namespace
}  // namespace pto2::graphs

/// VR-I21 at the last entry: task d of the made-up run waits for one of the TensorMap.
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Task a has one entry when d begins to wait for `requested` of a pool of so many.
std::vector<std::string> broken_with(uint64_t pool, uint64_t requested) {
  Story story;
  Event& wait = story.at(orchestrator, EventKind::wait, d);
  wait.lacking = Resource::tensormap_pool;
  wait.requested = requested;
  Record record = story.record();
  record.tensormap_pool = pool;
  for (uint64_t i = 0; i < requested; ++i) {
    record.tasks[3].params.push_back({.direction = Direction::out,
                                      .external = true,
                                      .base = 8 * i,
                                      .element = 8,
                                      .dims = 1,
                                      .strides = {1},
                                      .start = {0},
                                      .extent = {1}});
  }
  return judging::problems_of(record);
}

TEST(WaitStories, NobodyWaitsForEntriesThatJustHaveRoom) {
  EXPECT_THAT(broken_with(2, 2), testing::IsEmpty());
  EXPECT_THAT(broken_with(3, 2), Contains(HasSubstr("VR-I21: there is room for 2 of what it")));
  EXPECT_THAT(broken_with(1, 1), Not(Contains(HasSubstr("VR-I21"))));
  EXPECT_THAT(broken_with(2, 1), Contains(HasSubstr("VR-I21: there is room for 1 of what it")));
}

/// Task d has a producer and holds a buffer when it has waited for so many nodes.
std::vector<std::string> broken_with_nodes(uint64_t requested) {
  Story story;
  Event& wait = story.at(orchestrator, EventKind::wait, d);
  wait.lacking = Resource::dependency_pool;
  wait.requested = requested;
  Record record = story.record();
  record.tasks[3].producers = {{c, Claim::none}};
  record.tasks[3].holds = {a};
  return judging::problems_of(record);
}

TEST(WaitStories, TheNodesThatWereWaitedForAreThoseOfProducersAndHolds) {
  const auto too_few = Contains(HasSubstr("were waited for, which is not what it takes"));
  EXPECT_THAT(broken_with_nodes(2), Not(too_few));
  EXPECT_THAT(broken_with_nodes(3), Not(too_few)) << "a producer may be reclaimed meanwhile";
  EXPECT_THAT(broken_with_nodes(1), too_few);
}

}  // namespace
}  // namespace pto2::test

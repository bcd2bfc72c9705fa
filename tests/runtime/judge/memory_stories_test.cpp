/// VR-I13 to VR-I16 and VR-I32 of runs that are made up.
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Of two nodes the last is free and the first, behind the end of the pool, is another task's.
TEST(MemoryStories, I15NodesAreFreeBehindTheEndOfThePool) {
  Record record = Story().record();
  record.rings[0].dep_pool = 2;
  const auto of_c = std::ranges::find(record.tasks, c, &TaskRecord::task);
  of_c->first_node = of_c->nodes = 2;
  of_c->producers = {{a, Claim::linked}, {b, Claim::linked}};
  EXPECT_THAT(judging::problems_of(record, {}),
              Contains(AllOf(HasSubstr("VR-I15"), HasSubstr("dependency nodes"))));
  of_c->nodes = 1;
  of_c->producers.pop_back();
  EXPECT_THAT(judging::problems_of(record, {}), Not(Contains(HasSubstr("dependency nodes"))));
}

/// Task b has so many nodes from a place on, of a pool of so many.
std::vector<std::string> broken_by_nodes(uint64_t pool, uint64_t first, std::size_t count) {
  Record record = Story().record();
  record.rings[0].dep_pool = pool;
  record.tasks[1].first_node = first;
  record.tasks[1].nodes = count;
  record.tasks[1].producers.assign(count, {a, Claim::linked});
  return judging::problems_of(record);
}

TEST(MemoryStories, I15NodesAreInThePool) {
  const auto outside = tells("are not in the pool of");
  EXPECT_THAT(broken_by_nodes(4, 0, 1), outside);
  EXPECT_THAT(broken_by_nodes(4, 1, 4), Not(outside));
  EXPECT_THAT(broken_by_nodes(4, 1, 5), outside);
  EXPECT_THAT(broken_by_nodes(4, 4, 1), Not(outside));
  EXPECT_THAT(broken_by_nodes(4, 5, 1), outside);
}

/// Task c has no node when d takes that of b, the only one.
TEST(MemoryStories, I15ATaskWithoutNodesHoldsNone) {
  Record record = Story().record();
  record.rings[0].dep_pool = 1;
  record.tasks[2].first_node = record.tasks[3].first_node = 1;
  record.tasks[3].nodes = 1;
  record.tasks[3].producers = {{b, Claim::linked}};
  EXPECT_THAT(judging::problems_of(record),
              tells("VR-I15: it takes dependency nodes of task 1 of ring 0, which is not"));
}

/// Task c writes the first bytes of the caller's memory, d reads those of it or of a's buffer.
TEST(MemoryStories, I32ABufferIsNoMemoryOfTheCaller) {
  const auto reads_nothing = tells("VR-I32: it reads nothing that its producer writes");
  Record record = Story().record();
  ParamRecord param = record.tasks[0].params.front();
  param.external = true;
  record.tasks[2].params = {param};
  param.direction = Direction::in;
  record.tasks[3].params = {param};
  record.tasks[3].producers = {{c, Claim::linked}};
  EXPECT_THAT(judging::problems_of(record), Not(reads_nothing));
  record.tasks[3].params.front().external = false;
  EXPECT_THAT(judging::problems_of(record), reads_nothing);
}

/// Task c writes the left half of two rows, d reads from a column on.
Record halves(uint64_t column) {
  Record record = Story().record();
  ParamRecord half{.direction = Direction::out, .external = true, .element = 8, .dims = 2};
  half.strides = {4, 1};
  half.extent = {2, 2};
  record.tasks[2].params = {half};
  half.direction = Direction::in;
  half.start = {0, column};
  record.tasks[3].params = {half};
  record.tasks[3].producers = {{c, Claim::linked}};
  return record;
}

/// Where both are given in the same coordinates the TensorMap is exact, else it looks at the first
/// and last bytes.
TEST(MemoryStories, I32RegionsOfOneFormShareABox) {
  const auto reads_nothing = tells("VR-I32: it reads nothing that its producer writes");
  EXPECT_THAT(judging::problems_of(halves(1)), Not(reads_nothing));
  Record record = halves(2);
  EXPECT_THAT(judging::problems_of(record), reads_nothing) << "the right half";
  record.tasks[3].params.front().element = 16;
  EXPECT_THAT(judging::problems_of(record), Not(reads_nothing)) << "another form";
}

/// Task c writes the buffer of a.
std::vector<std::string> broken_by_holds(const std::vector<TaskId>& holds,
                                         const std::vector<ProducerRecord>& producers = {}) {
  Record record = Story().record();
  TaskRecord& of_c = record.tasks[2];
  of_c.params = record.tasks[0].params;
  of_c.holds = holds;
  of_c.producers = producers;
  of_c.nodes = holds.size() + producers.size();
  record.tasks[3].first_node = of_c.first_node + of_c.nodes;
  record.counts->holds = holds.size();
  record.counts->edges_linked += producers.size();
  return judging::problems_of(record);
}

TEST(MemoryStories, I16WhoIsHeldOwnsABuffer) {
  const auto only_tells = [](const std::string& text) {
    return testing::ElementsAre(HasSubstr("VR-I16: it holds task " + text));
  };
  EXPECT_THAT(broken_by_holds({a}), testing::IsEmpty());
  EXPECT_THAT(broken_by_holds({a, make_id(0, 77)}),
              only_tells("77 of ring 0, which was not submitted before it"));
  EXPECT_THAT(broken_by_holds({a, d}), Contains(HasSubstr("task 3 of ring 0, which was not sub")));
  EXPECT_THAT(broken_by_holds({a, c}), Contains(HasSubstr("task 2 of ring 0, which was not sub")));
  EXPECT_THAT(broken_by_holds({a, b}), Contains(HasSubstr("task 1 of ring 0, which owns none of")));
  EXPECT_THAT(broken_by_holds({a, a}), only_tells("0 of ring 0, which it holds already"));
}

TEST(MemoryStories, I16AProducerIsNotHeld) {
  const auto is_held = tells("VR-I16: it holds task 0 of ring 0, which is its producer");
  EXPECT_THAT(broken_by_holds({}, {{a, Claim::linked}}), Not(is_held));
  EXPECT_THAT(broken_by_holds({a}, {{a, Claim::linked}}), is_held);
}

TEST(MemoryStories, I32AProducerIsOneOnce) {
  const auto is_twice = tells("VR-I32: task 0 of ring 0 is its producer twice");
  EXPECT_THAT(broken_by_nodes(4, 1, 1), Not(is_twice));
  EXPECT_THAT(broken_by_nodes(4, 1, 2), is_twice);
  EXPECT_THAT(broken_by_holds({}, {{a, Claim::linked}, {b, Claim::linked}, {a, Claim::linked}}),
              is_twice);
}

/// What is said of heap ranges, one for each task, in a heap of so many bytes.
std::vector<std::string> broken_by_ranges(uint64_t heap, const std::vector<Bytes>& ranges) {
  Record record = Story().record();
  record.rings[0].heap = heap;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    record.tasks[i].heap_begin = ranges[i].begin;
    record.tasks[i].heap_bytes = ranges[i].end - ranges[i].begin;
  }
  return judging::problems_of(record);
}

/// A task takes bytes of that one, which comes back later.
auto takes_bytes_of(int holder) {
  return Contains(HasSubstr("VR-I14: it takes heap bytes of task " + std::to_string(holder) +
                            " of ring 0, which is not reclaimed yet"));
}

/// Task d comes when a is reclaimed, and b and c are not.
TEST(MemoryStories, I14ARangeIsOfItsHolderUntilThatIsReclaimed) {
  EXPECT_THAT(broken_by_ranges(16, {{0, 8}, {8, 16}, {0, 0}, {0, 8}}), Not(takes_bytes_of(0)));
  const auto beside = broken_by_ranges(16, {{0, 8}, {8, 16}, {0, 8}, {8, 16}});
  EXPECT_THAT(beside, takes_bytes_of(0)) << "task c comes too early";
  EXPECT_THAT(beside, takes_bytes_of(1)) << "who had the bytes before it has none of these";
  EXPECT_THAT(broken_by_ranges(16, {{0, 8}, {8, 16}, {0, 4}, {4, 12}}), takes_bytes_of(1));
}

/// Without bytes it is no holder of the place where it begins.
TEST(MemoryStories, I14ATaskWithoutBytesHoldsNothing) {
  EXPECT_THAT(broken_by_ranges(16, {{0, 0}, {0, 16}, {0, 0}, {0, 8}}), takes_bytes_of(1));
}

TEST(MemoryStories, I14ARangeBehindAGapIsHeld) {
  EXPECT_THAT(broken_by_ranges(64, {{0, 8}, {16, 24}, {12, 20}}), takes_bytes_of(1));
}

TEST(MemoryStories, I14RangesEndWithTheHeap) {
  const auto outside = Contains(HasSubstr("is not in the heap of 16"));
  EXPECT_THAT(broken_by_ranges(16, {{0, 8}, {8, 16}}), Not(outside));
  EXPECT_THAT(broken_by_ranges(16, {{0, 8}, {8, 17}}), outside);
  EXPECT_THAT(broken_by_ranges(16, {{0, 8}, {16, 16}}), Not(outside));
  EXPECT_THAT(broken_by_ranges(16, {{0, 8}, {17, 17}}), outside);
}

/// Task d takes the slot of a.
TEST(MemoryStories, I13ASlotIsReclaimedAtSomeTime) {
  Story story;
  story.result.error.code = ErrorCode::bad_submission;
  story.erase(scheduler0, EventKind::reclaim, a);
  EXPECT_THAT(story.broken(),
              Contains(HasSubstr("VR-I13: it takes the last free slot beside that of task 0 of "
                                 "ring 0, which is never reclaimed")));
}

}  // namespace
}  // namespace pto2::test

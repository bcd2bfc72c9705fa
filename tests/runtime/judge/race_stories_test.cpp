/// VR-I23 to the byte: tasks a, c and d of the made-up run, between which there is no order.
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::Not;

/// Bytes of a piece of the caller's memory that no other task has.
ParamRecord write_of(uint64_t begin, uint64_t bytes) {
  return {.direction = Direction::out,
          .external = true,
          .element = 1,
          .origin = begin,
          .dims = 1,
          .strides = {1},
          .start = {0},
          .extent = {bytes}};
}

ParamRecord read_of(uint64_t begin, uint64_t bytes) {
  ParamRecord read = write_of(begin, bytes);
  read.direction = Direction::in;
  return read;
}

/// Two rows of 8 bytes each, the second 32 bytes behind the first.
ParamRecord rows_of(uint64_t begin) {
  ParamRecord rows = write_of(begin, 0);
  rows.dims = 2;
  rows.strides = {32, 1};
  rows.extent = {2, 8};
  return rows;
}

std::vector<std::string> races(const ParamRecord& of_a, const ParamRecord& of_c,
                               const ParamRecord& of_d) {
  Record record = Story().record();
  record.tasks[0].params.push_back(of_a);
  record.tasks[2].params.push_back(of_c);
  record.tasks[3].params.push_back(of_d);
  return judging::problems_of(record, {.races = true});
}

auto race(int older, int newer, const std::string& done = "writes") {
  return Contains(
      ContainsRegex("VR-I23: writes bytes that task " + std::to_string(older) + " of ring 0 " +
                    done + " without order .line [0-9]+: submit of task " + std::to_string(newer)));
}

TEST(Races, AreOfTasksThatWriteTheSameBytes) {
  EXPECT_THAT(races(write_of(0, 8), write_of(8, 8), write_of(16, 8)), testing::IsEmpty());
  const auto found = races(write_of(0, 8), write_of(7, 8), write_of(16, 8));
  EXPECT_THAT(found, race(0, 2));
  EXPECT_THAT(found, testing::SizeIs(1));
}

TEST(Races, AreOfOneMemory) {
  ParamRecord other = write_of(0, 8);
  other.memory = 1;
  EXPECT_THAT(races(write_of(0, 8), other, write_of(8, 8)), testing::IsEmpty());
}

TEST(Races, AreSeenBehindAShorterAccess) {
  EXPECT_THAT(races(write_of(0, 100), write_of(200, 8), write_of(90, 8)), race(0, 3));
}

TEST(Races, AreSeenInWhatIsLeftOfARange) {
  EXPECT_THAT(races(write_of(0, 16), write_of(0, 8), write_of(8, 8)), race(0, 3));
  EXPECT_THAT(races(write_of(0, 16), write_of(8, 8), write_of(0, 8)), race(0, 3));
  EXPECT_THAT(races(write_of(8, 16), write_of(8, 16), write_of(16, 8)), Not(race(0, 3)));
  EXPECT_THAT(races(write_of(0, 16), write_of(0, 8), write_of(0, 8)), race(2, 3));
  EXPECT_THAT(races(write_of(0, 16), write_of(0, 16), write_of(8, 8)), Not(race(0, 3)))
      << "who meets the newer one meets that first";
}

TEST(Races, AreSeenBetweenTheRowsOfAWrite) {
  EXPECT_THAT(races(write_of(0, 16), rows_of(0), write_of(8, 8)), race(0, 3));
  EXPECT_THAT(races(write_of(8, 8), rows_of(0), write_of(8, 8)), race(0, 3));
  EXPECT_THAT(races(write_of(8, 24), rows_of(0), write_of(40, 8)), testing::IsEmpty());
  EXPECT_THAT(races(write_of(8, 25), rows_of(0), write_of(40, 8)), race(0, 2));
}

TEST(Races, AreOfAWriteAfterARead) {
  const auto found = races(read_of(0, 8), write_of(7, 8), read_of(16, 8));
  EXPECT_THAT(found, race(0, 2, "reads"));
  EXPECT_THAT(found, testing::SizeIs(1));
  EXPECT_THAT(races(read_of(0, 8), read_of(0, 8), read_of(0, 8)), testing::IsEmpty());
}

/// Who meets the write meets that first.
TEST(Races, AreNotWithReadsThatAWriteCovers) {
  const auto found = races(read_of(0, 8), write_of(0, 8), write_of(0, 8));
  EXPECT_THAT(found, race(2, 3));
  EXPECT_THAT(found, Not(race(0, 3, "reads")));
  EXPECT_THAT(races(read_of(0, 9), write_of(0, 8), write_of(8, 8)), race(0, 3, "reads"));
}

TEST(Races, AreOfTensorsBehindAScalar) {
  Record record = Story().record();
  record.tasks[0].params = {write_of(0, 8)};
  record.tasks[2].params = {ParamRecord{}, write_of(0, 8)};
  EXPECT_THAT(judging::problems_of(record, {.races = true}), race(0, 2));
}

/// Task d writes what `older` has written, and comes behind these.
std::vector<std::string> races_behind(std::size_t older, const std::vector<TaskId>& before) {
  Record record = Story().record();
  record.tasks[older].params.push_back(write_of(0, 8));
  record.tasks[3].params.push_back(write_of(0, 8));
  for (const TaskId task : before) record.tasks[3].producers.push_back({task, Claim::linked});
  return judging::problems_of(record, {.races = true});
}

/// Task b comes behind a.
TEST(Races, AreNotBetweenTasksOnAPath) {
  for (const std::vector<TaskId>& before : {std::vector{b, c}, std::vector{c, b}, std::vector{b}}) {
    EXPECT_THAT(races_behind(0, before), Not(race(0, 3)));
  }
  EXPECT_THAT(races_behind(0, {c}), race(0, 3));
  for (const std::vector<TaskId>& before : {std::vector{a, c}, std::vector{c, a}}) {
    EXPECT_THAT(races_behind(2, before), Not(race(2, 3)));
  }
  EXPECT_THAT(races_behind(2, {a, b}), race(2, 3));
}

/// Nor is there a path through a producer that nobody has submitted, or that came later.
TEST(Races, NobodyIsOrderedByALaterProducer) {
  EXPECT_THAT(races_behind(0, {make_id(0, 77)}), race(0, 3));
  Record record = Story().record();
  record.tasks[0].params.push_back(write_of(0, 8));
  record.tasks[2].params.push_back(write_of(8, 8));
  record.tasks[3].params.push_back(write_of(0, 16));
  record.tasks[1].producers.push_back({c, Claim::linked});
  record.tasks[3].producers.push_back({b, Claim::linked});
  EXPECT_THAT(judging::problems_of(record, {.races = true}), race(2, 3));
}

/// Task d is submitted at `t`, and reads what a has written.
std::vector<std::string> races_of_reader(uint64_t t, bool reclaims = true) {
  Story story;
  story.at(orchestrator, EventKind::submit, d).t = t;
  story.at(scheduler0, EventKind::reclaim, a).t = 55;
  if (!reclaims) story.erase(scheduler0, EventKind::reclaim, a);
  Record record = story.record();
  record.tasks[0].params.push_back(write_of(0, 8));
  record.tasks[3].params.push_back(read_of(0, 8));
  return judging::problems_of(record, {.races = true});
}

/// Task a is reclaimed after 51, when its scheduler consumes it, and before 55, when it says so.
TEST(Races, AreNotOfAReaderAndAWriterThatMayHaveBeenReclaimed) {
  const auto reads = tells("VR-I23: reads bytes that task 0 of ring 0 writes without order");
  EXPECT_THAT(races_of_reader(50), reads);
  EXPECT_THAT(races_of_reader(51), Not(reads));
  EXPECT_THAT(races_of_reader(51, false), reads);
}

/// Task b, which comes behind a, writes a part of what a has read. Task d, submitted at `t`, reads
/// and writes the whole.
std::vector<std::string> races_through_b(uint64_t t) {
  Story story;
  story.at(orchestrator, EventKind::submit, d).t = t;
  Record record = story.record();
  record.tasks[0].params.push_back(read_of(0, 8));
  record.tasks[1].params.push_back(write_of(0, 4));
  ParamRecord both = write_of(0, 8);
  both.direction = Direction::inout;
  record.tasks[3].params.push_back(both);
  return judging::problems_of(record, {.races = true});
}

/// It comes behind b if that was reclaimed, by 61, when it was submitted, and so behind a.
TEST(Races, AreNotBehindAWriterThatWasReclaimed) {
  EXPECT_THAT(races_through_b(59), race(0, 3, "reads"));
  EXPECT_THAT(races_through_b(61), Not(race(0, 3, "reads")));
}

}  // namespace
}  // namespace pto2::test

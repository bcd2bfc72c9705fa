/// VR-I23 to the byte: tasks a, c and d of the made-up run, between which there is no order.
#include "tests/runtime/judge/race_record.hpp"
#include "tests/runtime/judge/run_story.hpp"

namespace pto2::test {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::Not;

/// Bytes of a piece of the caller's memory that no other task has.
ParamRecord write_of(uint64_t begin, uint64_t bytes) {
  return piece_of(Direction::out, begin, bytes);
}

ParamRecord read_of(uint64_t begin, uint64_t bytes) {
  return piece_of(Direction::in, begin, bytes);
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

/// Task d is submitted at `t`.
Story story_of(uint64_t t) {
  Story story;
  story.at(orchestrator, EventKind::submit, d).t = t;
  return story;
}

/// Task d reads what a has written.
std::vector<std::string> races_of_reader(const Story& story) {
  Record record = story.record();
  record.tasks[0].params.push_back(write_of(0, 8));
  record.tasks[3].params.push_back(read_of(0, 8));
  return judging::problems_of(record, {.races = true});
}

const auto reads_of_a = tells("VR-I23: reads bytes that task 0 of ring 0 writes without order");

/// Task a is consumed after 50, when b has read what it wrote, and before 51, when its scheduler
/// says so.
TEST(Races, AreNotOfAReaderAndAWriterThatMayHaveBeenConsumed) {
  EXPECT_THAT(races_of_reader(story_of(49)), reads_of_a);
  EXPECT_THAT(races_of_reader(story_of(50)), Not(reads_of_a));
  Story story = story_of(50);
  story.erase(scheduler0, EventKind::reclaim, a);
  EXPECT_THAT(races_of_reader(story), Not(reads_of_a));
  story.erase(scheduler0, EventKind::consume, a);
  EXPECT_THAT(races_of_reader(story), reads_of_a);
}

/// Whatever its scheduler says.
TEST(Races, AreOfAReaderAndAWriterThatNeverEnds) {
  Story story = story_of(50);
  story.erase(aic0, EventKind::fin, a);
  EXPECT_THAT(races_of_reader(story), reads_of_a);
}

/// Its scheduler did something else at 50, before it consumed task a.
TEST(Races, AreOfAReaderAndAWriterThatWasNotConsumedYet) {
  Story story = story_of(49);
  story.at(aiv0, EventKind::fin, b).t = 47;
  EXPECT_THAT(races_of_reader(story), Not(reads_of_a));
  story.insert(scheduler0, 50, EventKind::wait);
  EXPECT_THAT(races_of_reader(story), reads_of_a);
}

/// Task b, which comes behind a, writes a part of what a has read. Task d, submitted at `t`, reads
/// and writes the whole.
std::vector<std::string> races_through_b(uint64_t t) {
  Record record = story_of(t).record();
  record.tasks[0].params.push_back(read_of(0, 8));
  record.tasks[1].params.push_back(write_of(0, 4));
  ParamRecord both = write_of(0, 8);
  both.direction = Direction::inout;
  record.tasks[3].params.push_back(both);
  return judging::problems_of(record, {.races = true});
}

/// It comes behind b if that was consumed, after 51, when it was submitted, and so behind a.
TEST(Races, AreNotBehindAWriterThatWasConsumed) {
  EXPECT_THAT(races_through_b(50), race(0, 3, "reads"));
  EXPECT_THAT(races_through_b(51), Not(race(0, 3, "reads")));
}

/// Task a, which is never consumed, writes 16 bytes, and b, which comes behind it, two rows: the
/// first half of them, and what is behind them. Task d, submitted at `t`, is `reader`.
std::vector<std::string> races_behind_rows(uint64_t t, const ParamRecord& reader) {
  Story story = story_of(t);
  story.erase(scheduler0, EventKind::consume, a);
  story.erase(scheduler0, EventKind::reclaim, a);
  Record record = story.record();
  record.tasks[0].params.push_back(write_of(0, 16));
  record.tasks[1].params.push_back(rows_of(0));
  record.tasks[3].params.push_back(reader);
  return judging::problems_of(record, {.races = true});
}

/// What d reads lies between the rows. In other coordinates it has an edge to b unless that was
/// consumed, by 50; in the same ones it never has.
TEST(Races, AreNotBehindAWriterThatMayHaveWrittenWhatIsRead) {
  EXPECT_THAT(races_behind_rows(49, read_of(8, 8)), reads_of_a);
  EXPECT_THAT(races_behind_rows(50, read_of(8, 8)), Not(reads_of_a));
  ParamRecord same = rows_of(0);
  same.direction = Direction::in;
  same.start = {0, 8};
  EXPECT_THAT(races_behind_rows(60, same), reads_of_a);
}

/// Task b, which comes behind a, has pipe 7 of group 0. Task d, submitted at `t`, has this one, and
/// writes what a has read.
Record record_of_a_pipe(uint64_t t, int64_t group, int64_t tag) {
  Record record = story_of(t).record();
  record.tasks[0].params.push_back(read_of(0, 8));
  record.tasks[1].group = 0;
  record.tasks[1].params.push_back({.pipe = true, .tag = 7});
  record.tasks[3].group = group;
  record.tasks[3].params.push_back(write_of(0, 8));
  record.tasks[3].params.push_back({.pipe = true, .tag = tag});
  return record;
}

std::vector<std::string> races_along_a_pipe(uint64_t t, int64_t group, int64_t tag) {
  return judging::problems_of(record_of_a_pipe(t, group, tag), {.races = true});
}

TEST(Races, AreNotBehindWhoeverHadThePipe) {
  EXPECT_THAT(races_along_a_pipe(50, 0, 7), race(0, 3, "reads"));
  EXPECT_THAT(races_along_a_pipe(51, 0, 7), Not(race(0, 3, "reads")));
  EXPECT_THAT(races_along_a_pipe(51, 1, 7), race(0, 3, "reads"));
  EXPECT_THAT(races_along_a_pipe(51, 0, 8), race(0, 3, "reads"));
  Record record = record_of_a_pipe(51, 0, 7);
  record.tasks[2].group = 0;
  record.tasks[2].params.push_back({.pipe = true, .tag = 7});
  EXPECT_THAT(judging::problems_of(record, {.races = true}), race(0, 3, "reads"))
      << "c, which had the pipe last, does not come behind a";
}

}  // namespace
}  // namespace pto2::test

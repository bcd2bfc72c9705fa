#include "stress/graphs/demand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace pto2::graphs::demand_test {
namespace {

using testing::ElementsAre;

Demand demand(const std::vector<Step>& steps, uint32_t rings = 4,
              std::vector<uint64_t> external_bytes = {64}) {
  const Program program{std::move(external_bytes), steps};
  return demand_of(program, interpret(program), rings);
}

Submit task(std::vector<Param> params) {
  return {.params = std::move(params)};
}

std::vector<oracle::Call> submissions(const oracle::Program& program) {
  std::vector<oracle::Call> result;
  for (const oracle::Call& event : program) {
    if (event.kind == oracle::CallKind::submit) result.push_back(event);
  }
  return result;
}

const Make bytes_8{DataType::UINT8, {8}};
const Step external = External{0, DataType::UINT8, {8}};

TEST(Demand, OneOutputAndItsReader) {
  const Demand asked = demand({bytes_8, task({{0, Use::output}}), task({{0, Use::input}})});
  const auto events = submissions(asked.program);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_THAT(events[0].output_bytes, ElementsAre(8));
  EXPECT_EQ(events[0].map_entries, 1U);
  EXPECT_EQ(events[1].dep_nodes, 1U);
  EXPECT_EQ(events[1].map_entries, 0U);
  EXPECT_EQ(asked.least_edges, 1U);
  EXPECT_EQ(asked.most_edges, 1U);
  EXPECT_EQ(asked.program.front().kind, oracle::CallKind::scope_begin) << "the outer scope";
  EXPECT_EQ(asked.program.back().kind, oracle::CallKind::scope_end);
}

TEST(Demand, EveryReaderHasAnEdge) {
  const Submit reader = task({{0, Use::input}});
  const Demand asked = demand({external, task({{0, Use::inout}}), reader, reader});
  const auto events = submissions(asked.program);
  EXPECT_THAT(events[1].replaced, testing::IsEmpty()) << "who reads takes nobody's place";
  EXPECT_EQ(events[2].dep_nodes, 1U);
  EXPECT_EQ(asked.least_edges, 2U);
  EXPECT_EQ(asked.most_edges, 2U);
}

TEST(Demand, EveryScopeEnds) {
  const Demand asked = demand({ScopeBegin{}, ScopeBegin{}, task({})});
  const auto ends =
      std::ranges::count(asked.program, oracle::CallKind::scope_end, &oracle::Call::kind);
  EXPECT_EQ(ends, 3);
}

TEST(Demand, EveryInputHasItsProducers) {
  const Demand asked =
      demand({bytes_8, bytes_8, bytes_8, task({{0, Use::output}}), task({{1, Use::output}}),
              task({{2, Use::output}, {0, Use::input}, {1, Use::input}})});
  EXPECT_EQ(submissions(asked.program)[2].dep_nodes, 2U) << "behind an output, too";
  EXPECT_EQ(asked.least_edges, 2U);
  EXPECT_EQ(asked.most_edges, 2U);
}

TEST(Demand, InoutReplacesWhatItCoversButNotTheAllocation) {
  const auto events = submissions(
      demand({bytes_8, task({{0, Use::output}}), View{0, {4}, {0}}, task({{1, Use::inout}}),
              task({{0, Use::inout}}), task({{1, Use::inout}})})
          .program);
  EXPECT_TRUE(events[1].replaced.empty());
  EXPECT_THAT(events[2].replaced, ElementsAre(1));
  EXPECT_TRUE(events[3].replaced.empty()) << "half of it does not cover the whole";
  EXPECT_EQ(events[3].dep_nodes, 2U) << "who allocated it and the last writer";
}

TEST(Demand, ReplacesInExternalMemory) {
  const auto events =
      submissions(demand({external, task({{0, Use::inout}}), task({{0, Use::inout}}),
                          task({{0, Use::inout}, {0, Use::inout}}), task({{0, Use::inout}})})
                      .program);
  EXPECT_THAT(events[1].replaced, ElementsAre(0));
  EXPECT_THAT(events[2].replaced, ElementsAre(1)) << "the second look-up finds nothing";
  EXPECT_EQ(events[2].map_entries, 2U);
  EXPECT_THAT(events[3].replaced, ElementsAre(2, 2));
  EXPECT_EQ(events[3].dep_nodes, 1U);
}

/// Of tasks that write all of tensor 0, the last of which reads what the other, or who has read it,
/// wrote to tensor 1; how many producers who reads tensor 0 has, and entries the writers.
TEST(Demand, WhoWritesAllOfItBehindTheLastWriterTakesItsPlace) {
  const Step small = External{0, DataType::UINT8, {4}};
  const Step other = External{1, DataType::UINT8, {8}};
  const Submit first = task({{0, Use::output}});
  const Submit reader = task({{0, Use::input}, {1, Use::output}});
  const Submit last = task({{1, Use::input}, {0, Use::output}});
  const auto of_reader = [&](const std::vector<Step>& steps, uint32_t rings = 4) {
    const auto events = submissions(demand(steps, rings, {64, 64}).program);
    const uint64_t nodes = events.back().dep_nodes;
    const std::vector<size_t> displaced(nodes == 1 ? 1 : 0);
    EXPECT_EQ(events[events.size() - 2].displaced, displaced);
    return nodes;
  };
  const Submit asks = task({{0, Use::input}});
  EXPECT_EQ(of_reader({external, other, first, reader, last, asks}), 1U);
  EXPECT_EQ(of_reader({external, other, task({{0, Use::output}, {1, Use::output}}), last, asks}),
            1U);
  EXPECT_EQ(of_reader({external, other, first, last, asks}), 2U) << "not ordered";
  EXPECT_EQ(of_reader({external, other, first, reader, asks, last, asks}), 2U)
      << "behind an earlier reader only";
  EXPECT_EQ(of_reader({external, other, small, first, reader, last, asks}), 2U)
      << "not all of it, as it was made last";
  const std::vector<Step> scopes{external, other,      first, ScopeBegin{},
                                 reader,   ScopeEnd{}, last,  asks};
  EXPECT_EQ(of_reader(scopes), 2U) << "of another ring";
  EXPECT_EQ(of_reader(scopes, 1), 1U);
}

/// A pipe is read and written by each task that names it, as often as it does.
TEST(Demand, PipesAreChains) {
  const Submit once{.group = 0, .pipes = {{.tag = 1}}};
  const Submit twice{.group = 0, .pipes = {{.tag = 1}, {.tag = 1}}};
  const Submit other{.group = 1, .pipes = {{.tag = 1}}};
  const auto events =
      submissions(demand({Allocate{}, Allocate{}, once, other, twice, once}).program);
  EXPECT_EQ(events[0].map_entries, 1U);
  EXPECT_THAT(events[1].replaced, testing::IsEmpty());
  EXPECT_THAT(events[2].replaced, ElementsAre(0));
  EXPECT_EQ(events[2].map_entries, 2U);
  EXPECT_THAT(events[3].replaced, ElementsAre(2, 2));
  EXPECT_EQ(events[3].dep_nodes, 1U);
}

TEST(Demand, LaterOutputsHoldTheOwner) {
  const Demand asked = demand({bytes_8, bytes_8, task({{0, Use::allocate}, {1, Use::output}}),
                               View{0, {4}, {0}}, View{0, {4}, {4}}, task({{2, Use::output}}),
                               task({{1, Use::input}, {3, Use::output}})});
  const auto events = submissions(asked.program);
  EXPECT_THAT(events[0].output_bytes, ElementsAre(8, 8));
  EXPECT_EQ(events[1].dep_nodes, 1U);
  EXPECT_EQ(events[2].dep_nodes, 1U) << "its producer is the owner";
  EXPECT_EQ(submissions(asked.slow_program)[1].dep_nodes, 1U);
  EXPECT_EQ(asked.holds, 1U);
  EXPECT_EQ(asked.most_edges, 1U);
}

/// Who has retired is met by nobody, and whose place is taken is not either: it is one of the two.
TEST(Demand, WhoCanHaveRetiredLosesHisPlaceAllTheSame) {
  const Submit first = task({{0, Use::inout}});
  const Submit last = task({{0, Use::input}, {0, Use::output}});
  const Demand asked =
      demand({external, ScopeBegin{}, first, ScopeEnd{}, last, task({{0, Use::input}})});
  ASSERT_EQ(asked.tasks.size(), 3U);
  EXPECT_THAT(asked.tasks[1].producers, ElementsAre(0));
  EXPECT_THAT(asked.tasks[2].producers, ElementsAre(1));
  EXPECT_EQ(asked.least_edges, 1U);
  EXPECT_EQ(asked.most_edges, 2U);
}

/// By their numbers: of a buffer that is written in parts, of a pipe, and of a scope that ends.
TEST(Demand, SaysWhatEachTaskDependsOn) {
  const Demand asked =
      demand({bytes_8, Allocate{}, task({{0, Use::output}}), View{0, {4}, {0}}, ScopeBegin{},
              task({{1, Use::inout}}), Submit{.group = 0, .pipes = {{.tag = 1}}}, ScopeEnd{},
              task({{0, Use::output}}),
              Submit{.params = {{0, Use::input}}, .group = 0, .pipes = {{.tag = 1}}}});
  ASSERT_EQ(asked.tasks.size(), 5U);
  EXPECT_THAT(asked.tasks[0].producers, testing::IsEmpty());
  EXPECT_THAT(asked.tasks[1].producers, ElementsAre(0));
  EXPECT_THAT(asked.tasks[1].owners, testing::IsEmpty());
  EXPECT_THAT(asked.tasks[3].producers, testing::IsEmpty());
  EXPECT_THAT(asked.tasks[3].owners, ElementsAre(0));
  EXPECT_THAT(asked.tasks[4].producers, ElementsAre(0, 1, 2, 3));
  const auto ends = [&](std::size_t task) { return asked.tasks[task].scope_end; };
  EXPECT_EQ(ends(0), 5U);
  EXPECT_EQ(ends(1), 3U);
  EXPECT_EQ(ends(2), 3U);
  EXPECT_EQ(ends(3), 5U);
  EXPECT_EQ(asked.tasks[1].ring, 1U);
}

TEST(Demand, ProducersOfEndedScopesNeedNoNodeInTheBestCase) {
  const std::vector<Step> steps{external, ScopeBegin{}, task({{0, Use::inout}}), ScopeEnd{},
                                task({{0, Use::input}})};
  const Demand asked = demand(steps);
  EXPECT_EQ(submissions(asked.program)[1].dep_nodes, 0U);
  EXPECT_EQ(submissions(asked.slow_program)[1].dep_nodes, 1U);
  EXPECT_EQ(asked.least_edges, 0U);
  EXPECT_EQ(asked.most_edges, 1U);
}

TEST(Demand, AllTasksOfAScopeRetireWithIt) {
  const Submit change = task({{0, Use::inout}});
  const Demand asked =
      demand({external, ScopeBegin{}, change, change, ScopeEnd{}, task({{0, Use::input}})});
  EXPECT_EQ(submissions(asked.program)[2].dep_nodes, 0U);
  EXPECT_EQ(submissions(asked.slow_program)[2].dep_nodes, 1U);
}

TEST(Demand, AnOlderTaskOfTheRingKeepsTheProducerAlive) {
  const std::vector<Step> steps{external,     task({}),
                                ScopeBegin{}, task({{0, Use::inout}}),
                                ScopeEnd{},   task({{0, Use::input}})};
  EXPECT_EQ(submissions(demand(steps, 4).program)[2].dep_nodes, 0U);
  EXPECT_EQ(submissions(demand(steps, 1).program)[2].dep_nodes, 1U) << "task 0 is in the ring";
}

TEST(Demand, OtherCoordinatesCountAsOverlap) {
  const auto events =
      submissions(demand({External{0, DataType::UINT8, {4, 4}}, View{0, {4, 2}, {0, 2}},
                          External{0, DataType::UINT8, {16}}, View{2, {2}, {4}},
                          task({{1, Use::inout}}), task({{3, Use::input}})})
                      .program);
  EXPECT_EQ(events[1].dep_nodes, 1U) << "no byte in common, but nobody can tell";
}

TEST(Demand, EndsAtTheRefusal) {
  const Demand asked = demand({task({}), bytes_8, task({{0, Use::input}}), task({})});
  EXPECT_EQ(submissions(asked.program).size(), 1U);
}

}  // namespace
}  // namespace pto2::graphs::demand_test

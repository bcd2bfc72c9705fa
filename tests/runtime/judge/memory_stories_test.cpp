/// VR-I15 of runs that are made up.
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

}  // namespace
}  // namespace pto2::test

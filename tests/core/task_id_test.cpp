#include "core/task_id.hpp"

#include <gtest/gtest.h>

namespace pto2 {
namespace {

TEST(TaskId, RingAndLocalComeBack) {
  for (const RingId ring : {RingId(0), RingId(1), RingId(2), RingId(max_rings - 1)}) {
    for (uint64_t local : {uint64_t{0}, uint64_t{1}, uint64_t{65536}, max_task_local}) {
      const TaskId id = make_id(ring, local);
      EXPECT_EQ(ring_of(id), ring);
      EXPECT_EQ(local_of(id), local);
      EXPECT_NE(id, no_task);
    }
  }
}

TEST(TaskId, SameNumberInTwoRingsIsTwoTasks) {
  EXPECT_NE(make_id(0, 7), make_id(1, 7));
  EXPECT_EQ(make_id(2, 7), make_id(2, 7));
}

}  // namespace
}  // namespace pto2

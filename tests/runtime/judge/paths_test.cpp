/// Paths in random graphs, compared with all paths that there are.
#include "runtime/judge/paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <random>

namespace pto2::test {
namespace {

using judging::Paths;

constexpr uint32_t most_tasks = 1000;

/// How random graphs differ.
struct Shape {
  uint64_t edges;  ///< of a task, from one to this
  uint64_t reach;  ///< from how long before
  uint64_t asked;  ///< how many older tasks, less than this
  uint64_t work;   ///< between two hubs
};

class PathsOfRandomGraphs : public testing::TestWithParam<Shape> {};

TEST_P(PathsOfRandomGraphs, AreFound) {
  std::mt19937_64 random(7);
  Paths paths(most_tasks, GetParam().work);
  std::vector<std::bitset<most_tasks>> behind(most_tasks);
  uint32_t found = 0;
  uint32_t missing = 0;
  for (uint32_t task = 0; task < most_tasks; ++task) {
    const uint64_t edges = task == 0 ? 0 : 1 + random() % GetParam().edges;
    for (uint64_t i = 0; i < edges; ++i) {
      const uint64_t back = 1 + random() % std::min<uint64_t>(GetParam().reach, task);
      const auto before = static_cast<uint32_t>(task - back);
      paths.add(before, task);
      behind[task] |= behind[before];
      behind[task].set(before);
    }
    std::vector<uint32_t> asked(task == 0 ? 0 : random() % GetParam().asked);
    for (uint32_t& one : asked) one = static_cast<uint32_t>(random() % task);
    paths.find(task, asked);
    for (const uint32_t one : asked) {
      ASSERT_EQ(paths.has_found(one), behind[task].test(one)) << one << " before " << task;
      ++(paths.has_found(one) ? found : missing);
    }
  }
  EXPECT_GT(found, 100U);
  EXPECT_GT(missing, 100U);
}

// With a hub whenever one has been paid for, all 64 are used up several times.
INSTANTIATE_TEST_SUITE_P(Paths, PathsOfRandomGraphs,
                         testing::Values(Shape{1, 30, 5, 0}, Shape{1, 100, 9, 0},
                                         Shape{2, 30, 30, 0}, Shape{2, 300, 6, 0},
                                         Shape{3, 1000, 4, 0}, Shape{2, 100, 9, 100},
                                         Shape{3, 300, 5, 1000},
                                         Shape{2, 300, 9, Paths::least_work}));

}  // namespace
}  // namespace pto2::test

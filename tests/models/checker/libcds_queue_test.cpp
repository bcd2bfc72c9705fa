// The queue alone.
#include "tests/models/checker/libcds_queue.hpp"

#include <pto2/checker/gtest.hpp>
#include <vector>

namespace pto2::model {
namespace {

/// Each producer pushes one number, each consumer pops once: nothing is lost, doubled or torn.
void exchange(int producers, int consumers) {
  LibcdsQueue queue;
  std::vector<int> popped(static_cast<std::size_t>(consumers));
  {
    std::vector<thread> threads;
    for (int i = 1; i <= producers; ++i) {
      threads.emplace_back([&queue, i] { check(queue.push(i), "the queue has room"); });
    }
    for (int& value : popped) {
      threads.emplace_back([&queue, &value] { value = queue.pop(); });
    }
    for (thread& t : threads) t.join();
  }
  std::vector<int> seen(static_cast<std::size_t>(producers) + 1);
  for (const int value : popped) ++seen[static_cast<std::size_t>(value)];
  sometimes("a consumer finds nothing", seen[0] > 0);
  sometimes("a consumer finds a number", seen[0] < consumers);
  for (int value = queue.pop(); value != 0; value = queue.pop()) {
    ++seen[static_cast<std::size_t>(value)];
  }
  for (int i = 1; i <= producers; ++i) {
    check(seen[static_cast<std::size_t>(i)] == 1, "every number comes out once");
  }
}

TEST(LibcdsQueue, one_producer_and_one_consumer) {
  EXPECT_TRUE(holds([] { exchange(1, 1); }));
}

TEST(LibcdsQueue, two_producers_and_two_consumers) {
  const Report report = explore({}, [] { exchange(2, 2); });
  EXPECT_TRUE(report.ok()) << report.to_text();
  RecordProperty("executions", std::to_string(report.executions));
  EXPECT_GT(report.executions, 100u) << report.to_text();
}

}  // namespace
}  // namespace pto2::model

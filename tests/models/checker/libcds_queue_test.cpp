// libcds's queue after Vyukov, its header unmodified: its atomics come from the checker through
// libcds's own configuration macro.
#include <cds/container/vyukov_mpmc_cycle_queue.h>

#include <pto2/checker/gtest.hpp>
#include <vector>

namespace pto2::model {
namespace {

/// Back-off is a fruitless turn.
struct IdleBackOff {
  void operator()() const { idle(); }
  static void reset() {}
};

/// An element whose accesses are checked for races.
struct Number {
  cell<int> value;

  Number& operator=(Number&& other) {
    value.write(other.value.read());
    return *this;
  }
};

struct Traits : cds::container::vyukov_queue::traits {
  // Elements must be constructed: the checker knows atomics by their construction.
  using buffer = cds::opt::v::initialized_static_buffer<void*, 2>;
  using value_cleaner = cds::opt::v::empty_cleaner;
  using back_off = IdleBackOff;
  using item_counter = cds::atomicity::empty_item_counter;
};

using Queue = cds::container::VyukovMPMCCycleQueue<Number, Traits>;

bool push(Queue& queue, int value) {
  return queue.enqueue_with([value](Number& slot) { slot.value.write(value); });
}

int pop(Queue& queue) {
  int value = 0;
  queue.dequeue_with([&value](Number& slot) { value = slot.value.read(); });
  return value;
}

/// Each producer pushes one number, each consumer pops once: nothing is lost, doubled or torn.
void exchange(int producers, int consumers) {
  Queue queue;
  std::vector<int> popped(static_cast<std::size_t>(consumers));
  {
    std::vector<thread> threads;
    for (int i = 1; i <= producers; ++i) {
      threads.emplace_back([&queue, i] { check(push(queue, i), "the queue has room"); });
    }
    for (int& value : popped) {
      threads.emplace_back([&queue, &value] { value = pop(queue); });
    }
    for (thread& t : threads) t.join();
  }
  std::vector<int> seen(static_cast<std::size_t>(producers) + 1);
  for (const int value : popped) ++seen[static_cast<std::size_t>(value)];
  sometimes("a consumer finds nothing", seen[0] > 0);
  sometimes("a consumer finds a number", seen[0] < consumers);
  for (int value = pop(queue); value != 0; value = pop(queue)) {
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

// libcds's queue after Vyukov on the checker, its header unmodified: its atomics come from the
// checker through libcds's own configuration macro. For sources that are compiled with the shim.
#pragma once

#include <cds/container/vyukov_mpmc_cycle_queue.h>

#include <pto2/checker.hpp>

namespace pto2::model {

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

struct LibcdsTraits : cds::container::vyukov_queue::traits {
  // Elements must be constructed: the checker knows atomics by their construction.
  using buffer = cds::opt::v::initialized_static_buffer<void*, 2>;
  using value_cleaner = cds::opt::v::empty_cleaner;
  using back_off = IdleBackOff;
  using item_counter = cds::atomicity::empty_item_counter;
};

/// Room for two numbers.
class LibcdsQueue {
 public:
  /// False if it is full.
  bool push(int value) {
    return queue_.enqueue_with([value](Number& slot) { slot.value.write(value); });
  }
  /// 0 if it is empty.
  int pop() {
    int value = 0;
    queue_.dequeue_with([&value](Number& slot) { value = slot.value.read(); });
    return value;
  }

 private:
  cds::container::VyukovMPMCCycleQueue<Number, LibcdsTraits> queue_;
};

}  // namespace pto2::model

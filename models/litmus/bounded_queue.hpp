// Vyukov's bounded queue for many producers and consumers (1024cores.net): every slot carries the
// number of the turn that may use it next.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <pto2/checker.hpp>
#include <vector>

namespace pto2::model::litmus {

/// The orders in which a slot is handed on.
struct BoundedQueueOrders {
  std::memory_order publish = std::memory_order_release;  ///< by a producer, to a consumer
  std::memory_order recycle = std::memory_order_release;  ///< by a consumer, to the next producer
};

class BoundedQueue {
 public:
  BoundedQueue(int capacity, BoundedQueueOrders orders) : orders_(orders), capacity_(capacity) {
    for (int i = 0; i < capacity; ++i) slots_.push_back(std::make_unique<Slot>(i));
  }

  /// False when the queue is full.
  bool push(int value) {
    const int turn = claim(tail_, 0);
    if (turn < 0) return false;
    slot(turn).value.write(value);
    slot(turn).turn.store(turn + 1, orders_.publish);
    return true;
  }
  /// Nothing when the queue is empty, or its first value is not there yet.
  std::optional<int> pop() {
    const int turn = claim(head_, 1);
    if (turn < 0) return std::nullopt;
    const int value = slot(turn).value.read();
    slot(turn).turn.store(turn + capacity_, orders_.recycle);
    return value;
  }

 private:
  struct Slot {
    explicit Slot(int first) : turn(first, "turn") {}
    atomic<int> turn;
    cell<int> value;
  };
  Slot& slot(int turn) { return *slots_[static_cast<std::size_t>(turn % capacity_)]; }

  /// The next turn at `position`, once its slot is `ahead` of it; -1 when the slot is behind.
  int claim(atomic<int>& position, int ahead) {
    int turn = position.load(std::memory_order_relaxed);
    while (true) {
      const int lead = slot(turn).turn.load(std::memory_order_acquire) - turn - ahead;
      if (lead < 0) return -1;
      if (lead > 0) {
        turn = position.load(std::memory_order_relaxed);
      } else if (position.compare_exchange_weak(turn, turn + 1, std::memory_order_relaxed)) {
        return turn;
      }
    }
  }

  BoundedQueueOrders orders_;
  int capacity_;
  atomic<int> tail_{0, "tail"};
  atomic<int> head_{0, "head"};
  std::vector<std::unique_ptr<Slot>> slots_;
};

/// Producers push `each` values, consumers share them out, and all wait where they have to.
inline std::function<void()> through_bounded_queue(int capacity, int producers, int consumers,
                                                   int each, BoundedQueueOrders orders) {
  return [=] {
    BoundedQueue queue(capacity, orders);
    const int values = producers * each;
    std::vector<int> times(static_cast<std::size_t>(values));
    std::vector<thread> threads;
    for (int i = 0; i < producers; ++i) {
      threads.emplace_back([&, i] {
        for (int value = i * each; value < (i + 1) * each; ++value) {
          await([&] { return queue.push(value); });
        }
      });
    }
    for (int i = 0; i < consumers; ++i) {
      threads.emplace_back([&] {
        std::vector<int> next(static_cast<std::size_t>(producers));
        for (int taken = 0; taken < values / consumers; ++taken) {
          std::optional<int> value;
          await([&] { return (value = queue.pop()).has_value(); });
          check(*value >= 0 && *value < values, "a value that was pushed comes out");
          int& least = next[static_cast<std::size_t>(*value / each)];
          check(*value % each >= least, "a producer's values come out in order");
          least = *value % each + 1;
          ++times[static_cast<std::size_t>(*value)];
        }
      });
    }
    for (thread& t : threads) t.join();
    for (int count : times) check(count == 1, "every value comes out once");
  };
}

}  // namespace pto2::model::litmus

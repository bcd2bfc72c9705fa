// Chase and Lev's work-stealing deque (SPAA 2005) with the orders that Le, Pop, Cohen and Zappa
// Nardelli give it (PPoPP 2013, figure 1), in an array that does not grow.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <pto2/checker.hpp>
#include <vector>

namespace pto2::model::litmus {

/// The orders of its three fences.
struct DequeOrders {
  std::memory_order push = std::memory_order_release;
  std::memory_order take = std::memory_order_seq_cst;
  std::memory_order steal = std::memory_order_seq_cst;
};

/// The owner pushes and takes at the bottom, thieves steal at the top.
class WorkStealingDeque {
 public:
  WorkStealingDeque(int capacity, DequeOrders orders) : orders_(orders), capacity_(capacity) {
    for (int i = 0; i < capacity; ++i) slots_.push_back(std::make_unique<atomic<int>>(0, "slot"));
  }

  /// False when the array is full.
  bool push(int task) {
    const int bottom = bottom_.load(std::memory_order_relaxed);
    const int top = top_.load(std::memory_order_acquire);
    if (bottom - top >= capacity_) return false;
    slot(bottom).store(task, std::memory_order_relaxed);
    fence(orders_.push);
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return true;
  }

  std::optional<int> take() {
    const int bottom = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(bottom, std::memory_order_relaxed);
    fence(orders_.take);
    int top = top_.load(std::memory_order_relaxed);
    if (top > bottom) {
      bottom_.store(bottom + 1, std::memory_order_relaxed);
      return std::nullopt;
    }
    const int task = slot(bottom).load(std::memory_order_relaxed);
    if (top < bottom) return task;
    // The last task: thieves are after it too.
    const bool won = claim(top);
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return won ? std::optional(task) : std::nullopt;
  }

  /// Nothing when there is no task, or another thread claims it first.
  std::optional<int> steal() {
    int top = top_.load(std::memory_order_acquire);
    fence(orders_.steal);
    const int bottom = bottom_.load(std::memory_order_acquire);
    if (top >= bottom) return std::nullopt;
    const int task = slot(top).load(std::memory_order_relaxed);
    return claim(top) ? std::optional(task) : std::nullopt;
  }

 private:
  bool claim(int top) {
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed);
  }
  atomic<int>& slot(int position) {
    return *slots_[static_cast<std::size_t>(position % capacity_)];
  }

  DequeOrders orders_;
  int capacity_;
  atomic<int> top_{0, "top"};
  atomic<int> bottom_{0, "bottom"};
  std::vector<std::unique_ptr<atomic<int>>> slots_;
};

/// The owner pushes tasks 1..`tasks` and takes `takes` times; `thieves` threads steal `steals`
/// times each. What is left at the end, the owner takes: every task runs once.
inline std::function<void()> work_stealing(int tasks, int takes, int thieves, int steals,
                                           DequeOrders orders) {
  return [=] {
    WorkStealingDeque deque(tasks, orders);
    std::vector<int> runs(static_cast<std::size_t>(tasks) + 1);
    const auto run = [&](std::optional<int> task) {
      if (!task) return;
      check(*task >= 1 && *task <= tasks, "a task that was pushed comes out");
      ++runs[static_cast<std::size_t>(*task)];
    };
    std::vector<thread> others;
    for (int i = 0; i < thieves; ++i) {
      others.emplace_back([&] {
        for (int round = 0; round < steals; ++round) run(deque.steal());
      });
    }
    for (int task = 1; task <= tasks; ++task) deque.push(task);
    for (int round = 0; round < takes; ++round) run(deque.take());
    for (thread& other : others) other.join();
    for (int round = 0; round < tasks; ++round) run(deque.take());
    for (int task = 1; task <= tasks; ++task) {
      check(runs[static_cast<std::size_t>(task)] == 1, "every task runs once");
    }
  };
}

}  // namespace pto2::model::litmus

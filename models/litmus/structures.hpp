// Lock-free data structures, each with the order of its publishing step as an argument.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <pto2/checker.hpp>
#include <vector>

namespace pto2::model::litmus {

/// Treiber's stack over preallocated nodes; the version in the head's upper half defeats ABA.
class TreiberStack {
 public:
  TreiberStack(int nodes, std::memory_order publish) : publish_(publish) {
    for (int i = 0; i < nodes; ++i) nodes_.push_back(std::make_unique<Node>());
  }
  void push(int node, int value) {
    Node& own = at(node + 1);
    own.value.write(value);
    std::uint64_t head = 0;
    do {
      head = head_.load(std::memory_order_relaxed);
      own.next.store(index(head), std::memory_order_relaxed);
    } while (!head_.compare_exchange_weak(head, pack(node + 1, head), publish_,
                                          std::memory_order_relaxed));
  }
  /// An attempt that fails has had no effect, unlike one of push: it need not be a step.
  std::optional<int> pop() {
    std::uint64_t head = 0;
    await([&] {
      head = head_.load(std::memory_order_acquire);
      if (index(head) == 0) return true;
      const int next = at(index(head)).next.load(std::memory_order_relaxed);
      return head_.compare_exchange_weak(head, pack(next, head), std::memory_order_acquire,
                                         std::memory_order_relaxed);
    });
    if (index(head) == 0) return std::nullopt;
    return at(index(head)).value.read();
  }

 private:
  struct Node {
    atomic<int> next{0, "next"};
    cell<int> value;
  };
  /// Nodes count from 1 in the head; 0 is none.
  Node& at(int node) { return *nodes_[static_cast<std::size_t>(node - 1)]; }
  static int index(std::uint64_t head) { return static_cast<int>(head & 0xffffffff); }
  static std::uint64_t pack(int node, std::uint64_t before) {
    return ((before >> 32) + 1) << 32 | static_cast<std::uint64_t>(node);
  }

  std::memory_order publish_;
  atomic<std::uint64_t> head_{0, "head"};
  std::vector<std::unique_ptr<Node>> nodes_;
};

/// `pushes` threads push a value each, `pops` threads pop once.
inline std::function<void()> through_treiber_stack(int pushes, int pops,
                                                   std::memory_order publish) {
  return [=] {
    TreiberStack stack(pushes, publish);
    std::vector<int> times(static_cast<std::size_t>(pushes));
    std::vector<thread> threads;
    for (int i = 0; i < pushes; ++i) {
      threads.emplace_back([&, i] { stack.push(i, i); });
    }
    for (int i = 0; i < pops; ++i) {
      threads.emplace_back([&] {
        const auto value = stack.pop();
        if (!value) return;
        check(*value >= 0 && *value < pushes, "a pushed value comes out");
        ++times[static_cast<std::size_t>(*value)];
      });
    }
    for (thread& t : threads) t.join();
    for (int count : times) check(count <= 1, "no value comes out twice");
  };
}

/// Michael and Scott's queue (PODC 1996) over preallocated nodes; node 0 is the first dummy.
class MichaelScottQueue {
 public:
  MichaelScottQueue(int nodes, std::memory_order publish) : publish_(publish) {
    for (int i = 0; i <= nodes; ++i) nodes_.push_back(std::make_unique<Node>());
  }
  void enqueue(int node, int value) {
    at(node + 1).value.write(value);
    while (true) {
      int tail = tail_.load(std::memory_order_acquire);
      int next = at(tail).next.load(std::memory_order_acquire);
      if (next != 0) {
        tail_.compare_exchange_strong(tail, next, std::memory_order_release,
                                      std::memory_order_relaxed);
        continue;
      }
      if (at(tail).next.compare_exchange_strong(next, node + 1, publish_,
                                                std::memory_order_relaxed)) {
        tail_.compare_exchange_strong(tail, node + 1, std::memory_order_release,
                                      std::memory_order_relaxed);
        return;
      }
    }
  }
  std::optional<int> dequeue() {
    while (true) {
      int head = head_.load(std::memory_order_acquire);
      int tail = tail_.load(std::memory_order_acquire);
      const int next = at(head).next.load(std::memory_order_acquire);
      if (next == 0) return std::nullopt;
      if (head == tail) {
        tail_.compare_exchange_strong(tail, next, std::memory_order_release,
                                      std::memory_order_relaxed);
        continue;
      }
      if (head_.compare_exchange_strong(head, next, std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
        return at(next).value.read();
      }
    }
  }

 private:
  struct Node {
    atomic<int> next{0, "next"};
    cell<int> value;
  };
  Node& at(int node) { return *nodes_[static_cast<std::size_t>(node)]; }

  std::memory_order publish_;
  atomic<int> head_{0, "head"};
  atomic<int> tail_{0, "tail"};
  std::vector<std::unique_ptr<Node>> nodes_;
};

/// `enqueues` threads enqueue a value each, `dequeues` threads dequeue once.
inline std::function<void()> through_michael_scott_queue(int enqueues, int dequeues,
                                                         std::memory_order publish) {
  return [=] {
    MichaelScottQueue queue(enqueues, publish);
    std::vector<int> times(static_cast<std::size_t>(enqueues));
    std::vector<thread> threads;
    for (int i = 0; i < enqueues; ++i) {
      threads.emplace_back([&, i] { queue.enqueue(i, i); });
    }
    for (int i = 0; i < dequeues; ++i) {
      threads.emplace_back([&] {
        const auto value = queue.dequeue();
        if (!value) return;
        check(*value >= 0 && *value < enqueues, "an enqueued value comes out");
        ++times[static_cast<std::size_t>(*value)];
      });
    }
    for (thread& t : threads) t.join();
    for (int count : times) check(count <= 1, "no value comes out twice");
  };
}

/// A ring for one producer and one consumer.
class SpscRing {
 public:
  SpscRing(int capacity, std::memory_order publish) : publish_(publish), capacity_(capacity) {
    for (int i = 0; i < capacity; ++i) slots_.push_back(std::make_unique<cell<int>>());
  }
  bool push(int value) {
    const int tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == capacity_) return false;
    slots_[static_cast<std::size_t>(tail % capacity_)]->write(value);
    tail_.store(tail + 1, publish_);
    return true;
  }
  std::optional<int> pop() {
    const int head = head_.load(std::memory_order_relaxed);
    if (tail_.load(std::memory_order_acquire) == head) return std::nullopt;
    const int value = slots_[static_cast<std::size_t>(head % capacity_)]->read();
    head_.store(head + 1, std::memory_order_release);
    return value;
  }

 private:
  std::memory_order publish_;
  int capacity_;
  atomic<int> head_{0, "head"};
  atomic<int> tail_{0, "tail"};
  std::vector<std::unique_ptr<cell<int>>> slots_;
};

/// A sequence lock around two words.
class SeqLock {
 public:
  explicit SeqLock(std::memory_order publish) : publish_(publish) {}
  void write(int value) {
    const int before = version_.load(std::memory_order_relaxed);
    version_.store(before + 1, std::memory_order_relaxed);
    fence(std::memory_order_release);
    first_.store(value, std::memory_order_relaxed);
    second_.store(value, std::memory_order_relaxed);
    version_.store(before + 2, publish_);
  }
  /// Both words, when nobody wrote meanwhile.
  std::optional<std::pair<int, int>> try_read() {
    const int before = version_.load(std::memory_order_acquire);
    if (before % 2 != 0) return std::nullopt;
    const std::pair<int, int> words{first_.load(std::memory_order_relaxed),
                                    second_.load(std::memory_order_relaxed)};
    fence(std::memory_order_acquire);
    if (version_.load(std::memory_order_relaxed) != before) return std::nullopt;
    return words;
  }

 private:
  std::memory_order publish_;
  atomic<int> version_{0, "version"};
  atomic<int> first_{0, "first"};
  atomic<int> second_{0, "second"};
};

}  // namespace pto2::model::litmus

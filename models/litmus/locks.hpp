// Mutual exclusion. Every lock takes the orders of its acquiring and its releasing step, so that a
// weaker twin is one argument away.
#pragma once

#include <functional>
#include <memory>
#include <pto2/checker.hpp>
#include <vector>

namespace pto2::model::litmus {

struct LockOrders {
  std::memory_order acquire = std::memory_order_acquire;
  std::memory_order release = std::memory_order_release;
};

class SpinLock {
 public:
  SpinLock(int, LockOrders orders) : orders_(orders) {}
  void lock(int) {
    await([&] { return state_.exchange(1, orders_.acquire) == 0; });
  }
  void unlock(int) { state_.store(0, orders_.release); }

 private:
  LockOrders orders_;
  atomic<int> state_{0, "lock"};
};

/// Test and test-and-set.
class TtasLock {
 public:
  TtasLock(int, LockOrders orders) : orders_(orders) {}
  void lock(int) {
    await([&] {
      return state_.load(std::memory_order_relaxed) == 0 &&
             state_.exchange(1, orders_.acquire) == 0;
    });
  }
  void unlock(int) { state_.store(0, orders_.release); }

 private:
  LockOrders orders_;
  atomic<int> state_{0, "lock"};
};

class TicketLock {
 public:
  TicketLock(int, LockOrders orders) : orders_(orders) {}
  void lock(int) {
    const int mine = next_.fetch_add(1, std::memory_order_relaxed);
    await([&] { return serving_.load(orders_.acquire) == mine; });
  }
  void unlock(int) {
    serving_.store(serving_.load(std::memory_order_relaxed) + 1, orders_.release);
  }

 private:
  LockOrders orders_;
  atomic<int> next_{0, "next"};
  atomic<int> serving_{0, "serving"};
};

/// Mellor-Crummey and Scott, ACM TOCS 1991. `Node` i belongs to thread i.
class McsLock {
 public:
  McsLock(int threads, LockOrders orders) : orders_(orders) {
    for (int i = 0; i < threads; ++i) nodes_.push_back(std::make_unique<Node>());
  }
  void lock(int self) {
    Node& own = *nodes_[static_cast<std::size_t>(self)];
    own.next.store(-1, std::memory_order_relaxed);
    own.waits.store(1, std::memory_order_relaxed);
    const int before = tail_.exchange(self, std::memory_order_acq_rel);
    if (before < 0) return;
    nodes_[static_cast<std::size_t>(before)]->next.store(self, std::memory_order_release);
    await([&] { return own.waits.load(orders_.acquire) == 0; });
  }
  void unlock(int self) {
    Node& own = *nodes_[static_cast<std::size_t>(self)];
    if (own.next.load(std::memory_order_acquire) < 0) {
      int expected = self;
      if (tail_.compare_exchange_strong(expected, -1, std::memory_order_release,
                                        std::memory_order_relaxed)) {
        return;
      }
      await([&] { return own.next.load(std::memory_order_acquire) >= 0; });
    }
    const int next = own.next.load(std::memory_order_acquire);
    nodes_[static_cast<std::size_t>(next)]->waits.store(0, orders_.release);
  }

 private:
  struct Node {
    atomic<int> next{-1, "next"};
    atomic<int> waits{0, "waits"};
  };

  LockOrders orders_;
  atomic<int> tail_{-1, "tail"};
  std::vector<std::unique_ptr<Node>> nodes_;
};

/// Peterson's lock for two threads. `acquire` is the order of its entry protocol: seq_cst.
class PetersonLock {
 public:
  PetersonLock(int, LockOrders orders) : orders_(orders) {}
  void lock(int self) {
    const int other = 1 - self;
    interested_[self].store(1, entry_store());
    turn_.store(other, entry_store());
    await([&] {
      return interested_[other].load(entry_load()) == 0 || turn_.load(entry_load()) == self;
    });
  }
  void unlock(int self) { interested_[self].store(0, orders_.release); }

 private:
  bool strong() const { return orders_.acquire == std::memory_order_seq_cst; }
  std::memory_order entry_store() const {
    return strong() ? std::memory_order_seq_cst : std::memory_order_release;
  }
  std::memory_order entry_load() const {
    return strong() ? std::memory_order_seq_cst : std::memory_order_acquire;
  }

  LockOrders orders_;
  atomic<int> interested_[2];
  atomic<int> turn_{0, "turn"};
};

/// Szymanski's lock (ICS 1988) for two threads, thread 0 before thread 1. `acquire` is the order in
/// which a thread looks around from the doorway; this and every other order is seq_cst.
class SzymanskiLock {
 public:
  SzymanskiLock(int, LockOrders orders) : orders_(orders) {}
  void lock(int self) {
    atomic<int>& own = states_[self];
    atomic<int>& other = states_[1 - self];
    own.store(wants);
    await([&] { return other.load() <= waits; });
    own.store(in_doorway);
    if (other.load(orders_.acquire) == wants) {
      own.store(waits);
      await([&] { return other.load() == inside; });
    }
    own.store(inside);
    if (self == 1) {
      await([&] { return other.load() <= wants; });
    }
  }
  void unlock(int self) {
    if (self == 0) {
      // A thread that has passed the doorway must first see that the door is closed.
      await([&] {
        const int state = states_[1].load();
        return state <= wants || state == inside;
      });
    }
    states_[self].store(outside, orders_.release);
  }

 private:
  enum State { outside, wants, waits, in_doorway, inside };

  LockOrders orders_;
  atomic<int> states_[2];
};

/// Dekker's entry protocol without its retreat: whoever sees the other gives up.
class DekkerTryLock {
 public:
  DekkerTryLock(int, LockOrders orders) : orders_(orders) {}
  bool try_lock(int self) {
    wants_[self].store(1, std::memory_order_relaxed);
    fence(orders_.acquire);
    return wants_[1 - self].load(std::memory_order_acquire) == 0;
  }
  void unlock(int self) { wants_[self].store(0, orders_.release); }

 private:
  LockOrders orders_;
  atomic<int> wants_[2];
};

/// Any number of readers or one writer; whoever comes in between waits.
class ReadersWriterLock {
 public:
  ReadersWriterLock(LockOrders exclusive, LockOrders shared)
      : exclusive_(exclusive), shared_(shared) {}
  void lock() {
    await([&] {
      int none = 0;
      return holders_.compare_exchange_strong(none, writer, exclusive_.acquire,
                                              std::memory_order_relaxed);
    });
  }
  void unlock() { holders_.store(0, exclusive_.release); }
  void lock_shared() {
    await([&] {
      int readers = holders_.load(std::memory_order_relaxed);
      return readers != writer &&
             holders_.compare_exchange_strong(readers, readers + 1, shared_.acquire,
                                              std::memory_order_relaxed);
    });
  }
  /// A decrement continues the release sequences of those before it, so the writer that comes after
  /// the last reader comes after all of them.
  void unlock_shared() { holders_.fetch_sub(1, shared_.release); }

 private:
  static constexpr int writer = -1;

  LockOrders exclusive_, shared_;
  atomic<int> holders_{0, "holders"};
};

/// `threads` threads increment a cell under the lock, `rounds` times each.
template <class Lock>
std::function<void()> counter_under(int threads, int rounds, LockOrders orders) {
  return [=] {
    Lock lock(threads, orders);
    cell<int> count{0, "count"};
    std::vector<thread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&, i] {
        for (int round = 0; round < rounds; ++round) {
          lock.lock(i);
          count.write(count.read() + 1);
          lock.unlock(i);
        }
      });
    }
    for (thread& worker : workers) worker.join();
    check(count.read() == threads * rounds, "no increment is lost");
  };
}

/// Writers increment two cells together, readers compare the two, once each.
inline std::function<void()> pair_under_readers_writer_lock(int writers, int readers,
                                                            LockOrders exclusive,
                                                            LockOrders shared) {
  return [=] {
    ReadersWriterLock lock(exclusive, shared);
    cell<int> first{0, "first"}, second{0, "second"};
    std::vector<thread> threads;
    for (int i = 0; i < writers; ++i) {
      threads.emplace_back([&] {
        lock.lock();
        first.write(first.read() + 1);
        second.write(second.read() + 1);
        lock.unlock();
      });
    }
    for (int i = 0; i < readers; ++i) {
      threads.emplace_back([&] {
        lock.lock_shared();
        check(first.read() == second.read(), "a reader sees whole updates");
        lock.unlock_shared();
      });
    }
    for (thread& t : threads) t.join();
    check(first.read() == writers && second.read() == writers, "no update is lost");
  };
}

}  // namespace pto2::model::litmus

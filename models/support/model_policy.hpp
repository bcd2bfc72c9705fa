/// The model policy: core on the checker's atomics and cells.
///
/// Waiting is the checker's, which lets a thread go on after any write that could help: a ring that
/// is there for await() does nothing here, and a missing one is for the seeded policy to find. A
/// thread that uses idle() waits for its doorbell alone.
#pragma once

#include <cstdint>
#include <memory>
#include <pto2/checker.hpp>
#include <set>
#include <source_location>
#include <span>
#include <vector>

#include "core/policy.hpp"
#include "runtime/executors/execution_policy.hpp"
#include "runtime/executors/sound_chip.hpp"
#include "runtime/executors/weakening.hpp"

namespace pto2::scenarios {

/// A bounded FIFO of places with room for up to 2, as one word, so that each operation is a single
/// step. A pop happens after the pushes before it.
template <class T>
class ModelQueue {
 public:
  explicit ModelQueue(std::size_t capacity) : capacity_(capacity) {
    model::check(capacity <= most, "a queue of the model has room for 2");
  }

  [[nodiscard]] bool try_push(const T& value) {
    uint64_t word = entries_.load(std::memory_order_relaxed);
    do {
      if (size_of(word) == capacity_) return false;
    } while (!entries_.compare_exchange_strong(
        word, pushed(word, value.value), std::memory_order_release, std::memory_order_relaxed));
    return true;
  }

  [[nodiscard]] bool try_pop(T& value) {
    uint64_t word = entries_.load(std::memory_order_relaxed);
    do {
      if (size_of(word) == 0) return false;
    } while (!entries_.compare_exchange_strong(word, popped(word), std::memory_order_acquire,
                                               std::memory_order_relaxed));
    value = T{static_cast<uint32_t>(word & entry_mask)};
    return true;
  }

 private:
  static constexpr std::size_t most = 2;
  static constexpr uint32_t entry_bits = 22;
  static constexpr uint64_t entry_mask = (uint64_t{1} << entry_bits) - 1;
  static constexpr uint32_t size_shift = most * entry_bits;
  static constexpr uint64_t one = uint64_t{1} << size_shift;

  static std::size_t size_of(uint64_t word) { return word >> size_shift; }
  static uint64_t pushed(uint64_t word, uint32_t value) {
    model::check(value <= entry_mask, "an entry of a queue of the model has 22 bits");
    return (word | uint64_t{value} << (entry_bits * size_of(word))) + one;
  }
  static uint64_t popped(uint64_t word) {
    return (word % one) >> entry_bits | (size_of(word) - 1) * one;
  }

  std::size_t capacity_;
  model::atomic<uint64_t> entries_{0};
};

/// A word to sleep on, as libstdc++ makes one of a futex. A sleeper counts itself before it looks
/// at the word; who notifies looks at the count first, and leaves it at that if nobody is there.
/// Who is woken has synchronised with who notified, so that a word whose own order is too weak is
/// found where nobody had to be woken.
class ModelSleepWord : public model::atomic<uint32_t> {
 public:
  using model::atomic<uint32_t>::atomic;

  void wait(uint32_t old, std::memory_order order,
            std::source_location where = std::source_location::current()) {
    sleepers_.fetch_add(1, std::memory_order_seq_cst, where);
    uint32_t seen = wakes_.load(std::memory_order_acquire, where);
    while (load(order, where) == old) {
      uint32_t now = seen;
      const auto is_woken = [&] {
        now = wakes_.load(std::memory_order_acquire, where);
        return now != seen;
      };
      model::await(is_woken, where);
      seen = now;
    }
    sleepers_.fetch_sub(1, std::memory_order_release, where);
  }
  void notify_one(std::source_location where = std::source_location::current()) {
    model::check(notify(where) <= 1, "one thread at most sleeps where notify_one() is used", where);
  }
  void notify_all(std::source_location where = std::source_location::current()) { notify(where); }

 private:
  uint32_t notify(const std::source_location& where) {
    const uint32_t sleepers = sleepers_.load(std::memory_order_seq_cst, where);
    if (sleepers != 0) wakes_.fetch_add(1, std::memory_order_release, where);
    return sleepers;
  }

  model::atomic<uint32_t> sleepers_{0};
  model::atomic<uint32_t> wakes_{0};
};

/// The edge that core/policy.hpp promises of a ring. No tool but the checker can weaken it here.
struct ModelBellOrders {
  /// Publishes what was stored before; partner of hear.
  static constexpr OrderSite ring{"policy.ring", Operation::store, std::memory_order_release};
  /// Observes it; partner of ring.
  static constexpr OrderSite hear{"policy.hear", Operation::load, std::memory_order_acquire};
};

/// The doorbell of one thread: how often each other thread has rung it. Rings of different threads
/// stay unordered, so those that nobody listens to cost nothing. Of a thread whose number only a
/// replay token has made up, std::out_of_range is thrown.
class ModelBell {
 public:
  explicit ModelBell(std::size_t threads) : rung_(threads), counts_(threads), heard_(threads) {}

  void ring();
  void await_ring(const std::source_location& where);

 private:
  std::vector<model::atomic<uint32_t>> rung_;
  std::vector<uint32_t> counts_;  // entry i is thread i's
  std::vector<uint32_t> heard_;   // the listener's
};

/// An array of objects that are made one by one: the checker knows each of them.
template <class T>
class ModelArray {
 public:
  explicit ModelArray(std::size_t count) : items_(std::make_unique<T[]>(count)), count_(count) {}
  [[nodiscard]] std::span<T> span() const { return {items_.get(), count_}; }
  [[nodiscard]] T& operator[](std::size_t i) const { return items_[i]; }

 private:
  std::unique_ptr<T[]> items_;
  std::size_t count_;
};

struct Model : executors::SoundChip {
  static constexpr const char* name = "model";
  static constexpr bool explores_everything = true;

  template <class T>
  using atomic = model::atomic<T>;
  template <class T>
  using cell = model::cell<T>;
  template <class T>
  using bounded_queue = ModelQueue<T>;
  template <class T>
  using shared_array = ModelArray<T>;
  using sleep_word = ModelSleepWord;

  /// The order of the site, or the one that `weakening` puts in its place.
  static std::memory_order order(const OrderSite& site,
                                 std::source_location where = std::source_location::current()) {
    const OrderUse use{&site, where};
    if (uses_met != nullptr) uses_met->insert(use);
    return weakening.order_at(use);
  }

  /// Changes while nothing is explored.
  static inline Weakening weakening;
  /// Collects the uses that this OS thread passes, unless null.
  static inline thread_local std::set<OrderUse>* uses_met = nullptr;

  class doorbell {
   public:
    doorbell() = default;
    explicit doorbell(ModelBell& bell) : bell_(&bell) {}
    void ring() const {
      if (bell_ != nullptr) bell_->ring();
    }

   private:
    ModelBell* bell_ = nullptr;
  };

  template <class Predicate>
  static void await(Predicate&& predicate,
                    std::source_location where = std::source_location::current()) {
    model::await(predicate, where);
  }
  template <class Predicate>
  static void spin(Predicate&& predicate,
                   std::source_location where = std::source_location::current()) {
    model::await(predicate, where);
  }
  /// The caller's bell must be in `bells`. As with rings, a token may have made up its number.
  static void idle(std::source_location where = std::source_location::current()) {
    bells->at(static_cast<std::size_t>(model::this_thread_id()))->await_ring(where);
  }

  /// Polling sleeps until something changes that was read, or the loop is over, so nobody needs to
  /// park. A round that got something done changes what the next one reads.
  template <class Predicate>
  static bool yield(Predicate&& is_over, bool in_vain,
                    std::source_location where = std::source_location::current()) {
    return in_vain && model::idle(is_over, where);
  }
  static bool give_way() { return false; }
  static uint32_t polling_rounds() { return UINT32_MAX; }
  static uint32_t parallelism() { return UINT32_MAX; }

  static void run_kernel(void (*kernel)(int64_t*), int64_t* args) { kernel(args); }
  template <class Section>
  static void run_kernels(Section&& section) {
    section(run_kernel);
  }
  static void prefetch_for_write(const void*) {}
  /// There is no time: nobody loses patience.
  static constexpr uint64_t ticks_per_second = 1;
  static uint64_t now() { return 0; }

  static void check(bool holds, const char* what, const std::source_location& where) {
    model::check(holds, what, where);
  }
  static void happened(const char* what) { model::sometimes(what); }

  /// By thread, null for those that do not idle. Set by whoever runs a scenario that does; each OS
  /// thread explores executions of its own.
  static inline thread_local const std::vector<ModelBell*>* bells = nullptr;
};

static_assert(executors::ExecutionPolicy<Model>);

inline void ModelBell::ring() {
  using P = Model;
  const auto ringer = static_cast<std::size_t>(model::this_thread_id());
  rung_.at(ringer).store(++counts_[ringer], P::order(ModelBellOrders::ring));
}

inline void ModelBell::await_ring(const std::source_location& where) {
  using P = Model;
  std::vector<uint32_t> now(rung_.size());
  model::await(
      [&] {
        for (std::size_t i = 0; i < now.size(); ++i) {
          now[i] = rung_[i].load(P::order(ModelBellOrders::hear));
        }
        return now != heard_;
      },
      where);
  heard_ = now;
}

}  // namespace pto2::scenarios

/// The ledger policy: a simulation whose memory counts the cache lines that change hands
/// (ledger_memory.hpp). Whatever threads share lies in the lines that it has with the hardware
/// policy: atomics and cells are as large as there, and the queue is laid out like that one.
///
/// What it leaves out are doorbells, which belong to the executor, and plain members that one
/// thread alone uses.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>

#include "bench/ledger_memory.hpp"
#include "runtime/executors/machine.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/executors/simulated.hpp"
#include "runtime/run/run_state.hpp"

namespace pto2::bench {

/// The structure that a cell of a T is counted for. Few types are in more than one; there it is the
/// one that every task has.
template <class T>
inline constexpr std::string_view structure_of_cell = "plain_data";
template <>
inline constexpr std::string_view structure_of_cell<uint32_t> = "task_slot";
template <>
inline constexpr std::string_view structure_of_cell<TaskDescriptor> = "task_slot";
template <>
inline constexpr std::string_view structure_of_cell<TaskArguments> = "task_arguments";
template <>
inline constexpr std::string_view structure_of_cell<TaskId> = "dependency_node";
template <>
inline constexpr std::string_view structure_of_cell<SlotId> = "dependency_node";
template <>
inline constexpr std::string_view structure_of_cell<NodeId> = "dependency_node";

/// Where the first line of a cell's data is: in the cell, or where arguments are that it tells.
template <class T>
const void* first_line_of(const T& value) {
  return &value;
}
template <>
inline const void* first_line_of(const TaskArguments& arguments) {
  return &arguments.call();
}

/// Plain data.
template <class T>
class LedgerCell {
 public:
  /// What is used of data that is accessed in place is not known: its first line is counted, when
  /// the access ends.
  template <class Cell, class Value>
  class Guard {
   public:
    explicit Guard(Cell& cell) : cell_(cell) {}
    ~Guard() { cell_.touch(!std::is_const_v<Value>, first_line_of<T>(cell_.value_), 1); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    Value& operator*() const { return cell_.value_; }
    Value* operator->() const { return &cell_.value_; }

   private:
    Cell& cell_;
  };

  LedgerCell() = default;
  explicit LedgerCell(const T& value) : value_(value) {}

  [[nodiscard]] T read() const {
    touch(false, &value_, sizeof value_);
    return value_;
  }
  void write(const T& value) {
    touch(true, &value_, sizeof value_);
    value_ = value;
  }
  [[nodiscard]] auto reading() const { return Guard<const LedgerCell, const T>(*this); }
  [[nodiscard]] auto editing() { return Guard<LedgerCell, T>(*this); }

 private:
  void touch(bool writes, const void* data, std::size_t bytes) const {
    LedgerMemory* const memory = executors::memory_at_point<LedgerMemory>();
    if (memory != nullptr) memory->touch(writes, data, bytes, structure_of_cell<T>);
  }

  T value_{};
};

struct LedgerQueueOrders {
  static constexpr OrderSite look{"ready_queue.look", Operation::load, std::memory_order_acquire};
  static constexpr OrderSite claim{"ready_queue.claim", Operation::update,
                                   std::memory_order_relaxed};
  static constexpr OrderSite pass_on{"ready_queue.pass_on", Operation::store,
                                     std::memory_order_release};
};

/// The steps of the hardware policy's queue (runtime/executors/vyukov_queue.hpp) on its layout: the
/// two ends in lines of their own, the entries side by side. An operation tries again while another
/// thread is between its two steps, so the schedule must be one under which that one goes on.
template <class T>
class LedgerQueue {
 public:
  /// `capacity` must be a power of two.
  explicit LedgerQueue(std::size_t capacity) : capacity_(capacity), entries_(capacity) {
    for (uint64_t i = 0; i < capacity; ++i) pass_on(i, i);
  }

  [[nodiscard]] bool try_push(const T& value) {
    const std::optional<uint64_t> turn = claim(pushes_, 0, pops_, capacity_);
    if (!turn) return false;
    entry(*turn).value = value;
    pass_on(*turn, *turn + 1);
    return true;
  }
  [[nodiscard]] bool try_pop(T& value) {
    const std::optional<uint64_t> turn = claim(pops_, 1, pushes_, 0);
    if (!turn) return false;
    value = entry(*turn).value;
    pass_on(*turn, *turn + capacity_);
    return true;
  }

 private:
  using Policy = executors::Simulated<LedgerMemory>;
  using Orders = LedgerQueueOrders;
  using Word = Policy::atomic<uint64_t>;
  struct Entry {
    Word sequence;  ///< the turn of the push that may use it; one more: of the pop
    T value;        ///< in the line of the sequence, and used between two accesses to that
  };

  /// The next turn at the end `own`, whose entry must be `ahead` of it. None if `own` is so many
  /// turns before the `other` end that there is nothing to do.
  [[nodiscard]] std::optional<uint64_t> claim(Word& own, uint64_t ahead, Word& other,
                                              uint64_t idle_distance) {
    uint64_t turn = own.load(Policy::order(Orders::look));
    for (;;) {
      const uint64_t sequence = entry(turn).sequence.load(Policy::order(Orders::look));
      if (sequence == turn + ahead) {
        if (own.compare_exchange_strong(turn, turn + 1, Policy::order(Orders::claim),
                                        Policy::order(Orders::look))) {
          return turn;
        }
        continue;
      }
      if (sequence < turn + ahead &&
          turn - other.load(Policy::order(Orders::look)) == idle_distance) {
        return std::nullopt;
      }
      turn = own.load(Policy::order(Orders::look));
    }
  }
  void pass_on(uint64_t turn, uint64_t sequence) {
    entry(turn).sequence.store(sequence, Policy::order(Orders::pass_on));
  }
  [[nodiscard]] Entry& entry(uint64_t turn) { return entries_[turn & (capacity_ - 1)]; }

  std::size_t capacity_;
  MappedArray<Entry> entries_;
  alignas(cache_line) Word pushes_;
  alignas(cache_line) Word pops_;
};

struct Ledger : executors::Simulated<LedgerMemory> {
  template <class T>
  using cell = LedgerCell<T>;
  template <class T>
  using bounded_queue = LedgerQueue<T>;
};
template <>
inline constexpr std::string_view structure_of_cell<DispatchPayload<Ledger>> = "core_mailbox";

static_assert(executors::LaunchPolicy<Ledger>);
static_assert(sizeof(Ledger::atomic<uint32_t>) == sizeof(executors::Machine::atomic<uint32_t>));
static_assert(sizeof(Ledger::atomic<uint64_t>) == sizeof(executors::Machine::atomic<uint64_t>));
static_assert(sizeof(Ledger::cell<uint32_t>) == sizeof(executors::Machine::cell<uint32_t>));

}  // namespace pto2::bench

/// The policy of simulations: a team under a schedule that follows from a seed (seeded_team.hpp),
/// on a memory of the kind `Memory`. Every access to shared data is a point of the schedule,
/// whatever the memory; what the memory decides is what an access sees, what is ordered by it, and
/// what a race of plain data is. Where no team runs, there is no point, and the newest value.
///
/// A ring happens before the return from idle() that hears it; await() gets nothing from rings but
/// that it looks again, so what its predicate reads must be ordered by itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "runtime/executors/execution_policy.hpp"
#include "runtime/executors/logical_thread.hpp"
#include "runtime/executors/mapped_array.hpp"
#include "runtime/executors/shared_ticker.hpp"
#include "runtime/executors/simulated_team.hpp"
#include "runtime/executors/weakening.hpp"

namespace pto2::executors {

/// The memory as the running thread sees it, at a point of the schedule; null while no team runs.
template <class Memory>
Memory* memory_at_point() {
  SimulatedTeam<Memory>* const team = SimulatedTeam<Memory>::active();
  if (team == nullptr) return nullptr;
  team->point();
  return &team->memory();
}

/// A point after a store, in some schedules: what the storing thread does next, without another
/// access to shared data, can come late.
template <class Memory>
void point_after_store() {
  if (auto* const team = SimulatedTeam<Memory>::active()) team->point_after_store();
}

/// std::atomic's interface.
template <class Memory, class T>
class SimulatedAtomic {
 public:
  SimulatedAtomic() = default;
  explicit SimulatedAtomic(T value) : value_(value) {}
  SimulatedAtomic(const SimulatedAtomic&) = delete;
  SimulatedAtomic& operator=(const SimulatedAtomic&) = delete;

  T load(std::memory_order order) const {
    Memory* const memory = memory_at_point<Memory>();
    return memory == nullptr ? value_ : value(memory->load(location_, bits(value_), order));
  }
  void store(T value, std::memory_order order) {
    Memory* const memory = memory_at_point<Memory>();
    if (memory != nullptr) memory->store(location_, bits(value_), bits(value), order);
    value_ = value;
    point_after_store<Memory>();
  }
  T exchange(T value, std::memory_order order) {
    return update(order, [&](T) { return value; });
  }
  T fetch_add(T n, std::memory_order order) {
    return update(order, [&](T v) { return static_cast<T>(v + n); });
  }
  T fetch_sub(T n, std::memory_order order) {
    return update(order, [&](T v) { return static_cast<T>(v - n); });
  }
  T fetch_or(T n, std::memory_order order) {
    return update(order, [&](T v) { return static_cast<T>(v | n); });
  }
  T fetch_and(T n, std::memory_order order) {
    return update(order, [&](T v) { return static_cast<T>(v & n); });
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) {
    Memory* const memory = memory_at_point<Memory>();
    const T seen =
        memory == nullptr
            ? value_
            : value(memory->load_to_compare(location_, bits(value_), bits(expected), failure));
    if (seen != expected) {
      expected = seen;
      return false;
    }
    write(memory, desired, success);
    return true;
  }

 private:
  static_assert(sizeof(T) <= sizeof(uint64_t));

  static uint64_t bits(T value) {
    uint64_t result = 0;
    std::memcpy(&result, &value, sizeof value);
    return result;
  }
  static T value(uint64_t bits) {
    T result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
  }
  template <class F>
  T update(std::memory_order order, F&& f) {
    Memory* const memory = memory_at_point<Memory>();
    const T before = value_;
    write(memory, f(before), order);
    return before;
  }
  void write(Memory* memory, T value, std::memory_order order) {
    if (memory != nullptr) memory->update(location_, bits(value_), bits(value), order);
    value_ = value;
    point_after_store<Memory>();
  }

  T value_{};
  [[no_unique_address]] typename Memory::Location location_;
};

/// A word to sleep on: whoever sleeps is parked until it is notified. A ring that comes meanwhile
/// is used up, which is no harm: who returns looks at everything again before it waits. Nobody
/// sleeps on an older value: a machine compares the word once more where it notes who sleeps.
template <class Memory>
class ParkingWord : public SimulatedAtomic<Memory, uint32_t> {
 public:
  using SimulatedAtomic<Memory, uint32_t>::SimulatedAtomic;

  void wait(uint32_t old, std::memory_order order) {
    SimulatedTeam<Memory>& team = *SimulatedTeam<Memory>::active();
    for (;;) {
      team.memory().begin_look();
      if (this->load(order) != old) return;
      if (team.memory().has_missed()) {
        team.give_way();
      } else {
        sleep(team);
      }
    }
  }
  void notify_one() {
    memory_at_point<Memory>();
    if (!sleepers_.empty()) wake_first();
  }
  void notify_all() {
    memory_at_point<Memory>();
    while (!sleepers_.empty()) wake_first();
  }

 private:
  void sleep(SeededTeam& team) {
    SeededThread& self = team.running();
    sleepers_.push_back(&self);
    while (std::ranges::find(sleepers_, &self) != sleepers_.end()) team.park();
  }
  void wake_first() {
    SeededThread* const first = sleepers_.front();
    sleepers_.erase(sleepers_.begin());
    first->ring();
  }

  std::vector<SeededThread*> sleepers_;
};

/// Plain data. A guard lets others run while it lives; on weak memory, its access is made at both
/// of its ends, and lasts in between. Where a race is an overlap and nothing else, the point of the
/// access is in its middle, so that there is one. A read has a point before it: what an atomic
/// access has just given away can be recycled before it is read.
template <class Memory, class T>
class SimulatedCell {
 public:
  /// An access that lasts as long as this lives.
  template <class Cell, class Value>
  class Guard {
   public:
    explicit Guard(Cell& cell) : cell_(cell) {
      if constexpr (Memory::is_weak) memory_at_point<Memory>();
      cell_.accesses_.begin(writes, typeid(T));
      if constexpr (!Memory::is_weak) memory_at_point<Memory>();
    }
    ~Guard() { cell_.accesses_.end(writes, typeid(T)); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    Value& operator*() const { return cell_.value_; }
    Value* operator->() const { return &cell_.value_; }

   private:
    static constexpr bool writes = !std::is_const_v<Value>;
    Cell& cell_;
  };
  using Reading = Guard<const SimulatedCell, const T>;
  using Editing = Guard<SimulatedCell, T>;

  SimulatedCell() = default;
  explicit SimulatedCell(const T& value) : value_(value) {}

  [[nodiscard]] T read() const {
    memory_at_point<Memory>();
    accesses_.touch(false, typeid(T));
    return value_;
  }
  void write(const T& value) { *editing() = value; }
  [[nodiscard]] Reading reading() const { return Reading(*this); }
  [[nodiscard]] Editing editing() { return Editing(*this); }

 private:
  T value_{};
  mutable typename Memory::Accesses accesses_;
};

/// A FIFO whose operations are single steps. On weak memory its entries are used in turn, after
/// Vyukov's queue: each orders its push before its pop, and that pop before the push that uses the
/// entry next, and nothing else. A thread that does not know of the other's step may find the queue
/// empty, or full.
template <class Memory, class T>
class SimulatedQueue {
 public:
  explicit SimulatedQueue(std::size_t capacity) : capacity_(capacity), entries_(capacity) {}

  [[nodiscard]] bool try_push(const T& value) {
    Memory* const memory = memory_at_point<Memory>();
    if (items_.size() == capacity_ || entries_.is_late(memory, pushed_)) return false;
    entries_.pass_on(memory, pushed_++);
    items_.push_back(value);
    point_after_store<Memory>();
    return true;
  }
  [[nodiscard]] bool try_pop(T& value) {
    Memory* const memory = memory_at_point<Memory>();
    if (items_.empty() || entries_.is_late(memory, popped_)) return false;
    entries_.pass_on(memory, popped_++);
    value = items_.front();
    items_.pop_front();
    // There a pop stores to its entry, too.
    if constexpr (Memory::is_weak) point_after_store<Memory>();
    return true;
  }

 private:
  std::size_t capacity_;
  std::deque<T> items_;
  [[no_unique_address]] typename Memory::Entries entries_;
  uint64_t pushed_ = 0;
  uint64_t popped_ = 0;
};

template <class Memory>
struct Simulated {
  static constexpr const char* name = Memory::name;
  static constexpr bool weak_memory = Memory::is_weak;

  template <class T>
  using atomic = SimulatedAtomic<Memory, T>;
  template <class T>
  using cell = SimulatedCell<Memory, T>;
  template <class T>
  using bounded_queue = SimulatedQueue<Memory, T>;
  /// What threads share of a ring: large, and valid when zeroed.
  template <class T>
  using shared_array = MappedArray<T>;
  using sleep_word = ParkingWord<Memory>;
  using team = SimulatedTeam<Memory>;
  using team_options = typename Memory::Options;
  [[nodiscard]] static std::string running_thread() { return executors::running_thread(); }

  static constexpr std::memory_order order(
      const OrderSite& site, std::source_location where = std::source_location::current()) {
    return Memory::order({&site, where});
  }

  class kernel_waiter;
  class doorbell {
   public:
    doorbell() = default;
    explicit doorbell(SeededThread& thread) : thread_(&thread) {}
    /// Before the run nothing needs to be ordered: all of it happens before.
    void ring() const {
      if (team* const here = team::active()) here->memory().tell(thread_->number());
      thread_->ring();
    }
    [[nodiscard]] bool is_lost() const { return thread_ != nullptr && thread_->is_lost(); }

   private:
    friend class kernel_waiter;
    SeededThread* thread_ = nullptr;
  };

  /// No point of the schedule is passed but in wait(): what kernels tell one another is no memory
  /// of the simulation.
  class kernel_waiter {
   public:
    explicit kernel_waiter(doorbell bell) : thread_(bell.thread_) {}
    void wait() const { team::active()->wait_in_kernel(); }
    [[nodiscard]] const Turn& turn() const { return team::active()->turn(); }
    void ring() const { thread_->ring(); }

   private:
    SeededThread* thread_;
  };

  /// There is no time here, so nothing is late and nobody is reminded. Only user's code takes time.
  class reminder {
   public:
    reminder(doorbell, team& threads, const StuckKernels& stuck)
        : watch_(stuck), ticker_([this, &threads, code = stuck.orchestration] {
            std::array states{threads.running_kernel(), KernelState{}};
            if (code != nullptr) states.back() = state_of(*code, states.front().thread);
            watch_.look(states);
          }) {}

   private:
    KernelWatch watch_;
    SharedTicker ticker_;
  };

  /// Who has looked at an older value looks again: no ring tells when the newer one comes.
  template <class Predicate>
  static void await(Predicate&& predicate) {
    team* const here = team::active();
    for (;;) {
      if (here != nullptr) here->memory().begin_look();
      if (predicate()) return;
      if (here->memory().has_missed()) {
        here->give_way();
      } else {
        here->park();
      }
    }
  }
  /// On weak memory rings that have ended another wait count: what they tell has not been heard.
  static void idle() {
    team& here = *team::active();
    if constexpr (Memory::is_weak) {
      while (!here.memory().hear() && !here.has_lost_core()) here.park();
    } else {
      here.park();
    }
  }

  /// The end of a round is a point of the schedule. Whether the caller's loop is over.
  template <class Predicate>
  static bool yield(Predicate&& is_over, bool /*in_vain*/) {
    memory_at_point<Memory>();
    return is_over();
  }
  static bool give_way() { return false; }
  [[nodiscard]] static uint32_t polling_rounds() { return team::active()->polling_rounds(); }
  /// Any order of steps is one that threads of their own could take.
  [[nodiscard]] static uint32_t parallelism() { return UINT32_MAX; }

  template <class Predicate>
  static void spin(Predicate&& predicate) {
    while (!predicate()) team::active()->give_way();
  }

  static void run_kernel(void (*kernel)(int64_t*), int64_t* args) {
    if (team* const here = team::active()) return here->run_kernel(kernel, args);
    kernel(args);
  }
  template <class Section>
  static void run_kernels(Section&& section) {
    section(run_kernel);
  }
  static void prefetch_for_write(const void*) {}

  static void chip_step(ChipStep step) { (void)team::active()->reach(step); }
  [[nodiscard]] static bool answers_again() { return team::active()->reach(ChipStep::answered); }
  [[nodiscard]] static bool has_lost_core() { return team::active()->has_lost_core(); }
  /// After the run, too.
  [[nodiscard]] static bool is_lost(const doorbell& bell) { return bell.is_lost(); }
  static constexpr uint64_t ticks_per_second = 1'000'000'000;
  [[nodiscard]] static uint64_t now() {
    const team* const here = team::active();
    return here == nullptr ? 0 : here->points();
  }
};

}  // namespace pto2::executors

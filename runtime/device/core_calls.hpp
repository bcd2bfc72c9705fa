/// What kernels ask of a launch while they run: pto_core_calls.h. None of it is asked by kernels
/// that wait for nobody, so it costs nothing where it is not used.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/kernel_waits.hpp"
#include "runtime/chip/chip.hpp"
#include "runtime/device/cluster_memory.hpp"
#include "runtime/device/quiet_run.hpp"
#include "runtime/device/thread_names.hpp"
#include "runtime/executors/execution_policy.hpp"
#include "runtime/executors/machine.hpp"
#include "runtime/executors/user_code.hpp"
#include "runtime/include/pto_core_calls.h"

namespace pto2 {

/// A wait ends when what it waits for holds. Else somebody ends it: in a simulation when nobody can
/// go on, which is exact; on hardware when the run is given up, when it has been quiet for long
/// (QuietRun), or when the wait has lasted for the deadline of kernels.
///
/// A pause is the wait of a kernel that has other work, and may announce something after it. Where
/// nobody can go on, pauses are ended first, and the other waits if that was in vain for long.
///
/// A kernel that waits again and again for what nobody does is in a turn of its own after each wait
/// (executors/kernel_watch.hpp), and would never be late. Once that has lasted for the deadline its
/// waits end where they begin, and the turn goes on until the kernel returns or is left.
///
/// What a kernel waits for must not wait itself. If it announces something, others are rung.
///
/// What kernels tell one another is no memory of a simulation: their waits are the machine's there,
/// too. A thread that a kernel has started may announce, but must not touch a simulation: that
/// hears of it when nobody can go on.
template <executors::LaunchPolicy P>
class CoreCalls {
 public:
  using Waits = KernelWaits<executors::Machine>;

  /// `is_given_up`: whether the run is, from any OS thread. `running_thread`: the name of the
  /// launch's logical thread that the calling OS thread runs; empty: it runs none.
  CoreCalls(const Chip& chip, uint64_t deadline_ms, std::function<bool()> is_given_up,
            std::function<std::string()> running_thread)
      : chip_(chip),
        longest_(executors::KernelWatch::looks_in(deadline_ms)),
        is_given_up_(std::move(is_given_up)),
        running_thread_(std::move(running_thread)),
        threads_(chip.workers(), typename P::kernel_waiter(typename P::doorbell())),
        words_(chip.workers()),
        seen_(chip.workers()),
        in_vain_(chip.workers()),
        pauses_(chip.workers()) {}
  CoreCalls(const CoreCalls&) = delete;
  CoreCalls& operator=(const CoreCalls&) = delete;

  /// Before the run: the doorbell of the logical thread that runs the kernels of a worker.
  void add(WorkerId worker, typename P::doorbell bell) {
    threads_[worker.value] = typename P::kernel_waiter(bell);
  }
  /// Before the run: the one that is to know when a kernel waits for the first time.
  void tell_of_waits(typename P::doorbell orchestrator) {
    orchestrator_ = typename P::kernel_waiter(orchestrator);
  }
  /// What kernels get. As long as this lives.
  [[nodiscard]] const PTOCoreCalls* table() const { return &table_; }
  [[nodiscard]] const Waits& waits() const { return waits_; }

  /// At each look, in a simulation, too.
  void count_look() { looks_.fetch_add(1, std::memory_order_relaxed); }
  /// The same by no logical thread, now and then: ends waits.
  void look(std::span<const executors::KernelState> threads) {
    count_look();
    const bool is_given_up = ask_if_given_up();
    const bool is_quiet = quiet_.look(threads, waits_.announcements());
    const bool are_all_in_vain = is_quiet && !(has_pauses() && pauses_may_help());
    end_some([&](uint32_t worker, uint64_t wait) {
      Seen& seen = seen_[worker];
      if (seen.wait != wait) seen = {wait, 0};
      const bool is_late = longest_ != 0 && ++seen.looks > longest_;
      if (is_given_up) return PTOWaited::GIVEN_UP;
      const bool is_next = are_all_in_vain || (is_quiet && is_pause(worker));
      return is_next || is_late ? PTOWaited::NOBODY : PTOWaited::HOLDS;
    });
  }
  /// The same when nobody can go on, as a simulation knows, which may not ask why. False: no wait
  /// goes on.
  bool end_all() {
    if (is_told_from_outside_.exchange(false, std::memory_order_acquire)) {
      ring_all_but(nobody);
      return !waits_.empty();
    }
    const bool ends_pauses = has_pauses() && pauses_may_help();
    bool any = false;
    end_some([&](uint32_t worker, uint64_t) {
      if (ends_pauses && !is_pause(worker)) return PTOWaited::HOLDS;
      any = true;
      return PTOWaited::NOBODY;
    });
    return any;
  }

 private:
  /// The wait of a worker that was last seen, and how often.
  struct Seen {
    uint64_t wait = 0;
    uint64_t looks = 0;
  };
  /// Waits of a kernel that nobody has ended, one after the other, with nothing announced.
  struct InVain {
    const executors::Turn* thread = nullptr;  ///< the OS thread's; null: there is none
    uint64_t turn = 0;                        ///< of that, behind the last one
    uint64_t announced = 0;                   ///< before that
    uint64_t since = 0;                       ///< looks before the first one
  };

  /// Pauses that were ended without the waits, in vain.
  struct PausesAlone {
    uint64_t announced = 0;  ///< before the last time
    uint64_t rounds = 0;     ///< since that was so
  };

  /// From its begin to its end, also if holds() throws. If the kernel is left there is none, but
  /// the run is given up then, and nothing else runs in its place.
  class OneWait {
   public:
    OneWait(CoreCalls& calls, uint32_t worker) : calls_(calls), worker_(worker) {
      if (calls.waits_.begin(worker)) calls.orchestrator_.ring();
    }
    /// Rings that were meant for the thread itself may have been used up: that of a core's exit, if
    /// the run is given up meanwhile, after which the core would not look.
    ~OneWait() {
      calls_.waits_.end(worker_);
      calls_.threads_[worker_].ring();
    }
    OneWait(const OneWait&) = delete;
    OneWait& operator=(const OneWait&) = delete;

   private:
    CoreCalls& calls_;
    const uint32_t worker_;
  };

  static constexpr uint64_t most_in_vain = 16;
  static constexpr uint32_t nobody = UINT32_MAX;  // in place of a worker

  /// Where nobody can go on but kernels that pause: whether pauses are to be ended alone, once
  /// more.
  [[nodiscard]] bool pauses_may_help() {
    const uint64_t announced = waits_.announcements();
    const bool is_in_vain = announced == pauses_alone_.announced;
    pauses_alone_ = {announced, is_in_vain ? pauses_alone_.rounds + 1 : 0};
    return pauses_alone_.rounds < most_in_vain;
  }

  /// On the thread of a worker whose kernel is about to wait: whether that is in vain.
  [[nodiscard]] bool has_waited_enough(uint32_t worker) {
    InVain& before = in_vain_[worker];
    const uint64_t looks = looks_.load(std::memory_order_relaxed);
    const executors::Turn& turn = threads_[worker].turn();
    const bool is_first = before.thread != &turn || before.turn != number_of(turn) ||
                          before.announced != waits_.announcements();
    if (is_first) before.since = looks;
    return longest_ != 0 && looks - before.since > longest_;
  }

  /// The same when it was, and so much had been announced before.
  void note_in_vain(uint32_t worker, uint64_t announced) {
    const executors::Turn& turn = threads_[worker].turn();
    in_vain_[worker].thread = &turn;
    in_vain_[worker].turn = number_of(turn);
    in_vain_[worker].announced = announced;
  }

  static uint64_t number_of(const executors::Turn& turn) {
    return turn.load(std::memory_order_relaxed);
  }

  [[nodiscard]] bool is_pause(uint32_t worker) const {
    return pauses_[worker].load(std::memory_order_relaxed);
  }

  /// Whether one of the waits that go on is a pause.
  [[nodiscard]] bool has_pauses() {
    bool has_one = false;
    end_some([&](uint32_t worker, uint64_t) {
      has_one = has_one || is_pause(worker);
      return PTOWaited::HOLDS;
    });
    return has_one;
  }

  /// In a simulation others run meanwhile.
  [[nodiscard]] bool ask_if_given_up() {
    const bool is_given_up = is_given_up_();
    if (is_given_up) was_given_up_.store(true, std::memory_order_relaxed);
    return is_given_up;
  }

  /// HOLDS: it goes on.
  template <class WhyEnded>
  void end_some(WhyEnded&& why_ended) {
    waits_.end_some(
        [&](uint32_t worker, uint64_t wait) {
          return static_cast<Waits::Reason>(why_ended(worker, wait));
        },
        [this](uint32_t worker) { threads_[worker].ring(); });
  }

  /// What `step` returns, of a call of ours within a kernel, which is not to blame if it lacks
  /// memory.
  template <class Step>
  static auto own(Step&& step) {
    try {
      return step();
    } catch (const std::bad_alloc&) {
      throw executors::NoMemoryForCall();
    }
  }

  /// holds() is the kernel's own, which may be left there, and goes on at `place`.
  static bool ask(bool (*holds)(void*), void* what, const void* place) {
    bool it_holds = false;
    {
      const executors::Asked asked;
      it_holds = holds(what);
    }
    executors::leave_if_late(place);
    return it_holds;
  }
  /// Of a kernel that is asked already. It is asked again anyway: so a pause is over.
  static PTOWaited wait_within(bool (*holds)(void*), void* what, bool is_pause) {
    if (holds(what) || is_pause) return PTOWaited::HOLDS;
    throw std::logic_error(
        "pto_wait() was called in what a pto_wait() or pto_pause() asks: wait for both at once");
  }

  PTOWaited wait(bool (*holds)(void*), void* what, bool is_pause, const void* place) {
    if (executors::Asked::is_any()) return wait_within(holds, what, is_pause);
    if (ask(holds, what, place)) return PTOWaited::HOLDS;
    std::optional<executors::OurCall> call(std::in_place);
    const std::optional<WorkerId> here = worker();
    if (!here) return PTOWaited::NOBODY;
    if (has_waited_enough(here->value)) {
      // Whoever asked again in a simulation would let others run, and begin another turn. Nobody
      // has run there since it was asked last.
      return was_given_up_.load(std::memory_order_relaxed) ? PTOWaited::GIVEN_UP
                                                           : PTOWaited::NOBODY;
    }
    pauses_[here->value].store(is_pause, std::memory_order_relaxed);
    const uint64_t before = waits_.announcements();
    const auto is_over = [&] {
      call.reset();
      const bool it_holds = ask(holds, what, place);
      call.emplace();
      return it_holds || (is_pause && waits_.announcements() != before);
    };
    const OneWait one(*this, here->value);
    Waits::Reason ended = 0;
    while (!is_over() && (ended = waits_.reason(here->value)) == 0) {
      own([&] { threads_[here->value].wait(); });
    }
    // Whoever pauses again and again may never be seen in a wait, and who ends the waits of a
    // simulation does not know why nobody can go on.
    const bool is_over_for_all = (is_pause || ended != 0) && ask_if_given_up();
    if (ended != 0 || is_over_for_all) note_in_vain(here->value, before);
    return is_over_for_all ? PTOWaited::GIVEN_UP : static_cast<PTOWaited>(ended);
  }

  /// Rung by itself, a kernel that announces something whenever it is asked would be all that runs
  /// in a simulation.
  void announce() {
    const executors::OurCall call;
    uint32_t own = nobody;
    if constexpr (executors::SimulatedPolicy<P>) {
      const std::optional<WorkerId> here = worker();
      if (!here) return is_told_from_outside_.store(true, std::memory_order_release);
      own = here->value;
    }
    ring_all_but(own);
  }
  void ring_all_but(uint32_t one) {
    waits_.announce([&](uint32_t worker) {
      if (worker != one) threads_[worker].ring();
    });
  }

  /// Of the calling thread, by its name, which is all that is known of it; nothing: it runs none.
  /// Names are made for who asks: a launch whose kernels do not costs no more for it.
  [[nodiscard]] std::optional<WorkerId> worker() {
    return own([this] {
      const std::scoped_lock lock(naming_);
      if (workers_.empty()) workers_ = named_workers();
      const auto found = workers_.find(running_thread_());
      return found == workers_.end() ? std::nullopt : std::optional(found->second);
    });
  }

  [[nodiscard]] std::unordered_map<std::string, WorkerId> named_workers() const {
    std::unordered_map<std::string, WorkerId> workers;
    for (uint32_t core = 0; core < chip_.cores(); ++core) {
      workers.emplace(chip_.name_of(CoreId(core)), CoreId(core));
    }
    for (uint32_t s = 0; s < chip_.schedulers; ++s) {
      workers.emplace(scheduler_name(s), chip_.worker_of(SchedulerId(s)));
    }
    return workers;
  }

  [[nodiscard]] PTOPlace place() {
    const executors::OurCall call;
    const auto vectors = static_cast<int32_t>(chip_.vectors_per_cluster);
    const std::optional<WorkerId> here = worker();
    if (!here || !chip_.is_in_cluster(*here)) return {-1, 0, 0, vectors};
    const CorePlace place = chip_.place_of(*here);
    return {static_cast<int32_t>(place.cluster.value), static_cast<int32_t>(place.type),
            static_cast<int32_t>(place.index), vectors};
  }

  void* share(int32_t cluster, uint64_t key, uint64_t bytes) {
    const executors::OurCall call;
    return memory_.share(cluster, key, bytes);
  }

  static CoreCalls& self(void* runtime) { return *static_cast<CoreCalls*>(runtime); }

  // What kernels call: the end of one that is late, or was forked. Waits ask the kernel first,
  // which is its end then. Lambdas that decay to pointers are called by code of their own, which
  // would be the place that the kernel goes on at.
  static PTOPlace place_entry(void* runtime) {
    executors::leave_if_late(__builtin_return_address(0));
    return self(runtime).place();
  }
  static PTOWaited wait_entry(void* runtime, bool (*holds)(void*), void* what) {
    const PTOWaited ended = self(runtime).wait(holds, what, false, __builtin_return_address(0));
    executors::leave_if_late(__builtin_return_address(0));
    return ended;
  }
  static void announce_entry(void* runtime) {
    executors::leave_if_late(__builtin_return_address(0));
    self(runtime).announce();
  }
  static void* share_entry(void* runtime, int32_t cluster, uint64_t key, uint64_t bytes) {
    executors::leave_if_late(__builtin_return_address(0));
    return self(runtime).share(cluster, key, bytes);
  }
  static PTOWaited pause_entry(void* runtime, bool (*holds)(void*), void* what) {
    const PTOWaited ended = self(runtime).wait(holds, what, true, __builtin_return_address(0));
    executors::leave_if_late(__builtin_return_address(0));
    return ended;
  }

  const Chip& chip_;
  const uint64_t longest_;  // looks that a wait may last; 0: any
  const std::function<bool()> is_given_up_;
  const std::function<std::string()> running_thread_;
  std::vector<typename P::kernel_waiter> threads_;  // by worker
  std::mutex naming_;  // guards workers_; std::call_once writes what fibers of one host share
  std::unordered_map<std::string, WorkerId> workers_;
  typename P::kernel_waiter orchestrator_{typename P::doorbell()};
  std::vector<Waits::Word> words_;
  Waits waits_{words_};
  QuietRun quiet_;
  executors::Machine::atomic<uint64_t> looks_{0};
  executors::Machine::atomic<bool> was_given_up_{false};          // when it was asked last
  executors::Machine::atomic<bool> is_told_from_outside_{false};  // of a simulation
  std::vector<Seen> seen_;
  std::vector<InVain> in_vain_;                           // by worker, whose thread alone has it
  std::vector<executors::Machine::atomic<bool>> pauses_;  // by worker: of its last wait
  PausesAlone pauses_alone_;
  ClusterMemory memory_;
  const PTOCoreCalls table_{this,           place_entry, wait_entry,
                            announce_entry, share_entry, pause_entry};
};

}  // namespace pto2

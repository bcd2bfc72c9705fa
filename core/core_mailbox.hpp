/// The mailbox of an AI core: the registers DATA_MAIN_BASE and COND, and the payload.
///
///   data   scheduler to core: idle, a dispatch number, or exit
///   cond   core to scheduler: bit 31 state (0 ACK, 1 FIN), bits 0..30 the dispatch number; or
///          not_ready, ready, exited
///
/// Dispatch numbers count per core, 1..2^31 - 4 and over again; task ids would not do, because
/// two rings have tasks of the same low id. Idle is not zero, so that a zeroed register is not a
/// task.
///
/// Write rights: data: the core clears it once, before it reports ready; after that the scheduler
/// alone. cond: the core alone. payload: the scheduler, while the core has nothing to do.
///
///   MB-I1: the payload of a dispatch happens before the core reads it.
///   MB-I2: every dispatch is completed exactly once, and its results happen before the completion.
///          One that exit overtakes, in a run that is given up, is completed or was never taken.
///   MB-I3: exit is never lost: the core clears the register before it reports ready, and
///          acknowledges exit.
///   MB-I4: a dispatch is made only to a core that reported ready and has none outstanding.
///
/// Progress: every verb is one or two plain atomic accesses.
#pragma once

#include "core/assert.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct CoreMailboxOrders {
  /// The core's first store; report publishes it.
  static constexpr OrderSite clear{"core_mailbox.clear", Operation::store,
                                   std::memory_order_relaxed};
  /// Publishes the payload; partner of take.
  static constexpr OrderSite dispatch{"core_mailbox.dispatch", Operation::store,
                                      std::memory_order_release};
  /// Observes the payload; partner of dispatch.
  static constexpr OrderSite take{"core_mailbox.take", Operation::load, std::memory_order_acquire};
  /// Exit, after which the core reads nothing that the scheduler wrote. Its place behind earlier
  /// stores is that of coherence: is_ready() observed the core's, the others are the scheduler's
  /// own.
  static constexpr OrderSite exit{"core_mailbox.exit", Operation::store, std::memory_order_relaxed};
  /// Publishes readiness, or the results of a kernel; partner of sample.
  static constexpr OrderSite report{"core_mailbox.report", Operation::store,
                                    std::memory_order_release};
  /// The kernel was taken, or the core leaves: nothing to publish.
  static constexpr OrderSite acknowledge{"core_mailbox.acknowledge", Operation::store,
                                         std::memory_order_relaxed};
  /// Observes report.
  static constexpr OrderSite sample{"core_mailbox.sample", Operation::load,
                                    std::memory_order_acquire};
  /// Sees that the core leaves. What it did happens before the end of its thread, not before this.
  static constexpr OrderSite exited{"core_mailbox.exited", Operation::load,
                                    std::memory_order_relaxed};
  /// For asserts only.
  static constexpr OrderSite inspect{"core_mailbox.inspect", Operation::load,
                                     std::memory_order_relaxed};
};

/// What the core finds in its register.
enum class CoreCommand { none, run, exit };

/// Dispatch number `last_sequence` is followed by 1: at least 2, so that neighbours differ.
template <Policy P, class Payload, uint32_t last_sequence = 0x7ffffffc>
class CoreMailbox {
 public:
  using Orders = CoreMailboxOrders;

  // The core's side.

  /// Start-up: clears the register, then reports ready.
  void report_ready() {
    data_.store(idle, P::order(Orders::clear));
    cond_.store(ready, P::order(Orders::report));
  }
  /// Looks for a command newer than the last one taken.
  [[nodiscard]] CoreCommand peek() {
    const uint32_t value = data_.load(P::order(Orders::take));
    if (value == exit_signal) return CoreCommand::exit;
    if (!is_new_dispatch(value)) return CoreCommand::none;
    seen_ = value;
    return CoreCommand::run;
  }
  /// Takes the dispatch that peek() announced, acknowledges it and returns access to its payload,
  /// which is there to be read until finish(). It goes by what peek() saw: by now the register may
  /// say exit.
  [[nodiscard]] auto take() {
    PTO2_INVARIANT("MB-I2", is_new_dispatch(seen_));
    taken_ = seen_;
    cond_.store(taken_, P::order(Orders::acknowledge));
    return payload_.reading();
  }
  /// Reports the end of the kernel.
  void finish() { cond_.store(taken_ | finished_bit, P::order(Orders::report)); }
  void acknowledge_exit() { cond_.store(exited, P::order(Orders::acknowledge)); }

  // The scheduler's side.

  /// Whether the core has reported ready; if so, takes note of it, so that a dispatch can be made.
  [[nodiscard]] bool is_ready() {
    const bool has_reported = cond_.load(P::order(Orders::sample)) == ready;
    if (has_reported) reported_ = true;
    return has_reported;
  }
  [[nodiscard]] bool has_exited() const { return cond_.load(P::order(Orders::exited)) == exited; }

  void dispatch(const Payload& payload) {
    PTO2_INVARIANT("MB-I4", reported_ && !outstanding_);
    outstanding_ = true;
    sequence_ = sequence_ == last_sequence ? 1 : sequence_ + 1;
    payload_.write(payload);
    data_.store(sequence_, P::order(Orders::dispatch));
  }

  /// Whether the outstanding dispatch has ended.
  [[nodiscard]] bool has_ended() const {
    PTO2_INVARIANT("MB-I2", outstanding_);
    return cond_.load(P::order(Orders::sample)) == (sequence_ | finished_bit);
  }
  /// The same; if it has, takes note of it, so that another one can be made.
  [[nodiscard]] bool take_end() {
    if (!has_ended()) return false;
    outstanding_ = false;
    return true;
  }

  /// Tells the core to leave. Requires that nothing is outstanding, or that the run is given up: a
  /// dispatch that the core has not seen yet is overtaken.
  void send_exit() { data_.store(exit_signal, P::order(Orders::exit)); }

  /// True if both registers agree with the scheduler's books. The scheduler may ask at any time,
  /// whatever the core is about; others when all verbs happen before.
  [[nodiscard]] bool invariant_holds() const {
    const uint32_t data = data_.load(P::order(Orders::inspect));
    const uint32_t cond = cond_.load(P::order(Orders::inspect));
    if (data == zeroed) return cond == not_ready && sequence_ == 0;  // MB-I4
    if (cond == exited) return data == exit_signal;                  // MB-I3
    if (data != (sequence_ == 0 ? idle : sequence_) && data != exit_signal) return false;
    const auto ended = [&](uint32_t sequence) { return cond == (sequence | finished_bit); };
    if (!outstanding_) return sequence_ == 0 ? cond == ready : ended(sequence_);  // MB-I2
    // Taken, ended, or not seen yet.
    return cond == sequence_ || ended(sequence_) ||
           (sequence_ == 1 ? cond == ready || ended(last_sequence) : ended(sequence_ - 1));
  }

 private:
  static constexpr uint32_t finished_bit = uint32_t{1} << 31;
  static constexpr uint32_t zeroed = 0;
  static constexpr uint32_t idle = 0x7fffffff;
  static constexpr uint32_t exit_signal = 0x7ffffffe;
  static constexpr uint32_t not_ready = 0;
  static constexpr uint32_t ready = idle;
  static constexpr uint32_t exited = exit_signal;
  static_assert(last_sequence >= 2 && last_sequence < exit_signal);

  [[nodiscard]] bool is_new_dispatch(uint32_t value) const {
    return value != idle && value != taken_;
  }

  alignas(cache_line) typename P::template atomic<uint32_t> data_{zeroed};
  typename P::template cell<Payload> payload_{};
  uint32_t sequence_ = 0;     // the scheduler's: number of the last dispatch
  bool reported_ = false;     // the scheduler's: it has seen that the core is ready
  bool outstanding_ = false;  // the scheduler's
  alignas(cache_line) typename P::template atomic<uint32_t> cond_{not_ready};
  uint32_t seen_ = 0;   // the core's: number of the last dispatch that peek() announced
  uint32_t taken_ = 0;  // the core's: number of the last dispatch taken
};

}  // namespace pto2

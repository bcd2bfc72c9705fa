/// The orchestrator (role 0) claims a producer twice and ends its scope; the completer (role 1)
/// closes it, notifies its list, and drops for the consumers it found; role 2 drops for early
/// ones. TS-I1, TS-I2, TS-I3, TS-I4, TW-I1, TW-I2: each claim is linked, early or none, and one
/// drop consumes.
#pragma once

#include "core/startup.hpp"
#include "core/task_state.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P, template <class> class F>
class ClaimAgainstClose : public Roles<P, 3> {
 public:
  static constexpr uint32_t consumers = 2;
  static constexpr std::array reaches{"a consumer is linked", "a consumer is early"};
  static constexpr TaskId id = make_id(0, 5);
  static constexpr TaskId former = make_id(0, 1);

  ClaimAgainstClose() {
    slot_.open(id);
    check<P>(slot_.phase(id) == Phase::initial, "an open task is not complete");
    check<P>(slot_.phase(former) == Phase::consumed, "the slot's former task is consumed");
    check<P>(slot_.references(id) == 2, "an open task is held by itself and its scope");
    check<P>(slot_.references(former) == 0, "nobody holds the slot's former task");
    check<P>(slot_.invariant_holds(), "the slot is whole");
  }

  void thread(uint32_t i) {
    if (i == 0) return claim();
    if (i == 1) return complete();
    P::await([&] { return claimed_.is_set(); });
    for (uint32_t n = early_; n != 0; --n) drop();
  }

  void finish() {
    check<P>(linked_ == notified_, "a linked consumer is notified, and no other");
    check<P>(consumed_.load(std::memory_order_acquire) == 1, "it is consumed once");
    check<P>(slot_.is_consumed(id) && slot_.phase(id) == Phase::consumed,
             "it is consumed in the end");
    check<P>(slot_.references(id) == 0, "nobody holds it in the end");
    check<P>(slot_.invariant_holds(), "the slot is whole");
  }

 private:
  void claim() {
    uint64_t retries = 0;
    for (uint32_t n = 0; n < consumers; ++n) {
      const Claim claim = slot_.claim(id, make_node(0, 1 + n), nodes_[n], retries);
      check<P>(claim != Claim::none, "no producer is consumed before its scope ends");
      if (claim == Claim::early) {
        check<P>(result_.read() == 1, "an early consumer sees the result");
        check<P>(slot_.phase(id) == Phase::completed, "a producer that is held is not consumed");
        ++early_;
        happened<P>("a consumer is early");
      } else {
        linked_ |= 1u << n;
        happened<P>("a consumer is linked");
      }
    }
    claimed_.set();
    this->ring_all();
    drop();
  }

  void complete() {
    result_.write(1);
    const Closed closed = slot_.close();
    if (closed.consumed) consumed_.fetch_add(1, std::memory_order_release);
    for (NodeId node = closed.head; node != nil;) {
      const uint32_t n = index_of(node) - 1;
      node = nodes_[n].next.read();
      notified_ |= 1u << n;
      drop();
    }
  }

  void drop() {
    if (slot_.drop()) consumed_.fetch_add(1, std::memory_order_release);
  }

  F<P> slot_;
  std::array<DependencyNode<P>, consumers> nodes_;
  typename P::template cell<uint32_t> result_;
  Flag<P> claimed_;
  typename P::template atomic<uint32_t> consumed_{0};
  uint32_t early_ = 0;     // role 0's, then role 2's
  uint32_t linked_ = 0;    // role 0's
  uint32_t notified_ = 0;  // role 1's
};

}  // namespace pto2::scenarios

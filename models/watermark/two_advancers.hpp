/// Two threads consume the tasks of a ring, each its own, out of order, and advance. WM-I1, WM-I2,
/// WM-I3: each task is passed once, none before it is consumed, and none is left. Consuming and the
/// load of the advance are seq_cst, as those of both fan-outs are.
#pragma once

#include "core/watermark.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class TwoAdvancers : public Roles<P, 2> {
 public:
  static constexpr std::array reaches{"an advance is lost to another thread"};
  static constexpr uint32_t tasks = 4;

  /// Role 0 consumes tasks 2 and 0, role 1 tasks 3 and 1.
  void thread(uint32_t i) {
    for (const uint32_t task : {2 + i, i}) {
      consumed_[task].store(1, std::memory_order_seq_cst);
      advance(task);
    }
  }

  void finish() {
    check<P>(watermark_.observe() == tasks, "no advance is lost");
    check<P>(watermark_.invariant_holds(tasks), "the watermark is whole");
    for (auto& passed : passed_) {
      check<P>(passed.load(std::memory_order_relaxed) == 1, "a task is passed once");
    }
  }

 private:
  void advance(uint32_t task) {
    const Advance result = watermark_.advance(
        task,
        [&](uint64_t local) {
          return local < tasks && consumed_[local].load(std::memory_order_seq_cst) != 0;
        },
        [&](uint64_t local) { passed_[local].fetch_add(1, std::memory_order_relaxed); });
    if (result == Advance::lost_race) happened<P>("an advance is lost to another thread");
  }

  Watermark<P> watermark_;
  std::array<typename P::template atomic<uint32_t>, tasks> consumed_;
  std::array<typename P::template atomic<uint32_t>, tasks> passed_;
};

}  // namespace pto2::scenarios

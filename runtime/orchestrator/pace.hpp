/// How far ahead of those that run its tasks an orchestrator goes where they share its OS thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/ids.hpp"
#include "runtime/executors/execution_policy.hpp"

namespace pto2 {

/// Tasks alive that are enough for all cores to be busy. More of them only take lines of the caches
/// from those that come next.
constexpr uint64_t far_ahead = 512;

/// The others of its OS thread run until the orchestrator is that far ahead no more, and an OS
/// thread that has nothing to do takes it over. Where none of its tasks retires meanwhile, they run
/// for this part of a second, as far as it sees: it looks after some rounds of theirs. For an
/// eighth of the time that they took, and no more than this part of a second, it goes on then
/// before it gives way again. So neither a long kernel nor a scope with more tasks keeps it from
/// finding work for others, nor does what else the machine does, of which the time may be, bring it
/// far ahead.
constexpr uint64_t longest_way = 50'000;
constexpr uint64_t part_of_others = 8;
constexpr uint64_t longest_turn = 10'000;

template <executors::ExecutionPolicy P>
class Pace {
 public:
  /// Gives way if the orchestrator is far ahead in `ring`, of which `admission` has the books. Adds
  /// to `waited` for how long.
  template <class Admission>
  void keep(Admission& admission, RingId ring, uint64_t& waited) {
    const auto is_far_ahead = [&] {
      return admission.ring(ring).tasks.active(admission.alive(ring)) >= far_ahead;
    };
    if (!is_far_ahead()) return;
    const uint64_t begin = P::now();
    if (begin < go_on_until_) return;
    uint64_t end = begin;
    uint64_t alive = admission.alive(ring);
    while (P::give_way()) {
      const uint64_t way = std::exchange(end, P::now());
      waited += end - way;
      admission.observe();
      if (!is_far_ahead()) return;
      const uint64_t before = std::exchange(alive, admission.alive(ring));
      const bool retires = alive != before;
      if (!retires && end - begin > P::ticks_per_second / longest_way) break;
    }
    const uint64_t turn = std::min((end - begin) / part_of_others, most_of_a_turn);
    go_on_until_ = end + turn;
  }

 private:
  static constexpr uint64_t most_of_a_turn = P::ticks_per_second / longest_turn;

  uint64_t go_on_until_ = 0;  // the tick before which it does not give way again
};

}  // namespace pto2

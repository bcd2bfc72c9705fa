/// Two schedulers (roles 1, 2) consume the tasks of an admission's inner ring and move its
/// watermark. The orchestrator (role 0) waits until the watermark has reached a mark; then for one
/// that it cannot reach, which ends when every task has finished; then for any completion. AM-I1:
/// whoever moves the watermark to the mark rings, or the orchestrator sees it before it sleeps; and
/// so does each completion once any counts.
#pragma once

#include "core/admission.hpp"
#include "core/stall_detector.hpp"
#include "core/startup.hpp"
#include "core/task_word.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class MoveAgainstWait : public Roles<P, 3> {
 public:
  static constexpr bool idles = true;
  static constexpr std::array reaches{"a completion rings nobody", "the orchestrator waits"};

  void thread(uint32_t i) { i == 0 ? wait() : complete_all(i - 1); }

  void finish() {
    check<P>(watermark().observe() == tasks, "every task is reclaimed");
    check<P>(detector_.finished() == tasks, "every task is counted");
  }

 private:
  static constexpr uint64_t tasks = 3;
  static constexpr uint64_t mark = tasks - 1;

  void wait() {
    auto& awaited = admission_.awaited();
    awaited.set(make_id(inner, mark));
    sleep_until([&] { return watermark().observe() >= mark; });
    awaited.clear();
    awaited.set(make_id(inner, tasks + 1));
    waits_in_vain_.set();
    this->ring_all();
    P::await([&] { return detector_.quiescent(tasks - 1); });
    awaited.set_any();
    last_is_there_.set();
    this->bells[1].ring();
    sleep_until([&] { return detector_.quiescent(tasks); });
  }

  /// Unlike await, it looks again only when it is rung.
  template <class Predicate>
  void sleep_until(Predicate&& predicate) {
    while (!predicate()) {
      happened<P>("the orchestrator waits");
      P::idle();
    }
  }

  /// Role 1 consumes task 0 and the last, role 2 task 1.
  void complete_all(uint32_t s) {
    complete(s, s);
    P::await([&] { return waits_in_vain_.is_set(); });
    this->bells[0].ring();  // no core of it works
    if (s != 0) return;
    P::await([&] { return last_is_there_.is_set(); });
    complete(s, tasks - 1);
  }

  void complete(uint32_t s, uint32_t task) {
    consumed_[task].store(1, std::memory_order_seq_cst);
    advance(task);
    finished_[s].add(1);
    if (admission_.is_awaited()) {
      this->bells[0].ring();
    } else {
      happened<P>("a completion rings nobody");
    }
  }

  void advance(uint32_t task) {
    const auto is_consumed = [&](uint64_t local) {
      return local < tasks && consumed_[local].load(std::memory_order_seq_cst) != 0;
    };
    watermark().advance(task, is_consumed, [](uint64_t) {});
  }

  using Slot = TaskSlot<P, TaskWord>;

  /// The memory of a ring; a window has two slots at least.
  struct Memory {
    [[nodiscard]] RingMemory<P, Slot> spans() { return {slots, nodes, ends, marks, 0}; }

    std::array<Slot, 2> slots;
    std::array<DependencyNode<P>, 2> nodes;
    std::array<uint64_t, 2> ends{};
    std::array<uint64_t, 2> marks{};
  };

  static constexpr RingId inner{1};

  [[nodiscard]] Watermark<P>& watermark() { return admission_.ring(inner).watermark; }

  std::array<Memory, 2> memories_;
  Admission<P, Slot> admission_{std::array{memories_[0].spans(), memories_[1].spans()}};
  std::array<typename P::template atomic<uint32_t>, tasks> consumed_;
  Flag<P> waits_in_vain_;
  Flag<P> last_is_there_;
  std::array<FinishedCount<P>, 2> finished_;
  StallDetector<P> detector_{finished_};
};

}  // namespace pto2::scenarios

/// The way of a pinned task to the scheduler of its cluster.
///
/// A pinned task runs on the cores of one cluster, and these belong to one scheduler. So it does
/// not cross the ready queues, from which others steal: it is pushed to the inbox of that
/// scheduler, its owner, and the owner is rung.
///
///   head   the task that was pushed last and not taken yet, or none
///   link   per slot: the task that was in the inbox before it, or none
///
/// Write rights: head: anybody pushes, the owner takes all. link: whoever pushes the task, which is
/// in no inbox; from then on the owner, until it has taken it. A task whose parts are pinned to
/// clusters of several schedulers is pushed from one owner to the next (core/block_parts.hpp).
///
///   PD-I1: each task that is pushed is taken exactly once, by the owner.
///   PD-I2: what was written of a task before its push happens before what follows its take.
///   PD-I3: tasks are taken in the order in which they were pushed.
///   PD-I4: the owner reads the link of a task before it hands the task out: the task may run and
///          end, and its slot be pushed again in its next life.
///   PD-I5: no task waits in the inbox of an owner who sleeps unrung: whoever has pushed rings, and
///          the owner looks here after it has taken a ring and before it sleeps.
///
/// A push links the task to the head that it has seen, and changes the head only if that has not
/// changed. It may have changed back meanwhile: then the link is still right, because nobody takes
/// a part of the list. The links lie in the slots, so an inbox is never full.
///
/// Progress: push() is lock-free, the owner's verbs are wait-free but for the length of the list.
#pragma once

#include "core/assert.hpp"
#include "core/policy.hpp"
#include "core/task_id.hpp"

namespace pto2 {

struct PinnedDispatchOrders {
  /// What a push links to; the push itself finds out whether it has changed.
  static constexpr OrderSite look{"pinned_dispatch.look", Operation::load,
                                  std::memory_order_relaxed};
  /// Publishes the task and its link; partner of take. It continues the release sequences of the
  /// pushes before it, so that one take observes all of them.
  static constexpr OrderSite push{"pinned_dispatch.push", Operation::update,
                                  std::memory_order_release};
  /// Takes the list and observes all of its tasks; partner of push.
  static constexpr OrderSite take{"pinned_dispatch.take", Operation::update,
                                  std::memory_order_acquire};
};

template <Policy P>
class PinnedInbox {
 public:
  using Orders = PinnedDispatchOrders;
  /// Lies in the slot of a task. Its value is this inbox' affair.
  using Link = typename P::template cell<uint32_t>;

  /// Anybody's. The task is ready, and in no inbox. Ring the owner next: PD-I5.
  void push(SlotId task, Link& link) {
    const uint32_t pushed = word_of(task);
    uint32_t head = head_.load(P::order(Orders::look));
    do {
      PTO2_INVARIANT("PD-I1", head != pushed);
      link.write(head);
    } while (!head_.compare_exchange_strong(head, pushed, P::order(Orders::push),
                                            P::order(Orders::look)));
  }

  /// The owner's: whether it has nothing to take.
  [[nodiscard]] bool empty() const { return head_.load(P::order(Orders::look)) == none; }

  /// The owner's: takes all tasks and calls visit(task) for each, the one that has waited longest
  /// first. `link_of` finds the link in the slot of a task.
  template <class LinkOf, class Visitor>
  void take_all(LinkOf&& link_of, Visitor&& visit) {
    if (empty()) return;
    uint32_t oldest = turned_round(head_.exchange(none, P::order(Orders::take)), link_of);
    while (oldest != none) {
      const SlotId task = task_of(oldest);
      oldest = link_of(task).read();
      PTO2_INVARIANT("PD-I1", oldest != word_of(task));
      visit(task);
    }
  }

 private:
  static constexpr uint32_t none = 0;

  static constexpr uint32_t word_of(SlotId task) { return task.value + 1; }
  static constexpr SlotId task_of(uint32_t word) { return {word - 1}; }

  /// The list comes with the newest task first.
  template <class LinkOf>
  static uint32_t turned_round(uint32_t newest, LinkOf&& link_of) {
    uint32_t oldest = none;
    while (newest != none) {
      Link& link = link_of(task_of(newest));
      const uint32_t next = link.read();
      link.write(oldest);
      oldest = newest;
      newest = next;
    }
    return oldest;
  }

  alignas(cache_line) typename P::template atomic<uint32_t> head_{none};
};

}  // namespace pto2

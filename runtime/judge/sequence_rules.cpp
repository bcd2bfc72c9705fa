#include <fmt/core.h>

#include "runtime/judge/rules.hpp"

namespace pto2::judging {
namespace {

/// VR-I33: what one core does, event by event. Of a block task that is not pinned a core claims the
/// parts itself, one after the other.
class CoreSequence {
 public:
  CoreSequence(const Case& it, uint32_t thread) : it_(it), thread_(thread) {}

  /// A scheduler gives the core a task, or the part of one.
  void send(const Event& dispatch) { sent_.push_back(&dispatch); }

  /// The core's next event.
  void add(const Event& event) {
    const bool follows =
        last_ == nullptr ? event.kind == EventKind::wait : may_follow(event.kind, last_->kind);
    const bool goes_on = last_ != nullptr && event.kind != EventKind::dispatch &&
                         (event.kind == EventKind::fin || last_->kind == EventKind::dispatch);
    if (!follows || (goes_on && !is_same(*last_, event))) {
      last_ == nullptr ? refuse("a core begins with a wait", event)
                       : refuse("a core's events do not follow each other so", event, *last_);
    }
    if (event.kind == EventKind::ack && !goes_on) take(event);
    last_ = &event;
  }

  /// There are no more. The last that is sent to a core may be overtaken by the signal to leave,
  /// if the run is given up.
  void end() {
    if (last_ != nullptr && last_->kind == EventKind::ack) refuse("it never ends", *last_);
    const std::size_t left = sent_.size() - std::min(taken_, sent_.size());
    if (left > (it_.record.given_up ? 1U : 0U)) {
      refuse(fmt::format("{} takes {} of the {} that it is sent", it_.record.threads[thread_],
                         taken_, sent_.size()),
             *sent_[taken_]);
    }
  }

 private:
  /// Whether a core's event of this kind may follow one of that kind.
  static bool may_follow(EventKind kind, EventKind before) {
    switch (kind) {
      case EventKind::ack:
        return before == EventKind::wait || before == EventKind::dispatch;
      case EventKind::exit:
        return before == EventKind::wait;
      case EventKind::fin:
        return before == EventKind::ack;
      case EventKind::dispatch:  // a part that the core claims
        return before == EventKind::fin || before == EventKind::wait;
      default:
        return before == EventKind::fin;
    }
  }
  static bool is_same(const Event& a, const Event& b) {
    return a.task == b.task && a.part == b.part;
  }

  /// In the order in which it was sent.
  void take(const Event& ack) {
    if (taken_ >= sent_.size()) {
      refuse("the core was sent nothing", ack);
    } else if (!is_same(*sent_[taken_], ack)) {
      refuse("the core was sent another one before", ack, *sent_[taken_]);
    }
    ++taken_;
  }

  template <class... Events>
  void refuse(const std::string& problem, const Events&... events) {
    it_.findings.add("VR-I33", problem, events...);
  }

  const Case& it_;
  uint32_t thread_;
  std::vector<const Event*> sent_;
  std::size_t taken_ = 0;
  const Event* last_ = nullptr;
};

/// VR-I33 for schedulers, which begin and end what they run themselves at once.
class SchedulerSequence {
 public:
  explicit SchedulerSequence(const Case& it) : it_(it) {}

  void add(const Event& event) {
    const bool sent = last_ != nullptr && last_->kind == EventKind::dispatch &&
                      it_.record.cores[last_->place].thread == event.thread;
    const bool begun = last_ != nullptr && last_->kind == EventKind::ack;
    const bool follows = sent    ? event.kind == EventKind::ack
                         : begun ? event.kind == EventKind::fin
                                 : event.kind != EventKind::ack && event.kind != EventKind::fin;
    const bool same = last_ == nullptr || (last_->task == event.task && last_->part == event.part);
    if (!follows || ((sent || begun) && !same)) {
      last_ == nullptr ? it_.findings.add("VR-I33", "nothing was sent before", event)
                       : it_.findings.add("VR-I33", "a scheduler runs what it sends itself at once",
                                          event, *last_);
    }
    last_ = &event;
  }

 private:
  const Case& it_;
  const Event* last_ = nullptr;
};

}  // namespace

void check_sequences_of_cores(const Case& it) {
  const std::size_t threads = it.record.threads.size();
  std::vector<CoreSequence> cores;
  for (uint32_t thread = 0; thread < threads; ++thread) cores.emplace_back(it, thread);
  std::vector<SchedulerSequence> schedulers(threads, SchedulerSequence(it));
  for (const uint32_t number : it.history.of_kind(EventKind::dispatch)) {
    const Event& event = it.event(number);
    if (it.record.roles[event.thread] != Role::scheduler) continue;
    cores[it.record.cores[event.place].thread].send(event);
  }
  for (const Event& event : it.record.events) {
    const Role role = it.record.roles[event.thread];
    if (role == Role::core) cores[event.thread].add(event);
    if (role == Role::scheduler) schedulers[event.thread].add(event);
  }
  for (uint32_t thread = 0; thread < threads; ++thread) {
    if (it.record.roles[thread] == Role::core) cores[thread].end();
  }
}

}  // namespace pto2::judging

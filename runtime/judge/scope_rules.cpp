#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "runtime/judge/rules.hpp"

namespace pto2::judging {
namespace {

class Scopes {
 public:
  explicit Scopes(const Case& it) : it_(it) {}

  void begin(const Event& event) {
    if (event.scope != begun_ || event.place != open_.size()) {
      it_.findings.add("VR-I20",
                       fmt::format("scope {} of depth {} begins where scope {} of depth {} would",
                                   event.scope, event.place, begun_, open_.size()),
                       event);
    }
    ++begun_;
    open_.push_back(&event);
  }

  void end(const Event& event) {
    if (open_.empty()) {
      it_.findings.add("VR-I20", "no scope is open", event);
      return;
    }
    const Event& begin = *open_.back();
    open_.pop_back();
    if (begin.scope == event.scope && begin.place == event.place) return;
    it_.findings.add("VR-I20",
                     fmt::format("scope {} ends, but the innermost is another", event.scope), event,
                     begin);
  }

  void submit(const TaskRecord& task) {
    const Event& event = it_.event(task.event);
    if (open_.empty()) {
      it_.findings.add("VR-I20", "no scope is open", event);
      return;
    }
    const Event& scope = *open_.back();
    if (task.scope != scope.scope || task.depth != scope.place) {
      it_.findings.add(
          "VR-I20",
          fmt::format("it is of scope {}, depth {}, not of the innermost", task.scope, task.depth),
          event, scope);
      return;
    }
    const uint64_t ring = std::min<uint64_t>(task.depth, it_.record.rings.size() - 1);
    if (ring_of(task.task).value == ring) return;
    it_.findings.add("VR-I20",
                     fmt::format("a task of depth {} belongs to ring {}", task.depth, ring), event,
                     scope);
  }

  void finish() {
    if (it_.record.given_up) return;
    for (const Event* begin : open_) it_.findings.add("VR-I20", "the scope never ends", *begin);
  }

 private:
  const Case& it_;
  uint64_t begun_ = 0;
  std::vector<const Event*> open_;
};

/// VR-I29: the groups that are open, by the scopes in which they were opened.
class GroupScopes {
 public:
  explicit GroupScopes(const Case& it) : it_(it) {
    for (const uint32_t number : it.history.of_kind(EventKind::close)) {
      closed_.insert(it.event(number).group);
    }
  }

  void add(const Event& event) {
    if (event.kind == EventKind::close) close(event.group);
    if (!it_.is_of_the_orchestrator(event)) return;
    // As a scope ends, its groups are closed, and their clusters come back, before all else.
    if (event.kind != EventKind::close && event.kind != EventKind::give_back) refuse_ended(event);
    switch (event.kind) {
      case EventKind::scope_begin:
        scopes_.emplace_back();
        return;
      case EventKind::scope_end:
        if (scopes_.empty()) return;
        ended_ = std::move(scopes_.back());
        scopes_.pop_back();
        return;
      case EventKind::allocate:
        if (scopes_.empty()) {
          it_.findings.add("VR-I29", "no scope is open that the group could belong to", event);
        } else {
          scopes_.back().push_back(&event);
        }
        return;
      default:
        return;
    }
  }

 private:
  using Opened = std::vector<const Event*>;

  /// A group that is never closed breaks VR-I11, unless the run is given up.
  void refuse_ended(const Event& event) {
    for (const Event* allocate : ended_) {
      if (!it_.record.given_up && !closed_.contains(allocate->group)) continue;
      it_.findings.add("VR-I29",
                       fmt::format("the scope of group {} has ended, and the group is not closed",
                                   allocate->group),
                       event, *allocate);
    }
    ended_.clear();
  }

  void close(uint64_t group) {
    const auto is_closed = [group](const Event* allocate) { return allocate->group == group; };
    std::erase_if(ended_, is_closed);
    for (Opened& scope : scopes_) std::erase_if(scope, is_closed);
  }

  const Case& it_;
  std::set<uint64_t> closed_;   // groups, at any time
  std::vector<Opened> scopes_;  // the groups of each that are open
  Opened ended_;                // those of the scope that has just ended
};

}  // namespace

void check_scopes(const Case& it) {
  Scopes scopes(it);
  GroupScopes groups(it);
  uint32_t task = 0;
  for (const uint32_t number : it.history.of_orchestration()) {
    const Event& event = it.event(number);
    groups.add(event);
    if (event.kind == EventKind::scope_begin) scopes.begin(event);
    if (event.kind == EventKind::scope_end) scopes.end(event);
    if (event.kind == EventKind::submit) scopes.submit(it.record.tasks[task++]);
  }
  scopes.finish();
}

}  // namespace pto2::judging

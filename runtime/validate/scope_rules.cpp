#include <fmt/core.h>

#include <algorithm>

#include "runtime/validate/rules.hpp"

namespace pto2::validation {
namespace {

class Scopes {
 public:
  explicit Scopes(const Case& it) : it_(it) {}

  void begin(const Event& event) {
    if (event.number != begun_ || event.place != open_.size()) {
      it_.findings.add("VR-I20",
                       fmt::format("scope {} of depth {} begins where scope {} of depth {} would",
                                   event.number, event.place, begun_, open_.size()),
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
    if (begin.number == event.number && begin.place == event.place) return;
    it_.findings.add("VR-I20",
                     fmt::format("scope {} ends, but the innermost is another", event.number),
                     event, begin);
  }

  void submit(const Submission& task) {
    const Event& event = it_.event(task.event);
    if (open_.empty()) {
      it_.findings.add("VR-I20", "no scope is open", event);
      return;
    }
    const Event& scope = *open_.back();
    if (task.scope != scope.number || task.depth != scope.place) {
      it_.findings.add(
          "VR-I20",
          fmt::format("it is of scope {}, depth {}, not of the innermost", task.scope, task.depth),
          event, scope);
      return;
    }
    const uint64_t ring = std::min<uint64_t>(task.depth, it_.trace.rings.size() - 1);
    if (task.task.ring == ring) return;
    it_.findings.add("VR-I20",
                     fmt::format("a task of depth {} belongs to ring {}", task.depth, ring), event,
                     scope);
  }

  void finish() {
    if (it_.trace.given_up) return;
    for (const Event* begin : open_) it_.findings.add("VR-I20", "the scope never ends", *begin);
  }

 private:
  const Case& it_;
  uint64_t begun_ = 0;
  std::vector<const Event*> open_;
};

}  // namespace

void check_scopes(const Case& it) {
  Scopes scopes(it);
  uint32_t task = 0;
  for (const Event& event : it.trace.events) {
    if (event.kind == Kind::scope_begin) scopes.begin(event);
    if (event.kind == Kind::scope_end) scopes.end(event);
    if (event.kind == Kind::submit) scopes.submit(it.trace.submissions[task++]);
  }
  scopes.finish();
}

}  // namespace pto2::validation

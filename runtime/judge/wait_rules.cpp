#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include "runtime/judge/heap_books.hpp"
#include "runtime/judge/rules.hpp"
#include "runtime/record/checked.hpp"
#include "runtime/record/outcome.hpp"

namespace pto2::judging {
namespace {

/// What a ring has given out: of the tasks in its order, from the first on.
struct Books {
  explicit Books(const RingRecord& ring) : heap(ring.heap) {}
  /// Before the first of so many tasks.
  void reserve(std::size_t tasks) {
    nodes.reserve(tasks + 1);
    inserts.reserve(tasks + 1);
    heap.reserve(tasks);
    reclaimed.reserve(tasks);
  }

  std::vector<uint64_t> nodes{0};    ///< of the first i tasks
  std::vector<uint64_t> inserts{0};  ///< TensorMap entries of the first i tasks
  HeapBooks heap;
  /// Times of reclaims, ascending, and how many tasks are certainly reclaimed by each.
  std::vector<std::pair<uint64_t, uint64_t>> reclaimed;

  /// Tasks that are certainly reclaimed before `t`. Whoever reclaims one tells of it later, so that
  /// the heap may know more.
  [[nodiscard]] uint64_t alive(uint64_t t) const {
    const auto after =
        std::ranges::lower_bound(reclaimed, t, {}, [](const auto& entry) { return entry.first; });
    const uint64_t told = after == reclaimed.begin() ? 0 : std::min((after - 1)->second, next());
    return std::max(told, heap.reclaimed());
  }
  [[nodiscard]] uint64_t next() const { return nodes.size() - 1; }
};

/// Later than all events.
constexpr uint64_t forever = std::numeric_limits<uint64_t>::max();

class Waits {
 public:
  explicit Waits(const Case& it) : it_(it), books_(it.record.rings.begin(), it.record.rings.end()) {
    for (std::size_t ring = 0; ring < books_.size(); ++ring) {
      books_[ring].reserve(it.history.rings()[ring].size());
    }
  }

  void check() {
    uint32_t task = 0;
    for (const uint32_t number : it_.history.of_orchestration()) {
      const Event& event = it_.event(number);
      if (waiting_ != nullptr && !may_follow(event)) {
        it_.findings.add("VR-I21", "it comes before what was waited for", event, *waiting_);
      }
      if (event.kind == EventKind::reclaim) reclaim(event);
      if (event.kind == EventKind::allocate) allocate();
      if (event.kind == EventKind::give_back) give_backs_.push_back(event.t);
      if (event.kind == EventKind::submit) submit(task++);
      if (event.kind == EventKind::wait && event.lacking) wait(event);
    }
    if (waiting_ != nullptr && !it_.record.given_up) {
      it_.findings.add("VR-I21",
                       waits_for_cluster() ? "no cluster is allocated after it"
                                           : "the task that it waits for is never submitted",
                       *waiting_);
    }
    check_outcome();
  }

 private:
  /// VR-I30.
  void check_outcome() {
    const OutcomeRow* const outcome = outcome_called(it_.record.error);
    if (outcome == nullptr) {
      it_.findings.add_of_header("VR-I30",
                                 fmt::format("no run ends with \"{}\"", it_.record.error));
    } else if (!outcome->leaves_trace) {
      it_.findings.add_of_header(
          "VR-I30", fmt::format("no run that ends with {} has a trace", it_.record.error));
    } else if (outcome->resource) {
      check_deadlock(*outcome->resource);
    } else if (outcome->cause == Cause::call && waiting_ != nullptr) {
      it_.findings.add("VR-I30",
                       fmt::format("the run ends with {}, but with this wait", it_.record.error),
                       *waiting_);
    }
  }

  void check_deadlock(Resource resource) {
    const std::string claim = fmt::format("the run ends with {}, ", it_.record.error);
    if (waiting_ == nullptr) {
      it_.findings.add_of_header(
          "VR-I30", fmt::format("{}and nobody waits for {}", claim, resource_name(resource)));
      return;
    }
    if (!may_come_to_lack(*waiting_->lacking, resource)) {
      it_.findings.add("VR-I30", claim + "but with the wait for another resource", *waiting_);
    } else if (waiting_->lacking != resource && certainly_lacks_still()) {
      it_.findings.add("VR-I30", claim + "but another resource is lacking", *waiting_);
    } else if (waiting_->lacking == resource && !lacks(*waiting_, forever)) {
      it_.findings.add("VR-I30", claim + "but there is room after all", *waiting_);
    }
    for (uint32_t task = 0; task < it_.record.tasks.size(); ++task) {
      const TaskHistory& history = it_.history.of(task);
      if (!history.whole || history.fin != no_index) continue;
      it_.findings.add("VR-I30", claim + "but a task that could give something back has not",
                       it_.submit(task), *waiting_);
      return;
    }
  }

  /// Whether there is no room for what was waited for when everything has come back. Nothing is
  /// certain of nodes: all the producers that were to have them may have been reclaimed.
  [[nodiscard]] bool certainly_lacks_still() const {
    return waiting_->lacking != Resource::dependency_pool && lacks(*waiting_, forever);
  }

  /// Whether a wait for one resource can end as one for another: what comes later in the order of
  /// the looks may be lacking when the former has come back.
  static bool may_come_to_lack(Resource first, Resource last) {
    return first == last || (last != Resource::clusters && first < last);
  }

  /// The orchestrator does nothing between a wait and what it has waited for; waits are judged
  /// themselves.
  [[nodiscard]] bool may_follow(const Event& event) const {
    if (!it_.is_of_the_orchestrator(event)) return true;
    switch (event.kind) {
      case EventKind::submit:
      case EventKind::wait:
      case EventKind::exit:
        return true;
      case EventKind::allocate:
      case EventKind::leftover:
        return waits_for_cluster();
      default:
        return false;
    }
  }

  [[nodiscard]] bool waits_for_cluster() const {
    return waiting_ != nullptr && waiting_->lacking == Resource::clusters;
  }

  void allocate() {
    ++groups_;
    if (waits_for_cluster()) waiting_ = nullptr;
  }

  void reclaim(const Event& event) {
    if (it_.history.find(event.task) == no_index) return;
    auto& reclaimed = books_[ring_of(event.task).value].reclaimed;
    const uint64_t so_far = reclaimed.empty() ? 0 : reclaimed.back().second;
    reclaimed.emplace_back(event.t, std::max(so_far, local_of(event.task) + 1));
  }

  void submit(uint32_t task) {
    const TaskRecord& submission = it_.record.tasks[task];
    const Event& event = it_.submit(task);
    if (waiting_ != nullptr && (waits_for_cluster() || waiting_->task != submission.task)) {
      it_.findings.add(
          "VR-I21",
          waits_for_cluster() ? "a cluster was waited for" : "another task was waited for", event,
          *waiting_);
    } else if (waiting_ != nullptr && !asked_for(submission)) {
      it_.findings.add("VR-I21",
                       fmt::format("{} of {} were waited for, which is not what it takes",
                                   waiting_->requested, resource_name(*waiting_->lacking)),
                       event, *waiting_);
    }
    waiting_ = nullptr;
    Books& books = books_[ring_of(submission.task).value];
    books.nodes.push_back(books.nodes.back() + submission.producers.size() +
                          submission.holds.size());
    books.inserts.push_back(books.inserts.back() + submission.entries());
    books.heap.add(submission.heap_begin, submission.heap_bytes);
  }

  /// Whether a task takes what the last wait was for. Producers that are reclaimed meanwhile need
  /// no nodes.
  [[nodiscard]] bool asked_for(const TaskRecord& task) const {
    switch (*waiting_->lacking) {
      case Resource::heap_ring:
        return waiting_->requested == task.heap_bytes;
      case Resource::dependency_pool:
        return waiting_->requested >= task.producers.size() + task.holds.size();
      case Resource::tensormap_pool:
        return waiting_->requested == task.entries();
      default:
        return true;  // one, which is judged where it waits
    }
  }

  void wait(const Event& event) {
    if (waiting_ != nullptr) {
      it_.findings.add("VR-I21", "it waits again without a submission in between", event,
                       *waiting_);
    }
    const bool of_a_ring = event.lacking != Resource::clusters;
    if (of_a_ring && ring_of(event.task).value >= books_.size()) {
      it_.findings.add("VR-I21", "it names no task of a ring", event);
      return;
    }
    waiting_ = &event;
    const bool of_one = event.lacking == Resource::task_ring || event.lacking == Resource::clusters;
    if (!it_.is_of_the_orchestrator(event)) {
      it_.findings.add("VR-I21", "the thread submits no tasks", event);
    } else if (of_one && event.requested != 1) {
      it_.findings.add("VR-I21", "a task takes one", event);
    } else if (of_a_ring && local_of(event.task) != books_[ring_of(event.task).value].next()) {
      it_.findings.add("VR-I21", "the task that it waits for is not its ring's next", event);
    } else if (!it_.record.manner.weak_memory && !lacks(event, event.before)) {
      it_.findings.add(
          "VR-I21",
          event.lacking == Resource::clusters
              ? fmt::format("{} of {} clusters are free", free_clusters(event.before),
                            it_.record.clusters)
              : fmt::format("there is room for {} of what it waits for", event.requested),
          event);
    }
  }

  /// Whether the resource may have been too short, by what had certainly been given back before
  /// `t`.
  [[nodiscard]] bool lacks(const Event& event, uint64_t t) const {
    if (event.lacking == Resource::clusters) return free_clusters(t) == 0;
    const Books& books = books_[ring_of(event.task).value];
    const RingRecord& ring = it_.record.rings[ring_of(event.task).value];
    const uint64_t alive = books.alive(t);
    switch (*event.lacking) {
      case Resource::task_ring:
        return books.next() - alive + 1 >= ring.window;
      case Resource::heap_ring:
        return !books.heap.has_room(event.requested, alive);
      case Resource::dependency_pool:
        return (Checked(event.requested) + (books.nodes.back() - books.nodes[alive]))
            .exceeds(ring.dep_pool);
      default:
        return lacks_entries(event.requested, t);
    }
  }

  [[nodiscard]] bool lacks_entries(uint64_t requested, uint64_t t) const {
    Checked used = requested;
    for (const Books& books : books_) {
      used = used + (books.inserts.back() - books.inserts[books.alive(t)]);
    }
    return used.exceeds(it_.record.tensormap_pool);
  }

  /// That were certainly free before `t`.
  [[nodiscard]] uint64_t free_clusters(uint64_t t) const {
    const auto later = std::ranges::lower_bound(give_backs_, t);
    const auto returned = static_cast<uint64_t>(later - give_backs_.begin());
    const uint64_t taken = groups_ - std::min(groups_, returned);
    return it_.record.clusters - std::min(it_.record.clusters, taken);
  }

  const Case& it_;
  std::vector<Books> books_;          // by ring
  std::vector<uint64_t> give_backs_;  // times, ascending
  uint64_t groups_ = 0;
  const Event* waiting_ = nullptr;  ///< for a resource, since the last submission
};

}  // namespace

void check_waits(const Case& it) {
  Waits(it).check();
}

}  // namespace pto2::judging

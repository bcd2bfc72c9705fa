#include <fmt/core.h>

#include <algorithm>

#include "runtime/validate/checked.hpp"
#include "runtime/validate/heap_books.hpp"
#include "runtime/validate/rules.hpp"

namespace pto2::validation {
namespace {

/// What a ring has given out: of the tasks in its order, from the first on.
struct Books {
  explicit Books(const Ring& ring) : heap(ring.heap) {}

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

class Waits {
 public:
  explicit Waits(const Case& it) : it_(it), books_(it.trace.rings.begin(), it.trace.rings.end()) {}

  void check() {
    uint32_t task = 0;
    for (const Event& event : it_.trace.events) {
      if (event.kind == Kind::reclaim) reclaim(event);
      if (event.kind == Kind::allocate) allocate();
      if (event.kind == Kind::give_back) give_backs_.push_back(event.t);
      if (event.kind == Kind::submit) submit(task++);
      if (event.kind == Kind::wait && event.lacking != Lacking::nothing) wait(event);
    }
    if (waiting_ == nullptr || it_.trace.given_up) return;
    it_.findings.add("VR-I21",
                     waits_for_cluster() ? "no cluster is allocated after it"
                                         : "the task that it waits for is never submitted",
                     *waiting_);
  }

 private:
  [[nodiscard]] bool waits_for_cluster() const {
    return waiting_ != nullptr && waiting_->lacking == Lacking::cluster;
  }

  void allocate() {
    ++groups_;
    if (waits_for_cluster()) waiting_ = nullptr;
  }

  void reclaim(const Event& event) {
    if (it_.history.find({event.ring, event.number}) == no_index) return;
    auto& reclaimed = books_[event.ring].reclaimed;
    const uint64_t so_far = reclaimed.empty() ? 0 : reclaimed.back().second;
    reclaimed.emplace_back(event.t, std::max(so_far, event.number + 1));
  }

  void submit(uint32_t task) {
    const Submission& submission = it_.trace.submissions[task];
    const Event& event = it_.submit(task);
    if (waiting_ != nullptr &&
        (waits_for_cluster() || TaskName{waiting_->ring, waiting_->number} != submission.task)) {
      it_.findings.add(
          "VR-I21",
          waits_for_cluster() ? "a cluster was waited for" : "another task was waited for", event,
          *waiting_);
    }
    waiting_ = nullptr;
    Books& books = books_[submission.task.ring];
    const auto inserts = std::ranges::count_if(submission.params, &Param::takes_an_entry);
    books.nodes.push_back(books.nodes.back() + submission.producers.size() +
                          submission.holds.size());
    books.inserts.push_back(books.inserts.back() + static_cast<uint64_t>(inserts));
    books.heap.add(submission.heap_begin, submission.heap_bytes);
  }

  void wait(const Event& event) {
    if (waiting_ != nullptr) {
      it_.findings.add("VR-I21", "it waits again without a submission in between", event,
                       *waiting_);
    }
    waiting_ = &event;
    if (it_.submit_thread() != no_index && event.thread != it_.submit_thread()) {
      it_.findings.add("VR-I21", "the thread submits no tasks", event);
    } else if (event.lacking != Lacking::cluster && event.number != books_[event.ring].next()) {
      it_.findings.add("VR-I21", "the task that it waits for is not its ring's next", event);
    } else if (!it_.trace.weak_memory && !lacks(event)) {
      it_.findings.add(
          "VR-I21",
          event.lacking == Lacking::cluster
              ? fmt::format("{} of {} clusters are free", free_clusters(event), it_.trace.clusters)
              : fmt::format("there is room for {} of what it waits for", event.requested),
          event);
    }
  }

  /// Whether the resource may have been too short, by what had certainly been given back.
  [[nodiscard]] bool lacks(const Event& event) const {
    if (event.lacking == Lacking::cluster) return free_clusters(event) == 0;
    const Books& books = books_[event.ring];
    const Ring& ring = it_.trace.rings[event.ring];
    const uint64_t alive = books.alive(event.before);
    switch (event.lacking) {
      case Lacking::task_ring:
        return books.next() - alive + 1 >= ring.window;
      case Lacking::heap_ring:
        return !books.heap.has_room(event.requested, alive);
      case Lacking::dep_pool:
        return (Checked(event.requested) + (books.nodes.back() - books.nodes[alive]))
            .exceeds(ring.dep_pool);
      default:
        return lacks_entries(event);
    }
  }

  [[nodiscard]] bool lacks_entries(const Event& event) const {
    Checked used = event.requested;
    for (const Books& books : books_) {
      used = used + (books.inserts.back() - books.inserts[books.alive(event.before)]);
    }
    return used.exceeds(it_.trace.tensormap_pool);
  }

  /// That were certainly free by then.
  [[nodiscard]] uint64_t free_clusters(const Event& event) const {
    const auto returned = static_cast<uint64_t>(
        std::ranges::count_if(give_backs_, [&](uint64_t t) { return t < event.before; }));
    const uint64_t taken = groups_ - std::min(groups_, returned);
    return it_.trace.clusters - std::min(it_.trace.clusters, taken);
  }

  const Case& it_;
  std::vector<Books> books_;  // by ring
  std::vector<uint64_t> give_backs_;
  uint64_t groups_ = 0;
  const Event* waiting_ = nullptr;  ///< for a resource, since the last submission
};

}  // namespace

void check_waits(const Case& it) {
  Waits(it).check();
}

}  // namespace pto2::validation

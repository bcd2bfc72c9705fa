#include <fmt/core.h>

#include <algorithm>

#include "runtime/validate/rules.hpp"

namespace pto2::validation {
namespace {

/// What a ring has given out: of the tasks in its order, from the first on.
struct Books {
  std::vector<uint64_t> nodes{0};    ///< of the first i tasks
  std::vector<uint64_t> inserts{0};  ///< TensorMap entries of the first i tasks
  std::vector<uint64_t> heap_begin;
  std::vector<uint64_t> heap_end;
  std::vector<bool> has_heap;
  /// Times of reclaims, ascending, and how many tasks are certainly reclaimed by each.
  std::vector<std::pair<uint64_t, uint64_t>> reclaimed;
  uint64_t overwritten = 0;  ///< tasks whose buffers, or those of later ones, were given out again

  /// Tasks that are certainly reclaimed before `t`.
  [[nodiscard]] uint64_t alive(uint64_t t) const {
    const auto after =
        std::ranges::lower_bound(reclaimed, t, {}, [](const auto& entry) { return entry.first; });
    const uint64_t told = after == reclaimed.begin() ? 0 : std::min((after - 1)->second, next());
    return std::max(told, overwritten);
  }
  /// The buffer of the last task is in the place of older ones: of those in the order of the ring,
  /// so that the first one beside it ends them. Whoever reclaims a task tells of it later.
  void note_overwritten() {
    if (!has_heap.back()) return;
    for (uint64_t i = overwritten; i + 1 < next(); ++i) {
      if (!has_heap[i]) continue;
      const bool apart = end_of(i) <= heap_begin.back() || end_of(next() - 1) <= heap_begin[i];
      if (apart) return;
      overwritten = i + 1;
    }
  }
  /// 0 is the end of the heap.
  [[nodiscard]] uint64_t end_of(uint64_t i) const {
    return heap_end[i] == 0 ? ~uint64_t{0} : heap_end[i];
  }
  [[nodiscard]] uint64_t next() const { return heap_end.size(); }
};

class Waits {
 public:
  explicit Waits(const Case& it) : it_(it), books_(it.trace.rings.size()) {}

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
    books.nodes.push_back(books.nodes.back() + submission.nodes);
    books.inserts.push_back(books.inserts.back() + static_cast<uint64_t>(inserts));
    books.heap_begin.push_back(submission.heap_begin);
    const uint64_t size = it_.trace.rings[submission.task.ring].heap;
    const uint64_t end = submission.heap_begin + submission.heap_bytes;
    books.heap_end.push_back(end == size ? 0 : end);
    books.has_heap.push_back(submission.heap_bytes != 0);
    books.note_overwritten();
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
        return lacks_heap(books, ring.heap, alive, event.requested);
      case Lacking::dep_pool:
        return books.nodes.back() - books.nodes[alive] + event.requested > ring.dep_pool;
      default:
        return lacks_entries(event);
    }
  }

  [[nodiscard]] bool lacks_entries(const Event& event) const {
    uint64_t used = event.requested;
    for (const Books& books : books_) {
      used += books.inserts.back() - books.inserts[books.alive(event.before)];
    }
    return used > it_.trace.tensormap_pool;
  }

  /// That were certainly free by then.
  [[nodiscard]] uint64_t free_clusters(const Event& event) const {
    const auto returned = static_cast<uint64_t>(
        std::ranges::count_if(give_backs_, [&](uint64_t t) { return t < event.before; }));
    const uint64_t taken = groups_ - std::min(groups_, returned);
    return it_.trace.clusters - std::min(it_.trace.clusters, taken);
  }

  /// A buffer goes behind the last one, or to the start of the heap. A ring that was empty starts
  /// over at 0, and then its first buffer, not the last that was given back, is where the bytes in
  /// use begin.
  static bool lacks_heap(const Books& books, uint64_t size, uint64_t alive, uint64_t bytes) {
    if (bytes >= size) return true;
    if (alive == books.next()) return false;
    const uint64_t top = books.heap_end.back();
    const uint64_t tail = alive == 0 ? 0 : books.heap_end[alive - 1];
    uint64_t first = alive;
    while (first < books.next() && !books.has_heap[first]) ++first;
    // The ring is never filled to the last byte: more has been given back than was told.
    if (top == tail && first < books.next()) return true;
    const bool started_over = first < books.next() && books.heap_begin[first] == 0;
    return !fits(top, tail, size, bytes) || (started_over && !fits(top, 0, size, bytes));
  }

  /// Bytes [tail, top) are in use, around the end of the heap if top < tail; not all may become so.
  static bool fits(uint64_t top, uint64_t tail, uint64_t size, uint64_t bytes) {
    if (top < tail) return bytes < tail - top;
    return bytes < size - top || (bytes == size - top && tail != 0) || bytes < tail;
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

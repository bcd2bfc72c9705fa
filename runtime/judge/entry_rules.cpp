#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/judge/rules.hpp"

namespace pto2::judging {
namespace {

/// VR-I31: what is certainly in the TensorMap. Each write of a task has an entry until the task is
/// reclaimed, or another access takes its place, or may have done so; that of the owner of a buffer
/// stays.
class Entries {
 public:
  explicit Entries(const Case& it)
      : it_(it), kept_(it.record.tasks.size()), alive_(it.record.rings.size()) {}

  void add(uint32_t task) {
    forget_reclaimed(task);
    const TaskRecord& submission = it_.record.tasks[task];
    for (const ParamRecord& param : submission.params) replace(submission, param);
    const uint64_t taken = submission.entries();
    if (used_ + taken > it_.record.tensormap_pool) {
      it_.findings.add("VR-I31",
                       fmt::format("it takes {} of {} entries, {} of which are in use", taken,
                                   it_.record.tensormap_pool, used_),
                       it_.submit(task));
    }
    for (const ParamRecord& param : submission.params) insert(task, submission, param);
  }

 private:
  /// A memory of the caller, or a pipe by its group.
  using Place = std::pair<uint64_t, std::pair<bool, int64_t>>;

  /// When a task has certainly ended, and the task.
  using End = std::pair<uint64_t, uint32_t>;

  /// The entries of a place that another access may replace, so that nobody has to look at all.
  struct Replaceable {
    std::unordered_map<uint32_t, uint32_t> entries;                   // how many, by task
    std::priority_queue<End, std::vector<End>, std::greater<>> ends;  // of these tasks, and others
    std::unordered_set<uint32_t> passed;  // whose producers have none any more, nor will have
  };

  static Place place_of(const TaskRecord& task, const ParamRecord& param) {
    if (param.pipe) return {static_cast<uint64_t>(task.group), {true, param.tag}};
    return {param.memory, {false, 0}};
  }
  static bool is_owner(const TaskRecord& task, const ParamRecord& param) {
    return !param.pipe && !param.external && param.owner == task.task;
  }

  /// Tasks before `task` that may be reclaimed by its submission, which tells of it later.
  void forget_reclaimed(uint32_t task) {
    const uint64_t t = it_.submit(task).t;
    for (uint32_t ring = 0; ring < alive_.size(); ++ring) {
      const std::vector<uint32_t>& tasks = it_.history.rings()[ring];
      uint64_t& alive = alive_[ring];
      for (; alive < tasks.size() && tasks[alive] < task; ++alive) {
        const TaskHistory& history = it_.history.of(tasks[alive]);
        const Moment& reclaim = history.reclaim;
        if (history.whole && (!reclaim.has() || it_.event(reclaim.event).before > t)) break;
        used_ -= std::exchange(kept_[tasks[alive]], 0);
      }
    }
  }

  /// Who reads and writes takes the place of what it covers, which may be all.
  void replace(const TaskRecord& task, const ParamRecord& param) {
    if (!param.pipe && !(param.reads() && param.writes() && param.external)) return;
    const auto found = replaceable_.find(place_of(task, param));
    if (found == replaceable_.end()) return;
    for (const auto& [older, entries] : found->second.entries) give_up(older, entries);
    replaceable_.erase(found);
  }

  /// A task has none any more that was reclaimed.
  void give_up(uint32_t task, uint32_t entries) {
    const uint32_t gone = std::min(entries, kept_[task]);
    kept_[task] -= gone;
    used_ -= gone;
  }

  /// The entries of one task.
  void forget(Replaceable& place, uint32_t task) {
    const auto found = place.entries.find(task);
    if (found == place.entries.end()) return;
    give_up(task, found->second);
    place.entries.erase(found);
  }

  /// Those of tasks that a new one comes behind: whom it depends on, and whom those do. Who was
  /// consumed is nobody's producer, but has ended before what is submitted then.
  void forget_before(Replaceable& place, uint32_t task) {
    forget_producers_of(task, place);
    for (const uint32_t producer : producers_of(task)) {
      const bool is_new = producer < task && place.passed.insert(producer).second;
      if (is_new) forget_producers_of(producer, place);
    }
    const uint64_t now = it_.submit(task).t;
    for (; !place.ends.empty() && place.ends.top().first <= now; place.ends.pop()) {
      forget(place, place.ends.top().second);
    }
  }

  /// One by one, whichever are fewer: they, or those who have entries.
  void forget_producers_of(uint32_t task, Replaceable& place) {
    const std::vector<uint32_t>& producers = producers_of(task);
    if (producers.size() <= place.entries.size()) {
      for (const uint32_t older : producers) forget(place, older);
      return;
    }
    for (auto entry = place.entries.begin(); entry != place.entries.end();) {
      const uint32_t older = (entry++)->first;
      if (std::ranges::binary_search(producers, older)) forget(place, older);
    }
  }

  /// In order.
  const std::vector<uint32_t>& producers_of(uint32_t task) {
    const auto [found, is_new] = producers_.try_emplace(task);
    if (!is_new) return found->second;
    for (const ProducerRecord& producer : it_.record.tasks[task].producers) {
      found->second.push_back(it_.history.find(producer.task));
    }
    std::ranges::sort(found->second);
    return found->second;
  }

  /// Entries of those who write a buffer of another task are left out. Who writes unread may take
  /// the place of one that he comes behind.
  void insert(uint32_t task, const TaskRecord& submission, const ParamRecord& param) {
    if (!param.takes_an_entry()) return;
    if (!is_owner(submission, param)) {
      if (!param.pipe && !param.external) return;
      Replaceable& place = replaceable_[place_of(submission, param)];
      if (!param.pipe && !param.reads()) forget_before(place, task);
      const uint32_t fin = it_.history.of(task).fin;
      if (++place.entries[task] == 1 && fin != no_index) {
        place.ends.emplace(it_.event(fin).before, task);
      }
    }
    ++kept_[task];
    ++used_;
  }

  const Case& it_;
  std::vector<uint32_t> kept_;   // entries of each task
  std::vector<uint64_t> alive_;  // by ring: tasks before it may be reclaimed
  std::map<Place, Replaceable> replaceable_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> producers_;  // of producers_of()
  uint64_t used_ = 0;
};

}  // namespace

void check_entries(const Case& it) {
  if (it.record.manner.replayed) return;
  Entries entries(it);
  for (uint32_t task = 0; task < it.record.tasks.size(); ++task) {
    if (it.history.of(task).whole) entries.add(task);
  }
}

}  // namespace pto2::judging

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

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
    if (param.pipe || (param.reads() && param.writes() && param.external)) {
      forget(place_of(task, param), [](uint32_t) { return true; });
    }
  }

  /// Of the entries that a place has, those of tasks for which is_gone(task).
  template <class IsGone>
  void forget(const Place& place, IsGone&& is_gone) {
    const auto found = replaceable_.find(place);
    if (found == replaceable_.end()) return;
    std::erase_if(found->second, [&](uint32_t older) {
      if (kept_[older] == 0) return true;  // reclaimed
      if (!is_gone(older)) return false;
      --kept_[older];
      --used_;
      return true;
    });
  }

  /// Notes whom the task depends on, and whom those do.
  void look_behind(uint32_t task) {
    behind_.clear();
    const auto add = [this](uint32_t number) {
      for (const ProducerRecord& producer : it_.record.tasks[number].producers) {
        behind_.push_back(it_.history.find(producer.task));
      }
    };
    add(task);
    const std::size_t producers = behind_.size();
    for (std::size_t i = 0; i < producers; ++i) {
      if (behind_[i] < task) add(behind_[i]);
    }
  }

  /// Who was consumed is nobody's producer, but comes before what is submitted then.
  [[nodiscard]] bool may_have_ended(uint32_t older, uint32_t task) const {
    const uint32_t fin = it_.history.of(older).fin;
    return fin != no_index && it_.event(fin).before <= it_.submit(task).t;
  }

  /// Entries of those who write a buffer of another task are left out. Who writes unread may take
  /// the place of one that he comes behind.
  void insert(uint32_t task, const TaskRecord& submission, const ParamRecord& param) {
    if (!param.takes_an_entry()) return;
    if (!is_owner(submission, param)) {
      if (!param.pipe && !param.external) return;
      if (!param.pipe && !param.reads()) {
        look_behind(task);
        forget(place_of(submission, param), [&](uint32_t older) {
          return std::ranges::count(behind_, older) != 0 || may_have_ended(older, task);
        });
      }
      replaceable_[place_of(submission, param)].push_back(task);
    }
    ++kept_[task];
    ++used_;
  }

  const Case& it_;
  std::vector<uint32_t> kept_;                          // entries of each task
  std::vector<uint64_t> alive_;                         // by ring: tasks before it may be reclaimed
  std::map<Place, std::vector<uint32_t>> replaceable_;  // tasks, once per entry
  std::vector<uint32_t> behind_;                        // of look_behind()
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

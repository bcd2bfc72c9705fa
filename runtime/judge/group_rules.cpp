#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "runtime/judge/rules.hpp"

namespace pto2::judging {
namespace {

struct Group {
  const Event* allocate = nullptr;
  const Event* close = nullptr;
  const Event* last_fin = nullptr;    ///< of its tasks
  const Event* unfinished = nullptr;  ///< the join of one that has not finished
};

/// The groups of one cluster, and how often it was given back.
struct Cluster {
  std::vector<std::size_t> groups;
  std::vector<const Event*> give_backs;
};

class Groups {
 public:
  explicit Groups(const Case& it) : it_(it), clusters_(it.record.clusters) {}

  void check() {
    uint32_t task = 0;
    for (const uint32_t number : it_.history.of_orchestration()) {
      const Event& event = it_.event(number);
      if (event.kind == EventKind::allocate) allocate(event);
      if (event.kind == EventKind::close) close(event);
      if (event.kind == EventKind::join) join(event);
      if (event.kind == EventKind::submit) submit(task++);
      if (event.kind == EventKind::give_back) clusters_[event.place].give_backs.push_back(&event);
      if (it_.is_of_the_orchestrator(event)) before_ = &event;
    }
    for (task = 0; task < it_.record.tasks.size(); ++task) check_joins(task);
    for (const Cluster& cluster : clusters_) check_cluster(cluster);
  }

 private:
  void allocate(const Event& event) {
    if (event.group != groups_.size()) {
      it_.findings.add(
          "VR-I12", fmt::format("group {} is allocated as number {}", event.group, groups_.size()),
          event);
    }
    clusters_[event.place].groups.push_back(groups_.size());
    groups_.push_back({&event, nullptr, nullptr, nullptr});
  }

  void close(const Event& event) {
    if (event.group >= groups_.size()) {
      it_.findings.add("VR-I12", fmt::format("there is no group {}", event.group), event);
      return;
    }
    Group& group = groups_[event.group];
    if (group.close != nullptr) {
      it_.findings.add("VR-I11", fmt::format("group {} was closed before", event.group), event,
                       *group.close);
    } else if (group.allocate->place != event.place) {
      it_.findings.add("VR-I11",
                       fmt::format("group {} has cluster {}, and is closed on cluster {}",
                                   event.group, group.allocate->place, event.place),
                       event, *group.allocate);
    }
    group.close = &event;
  }

  void join(const Event& event) {
    if (event.group >= groups_.size()) {
      it_.findings.add("VR-I12", fmt::format("there is no group {}", event.group), event);
      return;
    }
    Group& group = groups_[event.group];
    if (group.allocate->place != event.place) {
      it_.findings.add("VR-I12",
                       fmt::format("group {} has cluster {}, and is joined on cluster {}",
                                   event.group, group.allocate->place, event.place),
                       event, *group.allocate);
    } else if (group.close != nullptr) {
      it_.findings.add("VR-I12", fmt::format("group {} is closed", event.group), event,
                       *group.close);
    }
    add_member(event, group);
  }

  /// What a task that joins has to do with its group.
  void add_member(const Event& event, Group& group) {
    const uint32_t task = it_.history.find(event.task);
    if (task == no_index || !it_.history.of(task).whole) return;
    const TaskRecord& submission = it_.record.tasks[task];
    if (const uint32_t first = it_.history.parts(task)[event.part].join;
        &it_.event(first) != &event) {
      it_.findings.add("VR-I12", text_of(submission, event.part) + " joins a second time", event,
                       it_.event(first));
    } else if (!follows_its_submission(event)) {
      it_.findings.add("VR-I12",
                       text_of(submission, event.part) + " does not join as it is submitted", event,
                       it_.submit(task));
    }
    const bool says = std::cmp_equal(submission.group, event.group);
    const bool may_differ = submission.group == -1 && submission.parts() > 1;
    if (!says && !may_differ) {
      it_.findings.add("VR-I12",
                       fmt::format("{} joins group {}, and its submission names group {}",
                                   text_of(submission, event.part), event.group, submission.group),
                       event, it_.submit(task));
    }
    const Moment& fin = it_.history.parts(task)[event.part].fin;
    if (!fin.has()) {
      group.unfinished = &event;
    } else if (group.last_fin == nullptr || group.last_fin->t < it_.event(fin.event).t) {
      group.last_fin = &it_.event(fin.event);
    }
  }

  /// Beside the joins of its other parts.
  [[nodiscard]] bool follows_its_submission(const Event& join) const {
    return before_ != nullptr && before_->task == join.task &&
           (before_->kind == EventKind::submit || before_->kind == EventKind::join);
  }

  void submit(uint32_t task) {
    const TaskRecord& submission = it_.record.tasks[task];
    if (submission.group == -1 && submission.cluster == -1) return;
    const auto number = static_cast<uint64_t>(submission.group);
    if (number >= groups_.size()) {
      it_.findings.add("VR-I12",
                       fmt::format("{} is pinned to cluster {}, and there is no group {}",
                                   text_of(submission.task), submission.cluster, submission.group),
                       it_.submit(task));
      return;
    }
    const Group& group = groups_[number];
    if (submission.cluster != int64_t{group.allocate->place}) {
      it_.findings.add(
          "VR-I12",
          fmt::format("{} is pinned to cluster {}, but its group {} has cluster {}",
                      text_of(submission.task), submission.cluster, number, group.allocate->place),
          it_.submit(task), *group.allocate);
    } else if (group.close != nullptr) {
      it_.findings.add("VR-I12", fmt::format("group {} is closed", number), it_.submit(task),
                       *group.close);
    }
  }

  /// A task whose parts are in different groups has none itself: one that joined speaks for all.
  void check_joins(uint32_t task) {
    if (!it_.history.of(task).whole) return;
    const auto parts = it_.history.parts(task);
    const auto has_joined = [](const PartHistory& part) { return part.join != no_index; };
    const auto joined = std::ranges::count_if(parts, has_joined);
    if (joined == 0 && it_.record.tasks[task].group == -1) return;
    if (joined == std::ssize(parts)) return check_differing(task);
    const TaskRecord& submission = it_.record.tasks[task];
    const auto other = std::ranges::find_if_not(parts, has_joined) - parts.begin();
    it_.findings.add(
        "VR-I12",
        fmt::format("{} joins no group, {} of {} parts do",
                    text_of(submission, static_cast<uint64_t>(other)), joined, parts.size()),
        it_.submit(task));
  }

  /// All of its parts have joined.
  void check_differing(uint32_t task) {
    const TaskRecord& submission = it_.record.tasks[task];
    const auto parts = it_.history.parts(task);
    const auto group_of = [&](const PartHistory& part) { return it_.event(part.join).group; };
    const uint64_t group = group_of(parts.front());
    // One part alone was judged as it joined.
    if (submission.group != -1 || parts.size() == 1) return;
    if (!std::ranges::all_of(
            parts, [=](uint64_t of_part) { return of_part == group; }, group_of)) {
      return;
    }
    it_.findings.add("VR-I12",
                     fmt::format("all parts of {} join group {}, and its submission names none",
                                 text_of(submission.task), group),
                     it_.event(parts.front().join), it_.submit(task));
  }

  void check_cluster(const Cluster& cluster) {
    // Whichever of the later events tells of a step, that step was not earlier.
    std::vector<uint64_t> earliest(cluster.give_backs.size());
    uint64_t before = ~uint64_t{0};
    for (std::size_t i = earliest.size(); i-- > 0;) {
      before = std::min(before, cluster.give_backs[i]->before);
      earliest[i] = before;
    }
    if (cluster.give_backs.size() > cluster.groups.size()) {
      it_.findings.add("VR-I11",
                       fmt::format("cluster {} is given back {} times, and allocated {} times",
                                   cluster.give_backs.back()->place, cluster.give_backs.size(),
                                   cluster.groups.size()),
                       *cluster.give_backs.back());
    }
    for (std::size_t i = 0; i < cluster.groups.size(); ++i) {
      const Group& group = groups_[cluster.groups[i]];
      const Event* const back = i < earliest.size() ? cluster.give_backs[i] : nullptr;
      check_end(cluster.groups[i], back);
      if (i + 1 == cluster.groups.size()) break;
      const Event& next = *groups_[cluster.groups[i + 1]].allocate;
      if (back == nullptr) {
        it_.findings.add(
            "VR-I10", fmt::format("group {} still has cluster {}", cluster.groups[i], next.place),
            next, *group.allocate);
      } else if (earliest[i] > next.t) {
        it_.findings.add("VR-I10",
                         fmt::format("group {} has not given cluster {} back yet",
                                     cluster.groups[i], next.place),
                         next, *back);
      }
    }
  }

  void check_end(std::size_t number, const Event* back) {
    const Group& group = groups_[number];
    const Event& allocate = *group.allocate;
    const std::string cluster = fmt::format("cluster {}", allocate.place);
    if (group.close == nullptr && (back != nullptr || !it_.record.given_up)) {
      it_.findings.add("VR-I11", fmt::format("group {} is never closed", number), allocate);
    }
    if (back == nullptr) {
      if (it_.record.given_up) return;
      it_.findings.add("VR-I11", fmt::format("{} of group {} never comes back", cluster, number),
                       allocate);
      return;
    }
    if (group.close != nullptr && group.close->before > back->t) {
      it_.findings.add("VR-I11",
                       fmt::format("{} comes back before its group {} is closed", cluster, number),
                       *back, *group.close);
    }
    if (group.unfinished != nullptr) {
      it_.findings.add("VR-I11",
                       fmt::format("{} comes back, and a task of its group {} has not finished",
                                   cluster, number),
                       *back, *group.unfinished);
    } else if (group.last_fin != nullptr && is_late(*group.last_fin, *back)) {
      it_.findings.add(
          "VR-I11",
          fmt::format("{} comes back before the last task of its group {} ends", cluster, number),
          *back, *group.last_fin);
    }
  }

  const Case& it_;
  const Event* before_ = nullptr;  ///< of the orchestrator
  std::vector<Group> groups_;
  std::vector<Cluster> clusters_;
};

}  // namespace

void check_groups(const Case& it) {
  Groups(it).check();
}

}  // namespace pto2::judging

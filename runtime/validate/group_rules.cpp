#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "runtime/validate/rules.hpp"

namespace pto2::validation {
namespace {

struct Group {
  const Event* allocate = nullptr;
  const Event* close = nullptr;
  const Event* last_fin = nullptr;  ///< of its tasks
  bool unfinished = false;          ///< one of its tasks has not finished
};

/// The groups of one cluster, and how often it was given back.
struct Cluster {
  std::vector<std::size_t> groups;
  std::vector<const Event*> give_backs;
};

class Groups {
 public:
  explicit Groups(const Case& it) : it_(it), clusters_(it.trace.clusters) {}

  void check() {
    uint32_t task = 0;
    for (const Event& event : it_.trace.events) {
      if (event.kind == Kind::allocate) allocate(event);
      if (event.kind == Kind::close) close(event);
      if (event.kind == Kind::join) join(event);
      if (event.kind == Kind::submit) submit(task++);
      if (event.kind == Kind::give_back) clusters_[event.place].give_backs.push_back(&event);
    }
    for (task = 0; task < it_.trace.submissions.size(); ++task) check_joins(task);
    for (const Cluster& cluster : clusters_) check_cluster(cluster);
  }

 private:
  void allocate(const Event& event) {
    if (event.number != groups_.size()) {
      it_.findings.add(
          "VR-I12", fmt::format("group {} is allocated as number {}", event.number, groups_.size()),
          event);
    }
    clusters_[event.place].groups.push_back(groups_.size());
    groups_.push_back({&event, nullptr, nullptr, false});
  }

  void close(const Event& event) {
    if (event.number >= groups_.size()) {
      it_.findings.add("VR-I12", "there is no such group", event);
      return;
    }
    Group& group = groups_[event.number];
    if (group.close != nullptr) {
      it_.findings.add("VR-I11", "the group was closed before", event, *group.close);
    } else if (group.allocate->place != event.place) {
      it_.findings.add("VR-I11", "the group has another cluster", event, *group.allocate);
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
      it_.findings.add("VR-I12", "the group has another cluster", event, *group.allocate);
    } else if (group.close != nullptr) {
      it_.findings.add("VR-I12", "the group is closed", event, *group.close);
    }
    const uint32_t task = it_.history.find({event.ring, event.number});
    if (task == no_index || !it_.history.of(task).whole) return;
    const Submission& submission = it_.trace.submissions[task];
    const bool says = submission.group == static_cast<int64_t>(event.group);
    const bool may_differ = submission.group == -1 && submission.parts() > 1;
    if (!says && !may_differ) {
      it_.findings.add("VR-I12", "its submission names another group", event, it_.submit(task));
    }
    const Moment& fin = it_.history.parts(task)[event.part].fin;
    if (!fin.has()) {
      group.unfinished = true;
    } else if (group.last_fin == nullptr || group.last_fin->t < it_.event(fin.event).t) {
      group.last_fin = &it_.event(fin.event);
    }
  }

  void submit(uint32_t task) {
    const Submission& submission = it_.trace.submissions[task];
    if (submission.group == -1 && submission.cluster == -1) return;
    const auto number = static_cast<uint64_t>(submission.group);
    if (number >= groups_.size()) {
      it_.findings.add("VR-I12", fmt::format("there is no group {}", submission.group),
                       it_.submit(task));
      return;
    }
    const Group& group = groups_[number];
    if (submission.cluster != int64_t{group.allocate->place}) {
      it_.findings.add("VR-I12",
                       fmt::format("it is pinned to cluster {}, which group {} has not",
                                   submission.cluster, number),
                       it_.submit(task), *group.allocate);
    } else if (group.close != nullptr) {
      it_.findings.add("VR-I12", "the group is closed", it_.submit(task), *group.close);
    }
  }

  /// A task whose parts are in different groups has none itself: one that joined speaks for all.
  void check_joins(uint32_t task) {
    if (!it_.history.of(task).whole) return;
    const auto parts = it_.history.parts(task);
    const auto joined =
        std::ranges::count_if(parts, [](const PartHistory& part) { return part.join != no_index; });
    if (joined == 0 && it_.trace.submissions[task].group == -1) return;
    if (joined == std::ssize(parts)) return;
    it_.findings.add("VR-I12", fmt::format("{} of its {} parts join a group", joined, parts.size()),
                     it_.submit(task));
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
      it_.findings.add("VR-I11", "the cluster is given back more often than it is allocated",
                       *cluster.give_backs.back());
    }
    for (std::size_t i = 0; i < cluster.groups.size(); ++i) {
      const Group& group = groups_[cluster.groups[i]];
      const Event* const back = i < earliest.size() ? cluster.give_backs[i] : nullptr;
      check_end(group, back);
      if (i + 1 == cluster.groups.size()) break;
      const Event& next = *groups_[cluster.groups[i + 1]].allocate;
      if (back == nullptr) {
        it_.findings.add("VR-I10", "the group before it still has the cluster", next,
                         *group.allocate);
      } else if (earliest[i] > next.t) {
        it_.findings.add("VR-I10", "the group before it has not given the cluster back yet", next,
                         *back);
      }
    }
  }

  void check_end(const Group& group, const Event* back) {
    const Event& allocate = *group.allocate;
    if (group.close == nullptr && (back != nullptr || !it_.trace.given_up)) {
      it_.findings.add("VR-I11", "the group is never closed", allocate);
    }
    if (back == nullptr) {
      if (!it_.trace.given_up) it_.findings.add("VR-I11", "the cluster never comes back", allocate);
      return;
    }
    if (group.close != nullptr && group.close->before > back->t) {
      it_.findings.add("VR-I11", "the cluster comes back before its group is closed", *back,
                       *group.close);
    }
    if (group.unfinished) {
      it_.findings.add("VR-I11", "a task of the group has not finished", *back, allocate);
    } else if (group.last_fin != nullptr && is_late(*group.last_fin, *back)) {
      it_.findings.add("VR-I11", "the cluster comes back before the last task of its group ends",
                       *back, *group.last_fin);
    }
  }

  const Case& it_;
  std::vector<Group> groups_;
  std::vector<Cluster> clusters_;
};

}  // namespace

void check_groups(const Case& it) {
  Groups(it).check();
}

}  // namespace pto2::validation

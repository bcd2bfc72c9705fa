/// The functions of the orchestration API that are about clusters.
#pragma once

#include <fmt/core.h>

#include "runtime/orchestrator/orchestrator.hpp"

namespace pto2 {

/// Counting goes on far beyond what a chip may have, as long as a submission can name the cluster.
inline constexpr uint32_t max_counted_cluster = INT16_MAX;
static_assert(max_counted_cluster >= max_blocks);

/// After a failure any id will do: the calls that it is passed to do nothing.
template <executors::ExecutionPolicy P, template <class> class F>
int32_t Orchestrator<P, F>::allocate_cluster() {
  if (mode_ == Mode::stopped) return 0;
  if (scopes_.empty() || done_) {
    fail({ErrorCode::bad_submission, "allocate_cluster: the orchestration is done",
          "allocate before pto2_rt_orchestration_done"});
    return 0;
  }
  const std::optional<uint32_t> cluster = take_cluster();
  if (!cluster) return 0;
  end_pipes(*cluster);
  const OpenGroup group = groups_.open(*cluster, depth());
  if (mode_ == Mode::running) {
    record<P>(log_, {.group = group.group, .place = *cluster, .kind = EventKind::allocate});
  }
  return static_cast<int32_t>(*cluster);
}

/// The cluster is free, so the tasks of its last group have completed. PI-I2
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::end_pipes(uint32_t cluster) {
  dataflow_.pipes().end_group_on(cluster, leftovers_);
  report_leftovers();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::report_leftovers() {
  for (const PipeLeftover& left : leftovers_) {
    if (mode_ == Mode::counting) break;
    if (log_.enabled()) record_leftover(left);
    if (!input_.log) continue;
    input_.log(PTO2_LOG_WARN,
               fmt::format("[Pipe] group {}, tag {}: {} entries are left at the end of the group, "
                           "{} of them popped and not freed",
                           left.group, left.tag, left.waiting + left.held, left.held)
                   .c_str());
  }
  leftovers_.clear();
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::record_leftover(const PipeLeftover& left) {
  PipeUse use{};
  use.group = left.group;
  use.tag = left.tag;
  use.after = {static_cast<int64_t>(left.waiting), static_cast<int64_t>(left.held)};
  log_.record({.t = P::now(), .kind = EventKind::leftover}, use);
}

/// Waits for a free cluster. While a deadlock is counted there are as many as it takes. Nothing:
/// the run is given up, or has been counted as far as that can be done.
template <executors::ExecutionPolicy P, template <class> class F>
std::optional<uint32_t> Orchestrator<P, F>::take_cluster() {
  uint32_t cluster = 0;
  if (mode_ == Mode::running) {
    switch (submitter_.allocate_cluster(ring(), cluster)) {
      case Reserved::fits:
        return cluster;
      case Reserved::deadlocked: {
        Deadlock deadlock;
        deadlock.resource = Resource::clusters;
        deadlock.requested = 1;
        deadlock.size = state_.clusters.clusters();
        deadlock.groups = groups_.open_groups();
        begin_counting(deadlock);
        break;
      }
      case Reserved::given_up:
        mode_ = Mode::stopped;
        return std::nullopt;
    }
  }
  cluster = groups_.lowest_closed();
  if (cluster > max_counted_cluster) {
    finish_counting();
    return std::nullopt;
  }
  return cluster;
}

/// False: the cluster has no open group, and the run has failed.
template <executors::ExecutionPolicy P, template <class> class F>
bool Orchestrator<P, F>::check_group(const char* call, int32_t cluster) {
  if (groups_.is_open(cluster)) return true;
  fail({ErrorCode::bad_submission,
        fmt::format("{}: {} (before submission {})", call, groups_.why_closed(cluster),
                    submitter_.submitted()),
        "use what pto2_rt_allocate_cluster returned, until it is freed or its scope ends"});
  return false;
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::free_cluster(int32_t cluster) {
  if (mode_ == Mode::stopped || !check_group("free_cluster", cluster)) return;
  const auto index = static_cast<uint32_t>(cluster);
  close_group({groups_.free(index), index, 0});
}

/// The books of the group are closed already.
template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::close_group(const OpenGroup& group) {
  if (mode_ != Mode::running) return;
  record<P>(log_, {.group = group.group, .place = group.cluster, .kind = EventKind::close});
  if (state_.clusters.close(group.cluster)) {
    record<P>(log_, EventKind::give_back, no_task, group.cluster);
  }
}

template <executors::ExecutionPolicy P, template <class> class F>
void Orchestrator<P, F>::submit_task_clustered(int32_t kernel_id, int32_t worker_type,
                                               const PTOParam* params, uint32_t count,
                                               int32_t cluster) {
  if (mode_ == Mode::stopped) return;
  if (cluster != any_cluster) {
    if (!check_group("submit_task_clustered", cluster)) return;
    submission_.cluster = static_cast<int16_t>(cluster);
    submission_.group = groups_.group_of(static_cast<uint32_t>(cluster));
  }
  submit_task(kernel_id, worker_type, params, count);
  submission_.cluster = any_cluster;
}

}  // namespace pto2

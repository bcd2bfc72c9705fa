#include "runtime/orchestrator/cluster_groups.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/assert.hpp"

namespace pto2 {

OpenGroup ClusterGroups::open(ClusterId cluster, uint32_t depth) {
  if (cluster.value == clusters_.size()) clusters_.emplace_back();
  PTO2_INVARIANT("CG-P1", cluster.value < clusters_.size() && !clusters_[cluster.value].open);
  Cluster& opened = clusters_[cluster.value];
  opened.open = true;
  opened.group = next_group_++;
  while (is_open(static_cast<int32_t>(lowest_closed_.value))) ++lowest_closed_.value;
  open_.push_back({opened.group, cluster, depth});
  most_open_ = std::max(most_open_, static_cast<uint32_t>(open_.size()));
  return open_.back();
}

uint32_t ClusterGroups::group_of(ClusterId cluster) const {
  PTO2_INVARIANT("CG-P2", is_open(static_cast<int32_t>(cluster.value)));
  return clusters_[cluster.value].group;
}

std::string ClusterGroups::why_closed(int32_t cluster) const {
  if (cluster < 0 || static_cast<uint32_t>(cluster) >= clusters_.size()) {
    return fmt::format("there is no cluster {}: the chip has clusters 0 to {}", cluster,
                       clusters_.size() - 1);
  }
  const Cluster& closed = clusters_[static_cast<uint32_t>(cluster)];
  switch (closed.last) {
    case End::none:
      return fmt::format("cluster {} is not allocated", cluster);
    case End::freed:
      return fmt::format("cluster {} is not allocated: its last group, {}, was freed", cluster,
                         closed.group);
    case End::scope_ended:
      return fmt::format("cluster {} is not allocated: its last group, {}, ended with its scope",
                         cluster, closed.group);
  }
  return fmt::format("cluster {} is not allocated", cluster);
}

uint32_t ClusterGroups::free(ClusterId cluster) {
  PTO2_INVARIANT("CG-P2", is_open(static_cast<int32_t>(cluster.value)));
  const auto open = std::ranges::find(open_, cluster, &OpenGroup::cluster);
  const uint32_t group = open->group;
  close(static_cast<std::size_t>(open - open_.begin()), End::freed);
  return group;
}

std::optional<OpenGroup> ClusterGroups::close_with_scope(uint32_t depth) {
  // Scopes end in reverse order of their beginning: the groups of the innermost came last.
  if (open_.empty() || open_.back().depth != depth) return std::nullopt;
  const OpenGroup group = open_.back();
  close(open_.size() - 1, End::scope_ended);
  return group;
}

void ClusterGroups::close(std::size_t index, End how) {
  const ClusterId cluster = open_[index].cluster;
  Cluster& closed = clusters_[cluster.value];
  lowest_closed_ = std::min(lowest_closed_, cluster);
  closed.last = how;
  closed.open = false;
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace pto2

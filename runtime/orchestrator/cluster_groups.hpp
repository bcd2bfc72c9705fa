/// The orchestrator's books of groups: which cluster each holds, and the scope that it belongs to.
///
/// A group is opened by allocate_cluster(), belongs to the innermost scope that is open then, and
/// is closed by free_cluster() or by the end of that scope, whichever comes first. Groups are
/// numbered in the order of their allocation, from 0.
///
/// When a deadlock is counted nothing runs, and there are clusters as on a chip of enough blocks:
/// each group has one of its own, the lowest that is free if all tasks have completed. What an
/// orchestration does with the ids, it would do there.
///
///   CG-I1: a cluster has one open group at most.
///   CG-I2: a group is closed once, and not later than its scope.
///   CG-P1: the cluster that is opened has no open group.
///   CG-P2: the cluster that is closed, or whose group is asked for, has an open group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.hpp"

namespace pto2 {

/// A group that holds a cluster.
struct OpenGroup {
  uint32_t group;
  ClusterId cluster;
  uint32_t depth;  ///< of its scope, 0 the outermost
};

class ClusterGroups {
 public:
  /// `clusters`: of the chip.
  explicit ClusterGroups(uint32_t clusters) : clusters_(clusters) {}

  /// Opens the next group on a cluster, in the scope at `depth`, the innermost. The chip may not
  /// have the cluster, but must have the one below, or a group has held it. CG-P1
  OpenGroup open(ClusterId cluster, uint32_t depth);
  /// The lowest cluster without an open group; one more than there are, if all have one.
  [[nodiscard]] ClusterId lowest_closed() const { return lowest_closed_; }

  /// True if the cluster has an open group.
  [[nodiscard]] bool is_open(int32_t cluster) const {
    return cluster >= 0 && static_cast<uint32_t>(cluster) < clusters_.size() &&
           clusters_[static_cast<uint32_t>(cluster)].open;
  }
  /// Number of the last group of a cluster. CG-P2
  [[nodiscard]] uint32_t group_of(ClusterId cluster) const;
  /// Why the cluster has no open group: it does not exist, was never allocated, was freed, or its
  /// scope has ended.
  [[nodiscard]] std::string why_closed(int32_t cluster) const;

  /// Closes the open group of a cluster; returns its number. CG-P2
  uint32_t free(ClusterId cluster);
  /// At the end of the scope at `depth`: closes its group that was opened last. Nothing: it has
  /// none left.
  [[nodiscard]] std::optional<OpenGroup> close_with_scope(uint32_t depth);

  /// The groups that are open, in the order of their numbers.
  [[nodiscard]] const std::vector<OpenGroup>& open_groups() const { return open_; }
  /// The largest number of groups that were open at once: the clusters that it takes.
  [[nodiscard]] uint32_t most_open() const { return most_open_; }

 private:
  enum class End : uint8_t { none, freed, scope_ended };
  struct Cluster {
    bool open = false;     ///< it has a group
    End last = End::none;  ///< how the one that was closed last ended
    uint32_t group = 0;    ///< the last one
  };

  void close(std::size_t index, End how);

  std::vector<Cluster> clusters_;
  std::vector<OpenGroup> open_;
  ClusterId lowest_closed_;
  uint32_t next_group_ = 0;
  uint32_t most_open_ = 0;
};

}  // namespace pto2

/// The orchestrator's books of groups: which cluster each holds, and the scope that it belongs to.
///
/// A group is opened by allocate_cluster(), belongs to the innermost scope that is open then, and
/// is closed by free_cluster() or by the end of that scope, whichever comes first. Groups are
/// numbered in the order of their allocation, from 0. In counting mode there are as many clusters
/// as it takes: those of the chip, and others above them.
///
///   CG-I1: a cluster has at most one open group.
///   CG-I2: a group is closed once, and not later than its scope.
///   CG-P1: the cluster that is opened is not open.
///   CG-P2: the cluster that is closed, or whose group is asked for, is open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pto2 {

/// A group that holds a cluster.
struct OpenGroup {
  uint32_t group;
  uint32_t cluster;
  uint32_t depth;  ///< of its scope, 0 the outermost
};

class ClusterGroups {
 public:
  /// `clusters`: of the chip.
  explicit ClusterGroups(uint32_t clusters) : clusters_(clusters) {}

  /// Opens the next group on a cluster, in the scope at `depth`, the innermost. CG-P1
  OpenGroup open(uint32_t cluster, uint32_t depth);
  /// The lowest cluster without an open group: in counting mode there is always one.
  [[nodiscard]] uint32_t lowest_closed() const;

  /// True if the cluster has an open group.
  [[nodiscard]] bool is_open(int32_t cluster) const {
    return cluster >= 0 && static_cast<uint32_t>(cluster) < clusters_.size() &&
           clusters_[static_cast<uint32_t>(cluster)].state == State::open;
  }
  /// Number of the open group of a cluster. CG-P2
  [[nodiscard]] uint32_t group_of(uint32_t cluster) const;
  /// Why the cluster has no open group: it does not exist, was never allocated, was freed, or its
  /// scope has ended.
  [[nodiscard]] std::string why_closed(int32_t cluster) const;

  /// Closes the open group of a cluster; returns its number. CG-P2
  uint32_t free(uint32_t cluster);
  /// At the end of the scope at `depth`: closes its group that was opened last. Nothing: it has
  /// none left.
  [[nodiscard]] std::optional<OpenGroup> close_with_scope(uint32_t depth);

  /// The groups that are open, in the order of their numbers.
  [[nodiscard]] const std::vector<OpenGroup>& open_groups() const { return open_; }
  /// The largest number of groups that were open at once: the clusters that it takes.
  [[nodiscard]] uint32_t most_open() const { return most_open_; }

 private:
  enum class State : uint8_t { unused, open, freed, scope_ended };
  struct Cluster {
    State state = State::unused;
    uint32_t group = 0;  ///< the last one
  };

  void close(std::size_t index, State state);

  std::vector<Cluster> clusters_;
  std::vector<OpenGroup> open_;
  uint32_t next_group_ = 0;
  uint32_t most_open_ = 0;
};

}  // namespace pto2

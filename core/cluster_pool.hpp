/// Clusters and the groups that hold them.
///
/// Cluster c is block c of the chip, with all its cores. A group holds one cluster from allocation
/// until its last task has ended; free_cluster() is called while tasks of the group still run.
///
///   free        bit c of word c / 64: cluster c is free
///   members     per cluster: tasks of its group that have not ended, plus 1 while it is open
///
/// Write rights: allocate(), join(), close(): the orchestrator. leave(): the completer of a task
/// of the group.
///
///   CP-I1: a cluster belongs to at most one group.
///   CP-I2: a cluster returns exactly once per group, when the group was closed and its last task
///          ended.
///   CP-I3: what the tasks of a group did on the cluster happens before its next allocation.
///   CP-I4: a task leaves its group before it counts as finished (core/stall_detector.hpp): once
///          everything has finished, whatever cluster is not free is held by an open group, and
///          nobody but the orchestrator will free it.
///
/// Progress: leave() and close() are lock-free; allocate() never waits.
#pragma once

#include <bit>
#include <optional>
#include <span>

#include "core/assert.hpp"
#include "core/ids.hpp"
#include "core/policy.hpp"

namespace pto2 {

struct ClusterPoolOrders {
  /// Every cluster is free at first; whoever makes the pool publishes it as a whole.
  static constexpr OrderSite fill{"cluster_pool.fill", Operation::update,
                                  std::memory_order_relaxed};
  /// Takes a free cluster, whose give_back look has observed.
  static constexpr OrderSite take{"cluster_pool.take", Operation::update,
                                  std::memory_order_relaxed};
  /// Publishes the group's work; partner of look. And before a look whether the orchestrator is to
  /// be rung (core/awaited_mark.hpp).
  static constexpr OrderSite give_back{"cluster_pool.give_back", Operation::update,
                                       std::memory_order_seq_cst};
  /// A look before take, which observes give_back; and before the orchestrator sleeps, after it has
  /// cleared its mark.
  static constexpr OrderSite look{"cluster_pool.look", Operation::load, std::memory_order_seq_cst};
  /// For asserts only.
  static constexpr OrderSite inspect{"cluster_pool.inspect", Operation::load,
                                     std::memory_order_relaxed};
  /// Opens a group; only the orchestrator does.
  static constexpr OrderSite open{"cluster_pool.open", Operation::store, std::memory_order_relaxed};
  /// Only the orchestrator joins, and it holds the group meanwhile.
  static constexpr OrderSite join{"cluster_pool.join", Operation::update,
                                  std::memory_order_relaxed};
  /// Publishes to, or observes for, the one who gives the cluster back.
  static constexpr OrderSite leave{"cluster_pool.leave", Operation::update,
                                   std::memory_order_acq_rel};
};

template <Policy P>
class ClusterPool {
 public:
  using Orders = ClusterPoolOrders;
  using Word = typename P::template atomic<uint64_t>;
  using Members = typename P::template atomic<uint32_t>;

  /// `words` holds one bit per cluster, `members` one entry per cluster; both outlive this object
  /// and are initialised here.
  ClusterPool(std::span<Word> words, std::span<Members> members)
      : words_(words), members_(members) {
    PTO2_INVARIANT("CP-I1", words.size() * 64 >= members.size());
    for (uint32_t c = 0; c < members.size(); ++c) {
      word_of(ClusterId(c)).fetch_or(bit(ClusterId(c)), P::order(Orders::fill));
    }
  }

  [[nodiscard]] uint32_t clusters() const { return static_cast<uint32_t>(members_.size()); }

  /// Opens a group on the free cluster of the lowest number; nothing if none is free.
  [[nodiscard]] std::optional<ClusterId> allocate() {
    for (uint32_t w = 0; w < words_.size(); ++w) {
      const uint64_t free = words_[w].load(P::order(Orders::look));
      if (free == 0) continue;
      const auto lowest = static_cast<uint32_t>(std::countr_zero(free));
      const ClusterId cluster(w * 64 + lowest);
      const uint64_t before = words_[w].fetch_and(~bit(cluster), P::order(Orders::take));
      PTO2_INVARIANT("CP-I1", (before & bit(cluster)) != 0);
      members_[cluster.value].store(1, P::order(Orders::open));
      return cluster;
    }
    return std::nullopt;
  }

  /// One more task in the open group of `cluster`.
  void join(ClusterId cluster) {
    const uint32_t before = members_[cluster.value].fetch_add(1, P::order(Orders::join));
    PTO2_INVARIANT("CP-I2", before >= 1);
  }

  /// A task of the group ended. True if the cluster is free by it.
  [[nodiscard]] bool leave(ClusterId cluster) {
    const uint32_t before = members_[cluster.value].fetch_sub(1, P::order(Orders::leave));
    PTO2_INVARIANT("CP-I2", before >= 1);
    if (before != 1) return false;
    const uint64_t word = word_of(cluster).fetch_or(bit(cluster), P::order(Orders::give_back));
    PTO2_INVARIANT("CP-I1", (word & bit(cluster)) == 0);
    return true;
  }

  /// Closes the group: no task will join. True if the cluster is free by it.
  [[nodiscard]] bool close(ClusterId cluster) { return leave(cluster); }

  /// True if each cluster is free exactly when its group has no members. Requires that no verb is
  /// under way.
  [[nodiscard]] bool invariant_holds() const {
    for (uint32_t c = 0; c < members_.size(); ++c) {
      const ClusterId cluster(c);
      const bool free = (word_of(cluster).load(P::order(Orders::inspect)) & bit(cluster)) != 0;
      if (free != (members_[c].load(P::order(Orders::inspect)) == 0)) return false;
    }
    return true;
  }
  /// True if no cluster is held: the state after a run.
  [[nodiscard]] bool all_free() const {
    for (const Members& members : members_) {
      if (members.load(P::order(Orders::inspect)) != 0) return false;
    }
    return true;
  }

 private:
  static constexpr uint64_t bit(ClusterId cluster) { return uint64_t{1} << (cluster.value % 64); }
  [[nodiscard]] Word& word_of(ClusterId cluster) const { return words_[cluster.value / 64]; }

  std::span<Word> words_;
  std::span<Members> members_;
};

}  // namespace pto2

/// Two groups hold the two clusters of one word; the completers of their last tasks (roles 1, 2)
/// leave at the same time, while the orchestrator (role 0) waits for both clusters. CP-I1, CP-I2,
/// CP-I3: neither return wipes the other, and each next owner sees what was done on its cluster.
#pragma once

#include "core/cluster_pool.hpp"
#include "core/startup.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class TwoClusters : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"cluster 0 returns first", "cluster 1 returns first"};

  void thread(uint32_t i) { i == 0 ? orchestrate() : run_task(ClusterId(i - 1)); }

  void finish() {
    check<P>(!pool_.all_free(), "a cluster is held");
    for (uint32_t c = 0; c < clusters; ++c) {
      check<P>(pool_.close(ClusterId(c)), "the second group holds the cluster");
    }
    check<P>(pool_.invariant_holds() && pool_.all_free(), "every cluster is free");
  }

 private:
  static constexpr uint32_t clusters = 2;

  void orchestrate() {
    for (uint32_t c = 0; c < clusters; ++c) {
      const ClusterId cluster(c);
      check<P>(pool_.allocate() == cluster, "the lowest free cluster is given out");
      pool_.join(cluster);
      check<P>(!pool_.close(cluster), "its task has not ended");
    }
    for (auto& started : started_) started.set();
    this->ring_all();
    for (uint32_t group = 0; group < clusters; ++group) {
      std::optional<ClusterId> cluster;
      P::await([&] { return (cluster = pool_.allocate()).has_value(); });
      if (group == 0) {
        happened<P>(cluster->value == 0 ? "cluster 0 returns first" : "cluster 1 returns first");
      }
      check<P>(work_[cluster->value].read() == 1, "the next owner sees the work of the group");
      work_[cluster->value].write(2);
    }
  }

  void run_task(ClusterId cluster) {
    P::await([&] { return started_[cluster.value].is_set(); });
    work_[cluster.value].write(1);
    check<P>(pool_.leave(cluster), "the last task gives the cluster back");
    this->bells[0].ring();
  }

  using Pool = ClusterPool<P>;
  std::array<typename Pool::Word, 1> words_;
  std::array<typename Pool::Members, clusters> members_;
  Pool pool_{words_, members_};
  std::array<Flag<P>, clusters> started_;
  std::array<typename P::template cell<uint32_t>, clusters> work_;
};

}  // namespace pto2::scenarios

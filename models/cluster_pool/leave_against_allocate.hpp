/// The last task of a closed group (role 1) ends while the orchestrator (role 0) waits for the only
/// cluster. CP-I2, CP-I3, CP-I4: it gets the cluster, sees what was done on it, and when it sees
/// that everything has ended, the cluster is there.
#pragma once

#include "core/cluster_pool.hpp"
#include "core/stall_detector.hpp"
#include "core/startup.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class LeaveAgainstAllocate : public Roles<P, 2> {
 public:
  static constexpr std::array reaches{"the cluster is there at once", "the orchestrator waits"};

  void thread(uint32_t i) { i == 0 ? orchestrate() : run_task(); }

  void finish() {
    check<P>(pool_.close(0), "the second group holds the cluster");
    check<P>(pool_.invariant_holds() && pool_.all_free(), "every cluster is free");
  }

 private:
  void orchestrate() {
    check<P>(pool_.allocate() == ClusterId(0), "the cluster is free at first");
    pool_.join(0);
    started_.set();
    this->ring_all();
    (void)pool_.close(0);
    bool waits = false;
    P::await([&] {
      const bool ended = stall_.quiescent(1);
      if (pool_.allocate()) return true;
      check<P>(!ended, "when all tasks have ended, their groups have given back");
      waits = true;
      return false;
    });
    happened<P>(waits ? "the orchestrator waits" : "the cluster is there at once");
    check<P>(work_.read() == 1, "the next owner sees the work of the group");
  }

  void run_task() {
    P::await([&] { return started_.is_set(); });
    work_.write(1);
    (void)pool_.leave(0);
    finished_[0].add(1);
    this->bells[0].ring();
  }

  using Pool = ClusterPool<P>;
  std::array<typename Pool::Word, 1> words_;
  std::array<typename Pool::Members, 1> members_;
  Pool pool_{words_, members_};
  std::array<FinishedCount<P>, 1> finished_;
  StallDetector<P> stall_{finished_};
  Flag<P> started_;
  typename P::template cell<uint32_t> work_;
};

}  // namespace pto2::scenarios

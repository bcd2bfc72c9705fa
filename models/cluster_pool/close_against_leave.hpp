/// The orchestrator (role 0) closes a group while its two tasks (roles 1, 2) end, and allocates
/// the only cluster again. CP-I1, CP-I2, CP-I3: it returns once, after all three, and the next
/// owner sees what was done on it.
#pragma once

#include "core/cluster_pool.hpp"
#include "core/startup.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class CloseAgainstLeave : public Roles<P, 3> {
 public:
  static constexpr std::array reaches{"closing gives the cluster back",
                                      "leaving gives the cluster back"};

  void thread(uint32_t i) { i == 0 ? orchestrate() : run_task(i - 1); }

  void finish() {
    check<P>(freed_[0] + freed_[1] + freed_[2] == 1, "one of the three gives the cluster back");
    happened<P>(freed_[0] == 1 ? "closing gives the cluster back"
                               : "leaving gives the cluster back");
    check<P>(pool_.close(0), "the second group holds the cluster");
    check<P>(pool_.invariant_holds() && pool_.all_free(), "every cluster is free");
  }

 private:
  void orchestrate() {
    check<P>(pool_.allocate() == ClusterId(0), "the cluster is free at first");
    for (auto& started : started_) {
      pool_.join(0);
      started.set();
    }
    this->ring_all();
    freed_[0] = pool_.close(0) ? 1 : 0;
    P::await([&] { return pool_.allocate().has_value(); });
    for (auto& work : work_) {
      check<P>(work.read() == 1, "the next owner sees the work of the group");
      work.write(2);
    }
  }

  void run_task(uint32_t task) {
    P::await([&] { return started_[task].is_set(); });
    work_[task].write(1);
    freed_[1 + task] = pool_.leave(0) ? 1 : 0;
    this->bells[0].ring();
  }

  using Pool = ClusterPool<P>;
  std::array<typename Pool::Word, 1> words_;
  std::array<typename Pool::Members, 1> members_;
  Pool pool_{words_, members_};
  std::array<Flag<P>, 2> started_;
  std::array<typename P::template cell<uint32_t>, 2> work_;
  std::array<uint32_t, 3> freed_{};  // entry i is role i's
};

}  // namespace pto2::scenarios

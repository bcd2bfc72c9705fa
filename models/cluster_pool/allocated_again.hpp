/// One cluster (of a chip with one) serves two groups in turn, with a task each: the second task
/// may come as soon as the first has ended, whoever gave the cluster back. CP-I1, CP-I2, CP-I3.
#pragma once

#include "core/cluster_pool.hpp"
#include "core/startup.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class AllocatedAgain : public Roles<P, 2> {
 public:
  static constexpr std::array reaches{"closing gives the cluster back",
                                      "leaving gives the cluster back"};

  void thread(uint32_t i) { i == 0 ? orchestrate() : run_tasks(); }

  void finish() {
    check<P>(given_back_[0] + given_back_[1] == groups, "each group gives the cluster back once");
    check<P>(work_.read() == groups, "both tasks have run");
    check<P>(pool_.invariant_holds() && pool_.all_free(), "every cluster is free");
  }

 private:
  static constexpr uint32_t groups = 2;

  void orchestrate() {
    for (auto& started : started_) {
      P::await([&] { return pool_.allocate() == ClusterId(0); });
      pool_.join(0);
      started.set();
      this->bells[1].ring();
      if (pool_.close(0)) {
        ++given_back_[0];
        happened<P>("closing gives the cluster back");
      }
    }
  }

  void run_tasks() {
    for (uint32_t group = 0; group < groups; ++group) {
      P::await([&] { return started_[group].is_set(); });
      work_.write(group + 1);
      if (pool_.leave(0)) {
        ++given_back_[1];
        happened<P>("leaving gives the cluster back");
      }
      this->bells[0].ring();
    }
  }

  using Pool = ClusterPool<P>;
  std::array<typename Pool::Word, 1> words_;
  std::array<typename Pool::Members, 1> members_;
  Pool pool_{words_, members_};
  std::array<Flag<P>, groups> started_;
  std::array<uint32_t, 2> given_back_{};  // by role
  typename P::template cell<uint32_t> work_{};
};

}  // namespace pto2::scenarios

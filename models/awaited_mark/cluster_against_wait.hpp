/// The orchestrator (role 0) says that any completion counts, and waits for a cluster. A completer
/// (role 1) gives one back, while the watermark stays where it is. AM-I1: it rings, or the
/// orchestrator finds the cluster.
#pragma once

#include "core/awaited_mark.hpp"
#include "core/cluster_pool.hpp"
#include "core/watermark.hpp"
#include "models/support/scenario.hpp"

namespace pto2::scenarios {

template <Policy P>
class ClusterAgainstWait : public Roles<P, 2> {
 public:
  static constexpr bool idles = true;
  static constexpr std::array reaches{"the completion rings nobody", "the orchestrator sleeps"};

  ClusterAgainstWait() { (void)pool_.allocate(); }
  void thread(uint32_t i) { i == 0 ? allocate() : complete(); }
  void finish() { check<P>(pool_.invariant_holds() && !pool_.all_free(), "the cluster is held"); }

 private:
  using Pool = ClusterPool<P>;

  void allocate() {
    mark_.set_any();
    while (!pool_.allocate()) {
      happened<P>("the orchestrator sleeps");
      P::idle();
    }
  }
  void complete() {
    check<P>(pool_.leave(ClusterId(0)), "the cluster is free");
    if (mark_.is_reached([this](RingId) -> const auto& { return watermark_; })) {
      this->bells[0].ring();
    } else {
      happened<P>("the completion rings nobody");
    }
  }

  AwaitedMark<P> mark_;
  Watermark<P> watermark_;
  std::array<typename Pool::Word, 1> words_;
  std::array<typename Pool::Members, 1> members_;
  Pool pool_{words_, members_};
};

}  // namespace pto2::scenarios

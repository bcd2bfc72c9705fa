/// The ready queues of a scenario.
#pragma once

#include <array>
#include <utility>

#include "core/ready_queues.hpp"

namespace pto2::scenarios {

/// What they are made of.
template <Policy P, uint32_t shards, uint32_t room>
class SmallQueuesMemory {
 protected:
  using Queue = typename P::template bounded_queue<SlotId>;

  SmallQueuesMemory() : SmallQueuesMemory(std::make_index_sequence<shards>()) {}

  std::array<Queue, shards> queues_;
  std::array<Queue*, shards> pointers_;
  std::array<typename OrchestratorQueue<P>::Entry, 2> entries_;
  OrchestratorQueue<P> of_orchestrator_{entries_};

 private:
  template <std::size_t... i>
  explicit SmallQueuesMemory(std::index_sequence<i...>)
      : queues_{((void)i, Queue(room))...}, pointers_{&queues_[i]...} {}
};

/// That many shards of that room, and the orchestrator's queue with room for 2.
template <Policy P, uint32_t shards, uint32_t room = 2>
class SmallQueues : SmallQueuesMemory<P, shards, room>, public ReadyQueues<P> {
 public:
  SmallQueues() : ReadyQueues<P>(this->pointers_, this->of_orchestrator_) {}
};

}  // namespace pto2::scenarios

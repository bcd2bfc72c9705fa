/// The ready queues of one core type, with the memory that they are made of.
#pragma once

#include <memory>
#include <vector>

#include "core/ready_queues.hpp"
#include "runtime/executors/execution_policy.hpp"
#include "runtime/run/config.hpp"

namespace pto2 {

/// What they are made of: nothing for a type that nobody runs.
template <executors::ExecutionPolicy P>
class QueuesMemory {
 protected:
  using Queue = typename P::template bounded_queue<SlotId>;
  using Entry = typename OrchestratorQueue<P>::Entry;

  QueuesMemory(const DeviceConfig& device, CoreType type)
      : owned_(make_shards(device, type)),
        pointers_(pointers(owned_)),
        entries_(room(device, type)),
        of_orchestrator_(entries_.span()) {}

  std::vector<std::unique_ptr<Queue>> owned_;
  std::vector<Queue*> pointers_;
  typename P::template shared_array<Entry> entries_;
  OrchestratorQueue<P> of_orchestrator_;

 private:
  static std::vector<std::unique_ptr<Queue>> make_shards(const DeviceConfig& device,
                                                         CoreType type) {
    std::vector<std::unique_ptr<Queue>> result;
    if (!device.chip.runs(type)) return result;
    for (uint32_t i = 0; i < device.shards; ++i) {
      result.push_back(std::make_unique<Queue>(device.shard_room(type)));
    }
    return result;
  }
  static std::size_t room(const DeviceConfig& device, CoreType type) {
    return device.chip.runs(type) ? device.orchestrator_room(type) : 0;
  }
  static std::vector<Queue*> pointers(const std::vector<std::unique_ptr<Queue>>& owned) {
    std::vector<Queue*> result;
    for (const auto& queue : owned) result.push_back(queue.get());
    return result;
  }
};

template <executors::ExecutionPolicy P>
class OwnedQueues : QueuesMemory<P>, public ReadyQueues<P> {
 public:
  /// Those for tasks of this type; `device` must be valid.
  OwnedQueues(const DeviceConfig& device, CoreType type)
      : QueuesMemory<P>(device, type), ReadyQueues<P>(this->pointers_, this->of_orchestrator_) {}

  /// How many shards there are: none if nobody runs such tasks.
  [[nodiscard]] std::size_t shards() const { return this->owned_.size(); }

  /// Nobody uses the queues any more, which are empty by now, nor will this object: the next run
  /// may have their memory, but for shards of simulations, which are not worth it.
  void keep_for_the_next() {
    if constexpr (requires { this->owned_.back()->keep_for_the_next(); }) {
      for (; !this->owned_.empty(); this->owned_.pop_back()) {
        this->owned_.back()->keep_for_the_next();
      }
    }
    this->entries_.keep_for_the_next(this->of_orchestrator_.pushed());
  }
};

}  // namespace pto2

/// What kernels ask of a launch while they run: pto_core_calls.h. None of it is asked by kernels
/// that wait for nobody, so it costs nothing where it is not used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/chip/chip.hpp"
#include "runtime/device/quiet_run.hpp"
#include "runtime/executors/execution_policy.hpp"
#include "runtime/include/pto_core_calls.h"

namespace pto2 {

/// A wait ends when what it waits for holds. Else somebody ends it: in a simulation when nobody can
/// go on, which is exact; on hardware when the run is given up, when it has been quiet for long
/// (QuietRun), or when the wait has lasted for the deadline of kernels.
template <executors::LaunchPolicy P>
class CoreCalls {
 public:
  /// `is_given_up`: whether the run is, from any OS thread.
  CoreCalls(const Chip& chip, uint64_t deadline_ms, std::function<bool()> is_given_up)
      : chip_(chip),
        longest_(deadline_ms / executors::KernelWatch::period.count()),
        is_given_up_(std::move(is_given_up)) {}
  CoreCalls(const CoreCalls&) = delete;
  CoreCalls& operator=(const CoreCalls&) = delete;

  /// What kernels get. As long as this lives.
  [[nodiscard]] const PTOCoreCalls* table() const { return &table_; }

  /// By no logical thread, now and then: ends waits.
  void look(std::span<const executors::KernelState> threads) {
    const std::scoped_lock lock(mutex_);
    const bool is_quiet = quiet_.look(threads, announced_);
    for (Wait* const wait : waits_) {
      const bool is_late = longest_ != 0 && ++wait->looks > longest_;
      if (is_given_up_()) {
        end(*wait, PTOWaited::GIVEN_UP);
      } else if (is_quiet || is_late) {
        end(*wait, PTOWaited::NOBODY);
      }
    }
  }
  /// The same when nobody can go on, as a simulation knows, which may not ask why. False: nobody
  /// waits.
  bool end_all() {
    const std::scoped_lock lock(mutex_);
    for (Wait* const wait : waits_) end(*wait, PTOWaited::NOBODY);
    return !waits_.empty();
  }

 private:
  struct Wait {
    typename P::kernel_waiter waiter;
    uint64_t looks = 0;
    PTOWaited ended = PTOWaited::HOLDS;  // HOLDS: not ended
  };
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
  };
  static constexpr std::align_val_t alignment{64};

  static void end(Wait& wait, PTOWaited why) {
    wait.ended = why;
    wait.waiter.ring();
  }

  PTOWaited wait(bool (*holds)(void*), void* what) {
    if (holds(what)) return PTOWaited::HOLDS;
    Wait self;
    if (!self.waiter.can_wait()) return PTOWaited::NOBODY;
    // Listed before it looks again: whoever announces has stored before, and rings all.
    list(self);
    PTOWaited ended = PTOWaited::HOLDS;
    while (!holds(what) && (ended = ended_of(self)) == PTOWaited::HOLDS) self.waiter.wait();
    unlist(self);
    // A ring of somebody else's may have been used up: it is looked after once more.
    self.waiter.ring();
    return ended;
  }
  void list(Wait& wait) {
    const std::scoped_lock lock(mutex_);
    waits_.push_back(&wait);
  }
  void unlist(Wait& wait) {
    const std::scoped_lock lock(mutex_);
    std::erase(waits_, &wait);
  }
  PTOWaited ended_of(const Wait& wait) {
    const std::scoped_lock lock(mutex_);
    return wait.ended;
  }

  void announce() {
    const std::scoped_lock lock(mutex_);
    ++announced_;
    for (const Wait* const wait : waits_) wait->waiter.ring();
  }

  /// By name, which is all that is known of a thread.
  PTOPlace place() {
    const std::string name = P::running_thread();
    const std::scoped_lock lock(mutex_);
    if (places_.empty()) {
      for (uint32_t c = 0; c < chip_.clusters; ++c) {
        chip_.for_each_core_of(ClusterId(c), [this](CoreId core) { add_place(core); });
      }
    }
    const auto found = places_.find(name);
    return found == places_.end() ? PTOPlace{-1, 0, 0, vectors()} : found->second;
  }
  void add_place(CoreId core) {
    const CorePlace place = chip_.place_of(core);
    places_[chip_.name_of(core)] = {static_cast<int32_t>(place.cluster.value),
                                    static_cast<int32_t>(place.type),
                                    static_cast<int32_t>(place.index), vectors()};
  }
  [[nodiscard]] int32_t vectors() const { return static_cast<int32_t>(chip_.vectors_per_cluster); }

  void* share(int32_t cluster, uint64_t key, uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    try {
      auto& memory = shared_[{cluster, key, bytes}];
      if (memory == nullptr) {
        memory.reset(static_cast<std::byte*>(::operator new(bytes, alignment)));
        std::fill_n(memory.get(), bytes, std::byte{0});
      }
      return memory.get();
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  static CoreCalls& self(void* runtime) { return *static_cast<CoreCalls*>(runtime); }

  const Chip& chip_;
  const uint64_t longest_;  // looks that a wait may last; 0: any
  const std::function<bool()> is_given_up_;
  std::mutex mutex_;  // of all below, but for what a waiter does with its own `waiter`
  std::vector<Wait*> waits_;
  uint64_t announced_ = 0;
  QuietRun quiet_;
  std::map<std::string, PTOPlace> places_;
  std::map<std::tuple<int32_t, uint64_t, uint64_t>, std::unique_ptr<std::byte, Free>> shared_;
  const PTOCoreCalls table_{this, [](void* runtime) { return self(runtime).place(); },
                            [](void* runtime, bool (*holds)(void*), void* what) {
                              return self(runtime).wait(holds, what);
                            },
                            [](void* runtime) { self(runtime).announce(); },
                            [](void* runtime, int32_t cluster, uint64_t key, uint64_t bytes) {
                              return self(runtime).share(cluster, key, bytes);
                            }};
};

}  // namespace pto2

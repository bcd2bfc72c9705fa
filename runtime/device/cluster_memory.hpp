/// Memory that the cores of a cluster share while a run lasts: pto_share() of pto_core_calls.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <tuple>

namespace pto2 {

class ClusterMemory {
 public:
  /// So many bytes that this cluster knows by `key`, zeroed at first; null: there is no memory.
  /// From any OS thread.
  [[nodiscard]] void* share(int32_t cluster, uint64_t key, uint64_t bytes) {
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

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
  };

  std::mutex mutex_;
  std::map<std::tuple<int32_t, uint64_t, uint64_t>, std::unique_ptr<std::byte, Free>> shared_;
};

}  // namespace pto2

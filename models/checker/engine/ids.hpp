#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "models/checker/engine/event.hpp"

namespace pto2::model::engine {

/// Numbers for atomics and threads by who made them and as the how-manieth. They stay the same
/// from run to run, and between the OS threads that share a search.
class Ids {
 public:
  LocationId atomic(ThreadId creator, std::int32_t ordinal) {
    return find(atomics_, 0, creator, ordinal);
  }
  /// Main is 0, the others follow.
  ThreadId thread(ThreadId creator, std::int32_t ordinal) {
    return find(threads_, 1, creator, ordinal);
  }

 private:
  using Table = std::map<std::pair<ThreadId, std::int32_t>, std::int32_t>;

  std::int32_t find(Table& table, std::int32_t first, ThreadId creator, std::int32_t ordinal) {
    const std::lock_guard guard(mutex_);
    const std::int32_t next = first + static_cast<std::int32_t>(table.size());
    return table.try_emplace({creator, ordinal}, next).first->second;
  }

  std::mutex mutex_;
  Table atomics_;
  Table threads_;
};

}  // namespace pto2::model::engine

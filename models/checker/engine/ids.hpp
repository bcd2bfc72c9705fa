#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "models/checker/engine/event.hpp"

namespace pto2::model::engine {

/// Who made an atomic or a thread, and as the how-manieth.
struct Origin {
  ThreadId creator = 0;
  std::int32_t ordinal = 0;

  friend auto operator<=>(const Origin&, const Origin&) = default;
};

/// Numbers for atomics and threads by where they come from, in the order in which they are met.
/// They stay the same from run to run, and between the OS threads that share a search.
class Ids {
 public:
  LocationId atomic(const Origin& origin) { return number(atomics_, origin); }
  /// Main is 0, the others follow.
  ThreadId thread(const Origin& origin) { return number(threads_, origin); }
  /// Gives a thread that has not been met the number that it has in another search. False: one of
  /// the two is given already.
  bool set_thread(const Origin& origin, ThreadId thread) {
    const std::lock_guard guard(mutex_);
    return threads_.set.insert(thread).second && threads_.given.emplace(origin, thread).second;
  }

 private:
  struct Numbers {
    std::int32_t next;
    std::map<Origin, std::int32_t> given = {};
    std::set<std::int32_t> set = {};  ///< those that were not next
  };

  std::int32_t number(Numbers& numbers, const Origin& origin) {
    const std::lock_guard guard(mutex_);
    const auto [place, is_new] = numbers.given.try_emplace(origin, 0);
    if (is_new) {
      while (numbers.set.contains(numbers.next)) ++numbers.next;
      place->second = numbers.next++;
    }
    return place->second;
  }

  std::mutex mutex_;
  Numbers atomics_{0};
  Numbers threads_{1};
};

}  // namespace pto2::model::engine

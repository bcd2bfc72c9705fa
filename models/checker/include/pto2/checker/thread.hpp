#pragma once

#include <functional>
#include <source_location>
#include <string_view>
#include <utility>

#include "pto2/checker/detail.hpp"

namespace pto2::model {

/// std::thread's interface as far as programs under test need it. As there, a handle that still
/// has a thread must be joined before it goes away.
class thread {
  using Site = std::source_location;

 public:
  thread() = default;
  explicit thread(std::function<void()> body, std::string_view name = {},
                  Site site = Site::current()) {
    id_ = detail::spawn(std::move(body), name, site);
  }
  ~thread() {
    if (joinable()) detail::abandon(id_, Site::current());
  }
  thread(thread&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  thread& operator=(thread&& other) noexcept {
    if (joinable()) detail::abandon(id_, Site::current());
    id_ = std::exchange(other.id_, -1);
    return *this;
  }

  bool joinable() const { return id_ >= 0; }
  void join(Site site = Site::current()) { detail::join(std::exchange(id_, -1), site); }

 private:
  std::int32_t id_ = -1;
};

/// The caller's number: 0 in the body itself, and for the others one that stays the same in every
/// execution, below the number of threads that were ever started, and when one of them is replayed.
inline std::int32_t this_thread_id() {
  return detail::this_thread_id();
}

}  // namespace pto2::model

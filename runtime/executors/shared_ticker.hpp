/// Calls functions at regular intervals, all of them from one OS thread, for whoever lives too
/// short to start one each.
#pragma once

#include <functional>

namespace pto2::executors {

class SharedTicker {
 public:
  /// `tick` is called, with others of its kind one after the other, until the destructor has
  /// returned. The first that lives starts the OS thread, the last ends it. Throws
  /// std::system_error if the system refuses it.
  explicit SharedTicker(std::function<void()> tick);
  ~SharedTicker();
  SharedTicker(const SharedTicker&) = delete;
  SharedTicker& operator=(const SharedTicker&) = delete;

 private:
  std::function<void()> tick_;
};

}  // namespace pto2::executors

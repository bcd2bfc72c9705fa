#pragma once

#include <mutex>

namespace pto2::model::engine {

/// Something that a process has one of, such as a signal's handler, shared by searches that may run
/// at the same time: the first installs it, the last one takes it away.
class ProcessWide {
 public:
  template <class Install>
  void acquire(Install&& install) {
    const std::lock_guard guard(mutex_);
    if (users_++ == 0) install();
  }
  template <class Remove>
  void release(Remove&& remove) {
    const std::lock_guard guard(mutex_);
    if (--users_ == 0) remove();
  }

 private:
  std::mutex mutex_;
  unsigned users_ = 0;
};

}  // namespace pto2::model::engine

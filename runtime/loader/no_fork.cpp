#include "runtime/loader/no_fork.hpp"

#include <pthread.h>

#include <chrono>
#include <mutex>
#include <new>

namespace pto2 {
namespace {

/// Held by one thread, any number of times. A child gives it back for the thread that has forked,
/// which has another number there, so that it cannot be a recursive mutex.
class Lock {
 public:
  void take() {
    if (times_++ != 0) return;
    mutex_.lock();
    is_held_ = true;
  }
  /// A fork goes on without it after a second: the start of an image may wait for a thread that
  /// forks.
  void take_for_fork() {
    if (times_++ == 0) is_held_ = mutex_.try_lock_for(std::chrono::seconds(1));
  }
  void give_back() {
    if (--times_ == 0 && is_held_) mutex_.unlock();
  }
  /// Who holds it is not there if the fork has not waited for it.
  void give_back_in_child() {
    if (times_ == 1 && !is_held_) new (&mutex_) std::timed_mutex;
    give_back();
  }

 private:
  std::timed_mutex mutex_;
  inline static thread_local int times_ = 0;
  inline static thread_local bool is_held_ = false;
};

/// Never destroyed: images are closed at the end of the process, too.
Lock& lock_of_forks() {
  static auto& lock = *new Lock;
  return lock;
}

/// Without memory for the handlers a fork is as it would be without this.
void register_for_forks() {
  static const int registered =
      pthread_atfork([] { lock_of_forks().take_for_fork(); }, [] { lock_of_forks().give_back(); },
                     [] { lock_of_forks().give_back_in_child(); });
  static_cast<void>(registered);
}

}  // namespace

NoFork::NoFork() {
  register_for_forks();
  lock_of_forks().take();
}

NoFork::~NoFork() {
  lock_of_forks().give_back();
}

}  // namespace pto2

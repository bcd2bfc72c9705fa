/// Where the OS threads of a team begin: each on a CPU of its own.
///
/// A new thread begins on the CPU of the one that made it as often as not, even if another CPU is
/// idle, and Linux moves it only some milliseconds later, which is as long as a short run takes.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstddef>

namespace pto2::executors {

/// Made by the thread that makes the others.
class BeginApart {
 public:
  /// For `threads` others. They are left where they are if there are not as many CPUs beside that
  /// of the calling thread.
  explicit BeginApart(std::size_t threads);

  /// By the maker, before the thread has anything to do: thread number `i` of the others gets a CPU
  /// that none of them has, and goes on there.
  void place(std::size_t i, pthread_t thread) const;
  /// By that thread, once it runs: from here on it may go wherever its maker may.
  void release() const;

 private:
  cpu_set_t all_;  // that the threads may use; empty: they are left alone
  int here_;       // that of the maker
};

}  // namespace pto2::executors

/// A thread that runs for others, one call after the other.
#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

namespace pto2::python {

/// Runs are launched on it, so that the thread that asked for one can look after signals, and what
/// a thread keeps for its next launch, such as stacks, is there for the next one.
class LaunchThread {
 public:
  LaunchThread();
  ~LaunchThread();
  LaunchThread(const LaunchThread&) = delete;
  LaunchThread& operator=(const LaunchThread&) = delete;

  /// A child of fork() has the object, but not the thread, until it calls this. Not from two
  /// threads at a time: who calls it has the interpreter's lock.
  void start_in_child();
  /// Runs `work` there, after what other threads have asked for, and returns when it has; throws
  /// what it throws. Meanwhile `look` is called here again and again: if it returns false before
  /// `work` has begun, that does not begin.
  void run(const std::function<void()>& work, const std::function<bool()>& look);

 private:
  class Server;

  std::unique_ptr<Server> server_;
  int process_;  ///< that has the thread
};

}  // namespace pto2::python

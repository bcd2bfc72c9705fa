#pragma once

#include <csignal>
#include <memory>

namespace pto2::model::engine {

/// As long as one exists, a signal that the program under test causes on this OS thread, such as
/// SIGSEGV, ends the execution under way instead of the process. Signals from elsewhere go to the
/// handlers that were there before. Handlers run on a stack of their own, so that a thread that has
/// used up its stack is a crash like any other. Made and destroyed by the same OS thread.
class CrashSignals {
 public:
  CrashSignals();
  ~CrashSignals();
  CrashSignals(const CrashSignals&) = delete;
  CrashSignals& operator=(const CrashSignals&) = delete;

 private:
  std::unique_ptr<char[]> stack_;
  stack_t former_stack_ = {};
};

}  // namespace pto2::model::engine

#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace pto2::model {

enum class Strategy : std::uint8_t {
  exhaustive,   ///< every consistent execution, each once
  random_walk,  ///< uniform choice of thread, write and position at each step
  pct,          ///< random priorities with `depth` - 1 changes (Burckhardt et al., ASPLOS 2010)
  bursts,       ///< threads run for random stretches, so that queues fill up
  replay,       ///< the one execution that `token` names
};

/// How to explore. The defaults explore everything, without any bound.
struct Options {
  std::string name = "program";  ///< stands in reports and tokens
  Strategy strategy = Strategy::exhaustive;

  /// Bounds; 0 is none. One that is hit ends the search with the verdict inconclusive.
  std::uint64_t max_executions = 0;
  double max_seconds = 0;
  std::size_t max_memory_bytes = 0;
  /// Events of one thread; at most 65,000. Hitting it is inconclusive.
  std::uint32_t max_thread_events = 65'000;
  /// Repeated reads of unchanged values at up to 16 places in a row that count as a spin loop: if
  /// its turns can be seen to change nothing it waits, otherwise the search ends, inconclusive.
  std::uint32_t spin_limit = 1'000;
  /// A thread that makes no visible step for so long is stopped and named; 0 never. While explore()
  /// runs with another value than 0, it handles the signal SIGRTMIN + 3, besides those of crashes
  /// (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP); then the former handlers are back.
  double watchdog_seconds = 20;
  /// Once a stop is requested, from whatever OS thread, the search ends after the execution under
  /// way and reports what it covered: inconclusive unless a violation was found before. (A search
  /// does not end on a signal by itself: a program that wants Ctrl-C to end it calls request_stop()
  /// on the source of this token, from a thread that waits for the signal.)
  std::stop_token stop;

  /// OS threads that share an exhaustive search. If the program has raw spin loops, what its body
  /// writes to memory that they share, such as globals, may pass for changes of a loop that counts.
  unsigned jobs = 1;
  std::uint64_t seed = 1;         ///< of the random strategies
  std::uint64_t samples = 1'000;  ///< executions of the random strategies
  unsigned depth = 3;             ///< of PCT
  std::string token;              ///< what to replay

  /// RC11's own rule in place of C++20's: every later store of the thread to the same location goes
  /// on with a release sequence. That is not C++17's rule, which ends it where another thread has
  /// stored in between: what was synchronised could come undone as a graph grows. Executions that
  /// C++17 allows are left out for it, and their races are not seen. Without this none are left
  /// out, but there are some that C++17 forbids.
  bool rc11_release_sequences = false;
  /// Lets compare_exchange_weak fail on equal values.
  bool spurious_failures = false;
  /// Declares that the threads which main starts share nothing but atomics of plain numbers that
  /// main owns: neither plain variables nor addresses. A thread whose history is the same as in the
  /// execution before is then not run again, main included when it ends with joining the others
  /// and nothing else. Has no effect once a thread creates objects, or anybody a cell.
  bool isolated_threads = false;
  /// Takes memory that the body gets from operator new, and has not deleted at the end of an
  /// execution, for a leak. For bodies that keep nothing beyond a run: no results in containers of
  /// somebody else, no caches. (The body runs once before, which fills the caches of a first time.)
  bool heap_leaks = false;
  /// Counts executions in which nobody can go on as blocked instead of reporting a deadlock.
  bool allow_deadlocks = false;
  /// Names that `sometimes` must have seen at the end of a complete search.
  std::vector<std::string> expected;
  /// After a violation, how long to look for one order whose strengthening prevents it.
  double hint_seconds = 0.3;
  /// After a violation, how long to look for an execution that shows it with fewer context switches
  /// or, failing that, in fewer steps. A small program has been searched by then.
  double minimise_seconds = 0.3;
  /// Writes a progress line to stderr about once per second. An exhaustive search also says about
  /// how many executions there are in all, once that is known to a quarter; it samples executions
  /// for this, in 1/20 of the time, so the body runs more often than the report counts.
  bool progress = false;
  /// Stack of each thread of the program, of 16 KB to 1 GB.
  std::size_t stack_bytes = 256 * 1024;
};

}  // namespace pto2::model

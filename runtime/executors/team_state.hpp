/// What the threads of a team are doing: for the report of a run that does not end.
///
/// It is read from another OS thread while the team goes on. Each value was true when it was read;
/// they need not have been true together. In a run that hangs they are: nothing moves any more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pto2::executors {

enum class Activity : uint8_t {
  not_begun,
  running,
  in_kernel,
  runnable,  ///< packed: was rung, and its host has not come to it yet
  waiting,
  unknown,  ///< packed: runnable or waiting, which is plain data of a host that is running fibers
  finished,
};

/// A logical thread.
struct ThreadState {
  std::string name;
  Activity activity = Activity::not_begun;
  bool rung = false;  ///< a ring has been left for it that nobody has seen yet
  uint32_t host = 0;  ///< packed: where it is at home
};

/// A host of the packed executor.
struct HostState {
  bool begun = false;  ///< its OS thread has gone through the gate at the start of the run
  bool asleep = false;
  bool naps = false;      ///< its threads are at the first host as long as kernels are short
  bool detached = false;  ///< inside a kernel, or between kernel and fiber
  std::string running;    ///< name of the logical thread that it runs, or empty
};

struct TeamState {
  std::vector<HostState> hosts;  ///< packed; empty: an OS thread for each logical thread
  std::vector<ThreadState> threads;
};

/// A line for each host and for each thread that has not finished.
[[nodiscard]] std::string to_string(const TeamState& state);

}  // namespace pto2::executors

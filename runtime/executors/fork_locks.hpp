/// Locks of what the runs of a process share. The child of a fork() has one thread, and would have
/// those for ever that other threads held in that moment.
#pragma once

#include <mutex>

namespace pto2::executors {

/// `mutex` is taken around each fork() from now on, and free after it in both processes; in the
/// child after `in_child`, which may be null. Its holders call no code of users, and do not fork.
/// `mutex` must live as long as the process. For a few of them: throws std::length_error beyond 16.
void keep_from_forks(std::mutex& mutex, void (*in_child)() = nullptr);

}  // namespace pto2::executors

/// Locks of what the runs of a process share. The child of a fork() has one thread, and would have
/// those for ever that other threads held in that moment.
#pragma once

#include <mutex>

namespace pto2::executors {

/// `mutex` is taken around each fork() from now on, and free after it in both processes; in the
/// child after `in_child`, which may be null. Its holders call no code of users, do not fork, and
/// take no other of these. `mutex` must live as long as the process. Throws std::bad_alloc, and
/// beyond 16 of them std::length_error.
void keep_from_forks(std::mutex& mutex, void (*in_child)() = nullptr);

}  // namespace pto2::executors

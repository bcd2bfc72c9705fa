/// Locks of what the runs of a process share. The child of a fork() has one thread, and would have
/// those for ever that other threads held in that moment. The same goes for whoever makes it: what
/// has such a lock is made when the program starts, not when it is used first.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

namespace pto2::executors {

/// A fork takes them in this order, whoever was there first. Whoever holds one takes others of
/// later ranks alone.
enum class ForkRank {
  usual,
  crash_guards,
  image_names,  ///< asked by who says what a thread runs
};

/// `mutex` is taken around each fork() from now on, and free after it in both processes; in the
/// child after `in_child`, which may be null. Its holders call no code of users, and do not fork.
/// `mutex` must live as long as the process. Throws std::bad_alloc, and beyond 16 of them
/// std::length_error.
void keep_from_forks(std::mutex& mutex, void (*in_child)() = nullptr);
/// The same of what is taken by HandlerLock.
void keep_from_forks(std::atomic_flag& taken, ForkRank rank, void (*in_child)() = nullptr);

/// How many there are. They are all there before main().
[[nodiscard]] std::size_t locks_around_forks();

}  // namespace pto2::executors

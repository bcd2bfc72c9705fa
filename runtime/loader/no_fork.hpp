#pragma once

namespace pto2 {

/// While one lives, fork() of other threads waits. A child has the locks of the C library as they
/// are at that moment, and those of other threads nobody gives back there: whoever loads an image
/// in it, or only registers an exit handler, would wait for ever. The start of an image may fork,
/// and so may a thread that it waits for, a second later.
class NoFork {
 public:
  NoFork();
  ~NoFork();
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;
};

}  // namespace pto2

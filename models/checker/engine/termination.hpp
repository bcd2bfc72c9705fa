#pragma once

namespace pto2::model::engine {

/// As long as one exists, in whatever OS thread, std::terminate gives up the thread of the program
/// that calls it. Any other call goes to the handler that was there before.
class Termination {
 public:
  Termination();
  ~Termination();
  Termination(const Termination&) = delete;
  Termination& operator=(const Termination&) = delete;
};

}  // namespace pto2::model::engine

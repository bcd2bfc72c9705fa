/// The order of what the pipes of a core do.
///
/// A core issues its instructions in the order of the program, each to one of its pipes. A pipe
/// runs its own one after the other; those of two pipes run in any order, but for
///
///   set_flag(a, b, e), wait_flag(a, b, e)   what b gets from the wait on runs after what a had got
///                                           before the set
///   pipe_barrier(PIPE_ALL)                  whatever comes next runs after all before
///
/// The scalar pipe S issues: once it has waited for others, all that it issues afterwards runs
/// after them. What it reads and writes itself is ordered by flags alone, like that of any other
/// pipe.
///
/// A vector clock per pipe (Mattern, Virtual Time and Global States of Distributed Systems, 1989)
/// says which instructions of each pipe come before its next one, whatever the real order was.
///
///   PK-I1: an entry of a clock never decreases.
///   PK-I2: no clock is ahead of the pipe that it tells of.
///   PK-I3: each set_flag ends one wait_flag, the first one first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>

namespace pto::checks {

enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX };
inline constexpr uint32_t pipe_count = 7;

inline const char* name_of(Pipe pipe) {
  constexpr std::array<const char*, pipe_count> names{
      "PIPE_S", "PIPE_V", "PIPE_M", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_FIX"};
  return names[static_cast<uint32_t>(pipe)];
}

class PipeClocks {
 public:
  /// An instruction is issued to `pipe`. Its number there, from 1.
  uint64_t issue(Pipe pipe) {
    follow_issuer(pipe);
    return ++of(pipe)[index(pipe)];
  }
  /// Whether instruction `number` of `former` comes before the one that `pipe` was issued last.
  bool is_before(Pipe former, uint64_t number, Pipe pipe) const {
    return number <= clocks_[index(pipe)][index(former)];
  }

  void set_flag(Pipe from, Pipe to, int event) {
    follow_issuer(from);
    flags_[{from, to, event}].push_back(of(from));
  }
  /// False: no set_flag came before that no other has waited for.
  bool wait_flag(Pipe from, Pipe to, int event) {
    const auto flag = flags_.find({from, to, event});
    if (flag == flags_.end() || flag->second.empty()) return false;
    join(of(to), flag->second.front());
    flag->second.pop_front();
    return true;
  }
  void barrier_of_all() {
    Clock all{};
    for (const Clock& clock : clocks_) join(all, clock);
    clocks_.fill(all);
  }

  void clear() {
    clocks_ = {};
    flags_.clear();
  }

 private:
  using Clock = std::array<uint64_t, pipe_count>;  // by pipe: instructions that come before

  static uint32_t index(Pipe pipe) { return static_cast<uint32_t>(pipe); }
  Clock& of(Pipe pipe) { return clocks_[index(pipe)]; }
  static void join(Clock& clock, const Clock& other) {
    for (uint32_t i = 0; i < pipe_count; ++i) clock[i] = std::max(clock[i], other[i]);
  }
  /// What S has waited for comes before whatever it issues.
  void follow_issuer(Pipe pipe) {
    if (pipe == Pipe::S) return;
    Clock waited_for = of(Pipe::S);
    waited_for[index(Pipe::S)] = 0;
    join(of(pipe), waited_for);
  }

  std::array<Clock, pipe_count> clocks_{};
  std::map<std::tuple<Pipe, Pipe, int>, std::deque<Clock>> flags_;
};

}  // namespace pto::checks

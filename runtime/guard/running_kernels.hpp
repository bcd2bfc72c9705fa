/// Which bytes may not change while a kernel runs: what its parameters show it and do not let it
/// write, unless another kernel that runs at the same time may write there. Others than running
/// kernels write nothing, so that this is known when kernels begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/guard/guarded_task.hpp"
#include "runtime/guard/red_zones.hpp"

namespace pto2::guard {

/// Bytes that were changed: of an INPUT, or beside the elements of a view.
struct Change {
  const GuardedParam* param;
  bool beside;
  Damage damage;
};

/// One kernel that runs.
class WatchedKernel {
 public:
  /// Before it begins. The task outlives this object's use.
  void watch(const GuardedTask& task);
  /// It runs at the same time as one of this task, which may be another part of its own: what that
  /// may write is not watched.
  void join(const GuardedTask& other);
  /// Copies what is watched.
  void copy();
  /// The first difference from the copy.
  [[nodiscard]] std::optional<Change> find_change() const;
  /// True if the elements of a parameter are not this kernel's alone: another may write them, or
  /// may have done so meanwhile, or an INPUT is written by the task itself.
  [[nodiscard]] bool is_shared(const GuardedParam& param) const;
  /// No other has run at the same time.
  [[nodiscard]] bool was_alone() const { return alone_; }
  [[nodiscard]] const GuardedTask& task() const { return *task_; }

 private:
  enum class What : uint8_t {
    input,   ///< the elements, which the task may not write
    beside,  ///< the margins
    output,  ///< the elements, which no other task may write; not copied
  };
  struct Watch {
    const GuardedParam* param;
    What what;
    bool shared = false;
    std::size_t copied_to = 0;
  };
  void allow(const GuardedTask& writer);
  static bool may_write(const GuardedParam& writer, const Watch& watch);
  template <class Visit>
  void for_each_window(const Watch& watch, Visit&& visit) const;

  const GuardedTask* task_ = nullptr;
  bool alone_ = true;
  std::vector<Watch> watches_;
  std::vector<std::byte> copy_;
};

/// All that run. The caller excludes others during a call, and nobody begins or ends meanwhile: so
/// nobody writes what is copied or compared.
class RunningKernels {
 public:
  /// `kernel` begins, one of `task`, which stays until it ends. Throws std::bad_alloc; then it has
  /// not begun.
  void begin(WatchedKernel& kernel, const GuardedTask& task);
  void end(const WatchedKernel& kernel);

 private:
  std::vector<WatchedKernel*> kernels_;
};

}  // namespace pto2::guard

/// Guarded stacks for fibers, kept for the next fiber of the same OS thread: mapping one costs more
/// than most simulated runs take.
///
/// Below each lies a gap that nobody may touch. It is much larger than a page, because a kernel
/// that is compiled without stack probes may have a frame that begins beyond the stack and never
/// touches what is in between: what lay there would be written to, and be somebody's. It takes
/// addresses, but no memory, and is no mapping more than a guard page is.
///
/// TSan's context of a fiber stays with its stack: making one costs it 0.7 MB and more than the
/// rest of most runs.
#pragma once

#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <vector>

namespace pto2::executors {

class StackCache {
 public:
  struct Stack : boost::context::stack_context {
    void* tsan_fiber = nullptr;  ///< only there with TSan
  };

  /// As large as the largest frame that is found out.
  static constexpr std::size_t gap = std::size_t{64} << 20;

  /// That of the calling OS thread.
  static StackCache& local();

  StackCache() = default;
  ~StackCache() { clear(); }
  StackCache(const StackCache&) = delete;
  StackCache& operator=(const StackCache&) = delete;

  /// A stack of `bytes`, in whole pages, with a gap below: a smaller one if the address space of
  /// the process is limited. Throws std::bad_alloc.
  [[nodiscard]] Stack take(std::size_t bytes);
  /// Keeps a stack that take(bytes) returned, here or on another thread, or unmaps it.
  void give_back(Stack stack, std::size_t bytes) noexcept;
  /// Unmaps one that has frames left on it: whoever looks at them then is found out. TSan's context
  /// is left, as a fiber has not ended there.
  static void unmap(Stack stack) noexcept;

 private:
  void clear() noexcept;

  /// As many as the threads of a launch on the default chip, and some. More than that are unmapped
  /// at once: a large chip would keep its pages for nothing.
  static constexpr std::size_t most = 128;
  std::size_t bytes_ = 0;  // of those that are kept
  std::vector<Stack> kept_;
};

}  // namespace pto2::executors

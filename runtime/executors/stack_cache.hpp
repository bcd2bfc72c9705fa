/// Guarded stacks for fibers, kept for the next fiber of the same OS thread: mapping one costs more
/// than most simulated runs take.
#pragma once

#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstddef>
#include <vector>

namespace pto2::executors {

class StackCache {
 public:
  using Stack = boost::context::stack_context;

  /// That of the calling OS thread.
  static StackCache& local();

  StackCache() = default;
  ~StackCache() { clear(); }
  StackCache(const StackCache&) = delete;
  StackCache& operator=(const StackCache&) = delete;

  /// A stack of `bytes`, with a guard page below. Throws std::bad_alloc.
  [[nodiscard]] Stack take(std::size_t bytes);
  /// Keeps a stack that take(bytes) returned, here or on another thread, or unmaps it.
  void give_back(Stack stack, std::size_t bytes) noexcept;
  /// Unmaps one that has frames left on it: whoever looks at them then is found out.
  static void unmap(Stack stack, std::size_t bytes) noexcept;

 private:
  void clear() noexcept;

  /// As many as the threads of a launch on the default chip, and some. More than that are unmapped
  /// at once: a large chip would keep its pages for nothing.
  static constexpr std::size_t most = 128;
  std::size_t bytes_ = 0;  // of those that are kept
  std::vector<Stack> kept_;
};

}  // namespace pto2::executors

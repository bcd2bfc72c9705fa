#include "runtime/executors/stack_cache.hpp"

namespace pto2::executors {

using Mapping = boost::context::protected_fixedsize_stack;

StackCache& StackCache::local() {
  static thread_local StackCache cache;
  return cache;
}

StackCache::Stack StackCache::take(std::size_t bytes) {
  if (bytes != bytes_) clear();
  bytes_ = bytes;
  kept_.reserve(most);
  if (kept_.empty()) return Mapping(bytes).allocate();
  const Stack stack = kept_.back();
  kept_.pop_back();
  return stack;
}

void StackCache::give_back(Stack stack, std::size_t bytes) noexcept {
  if (bytes == bytes_ && kept_.size() < most) {
    kept_.push_back(stack);
  } else {
    unmap(stack, bytes);
  }
}

void StackCache::unmap(Stack stack, std::size_t bytes) noexcept {
  Mapping(bytes).deallocate(stack);
}

void StackCache::clear() noexcept {
  for (const Stack& stack : kept_) unmap(stack, bytes_);
  kept_.clear();
}

}  // namespace pto2::executors

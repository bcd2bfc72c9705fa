#include "runtime/executors/stack_cache.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "runtime/executors/sanitizer_switch.hpp"

namespace pto2::executors {

namespace {

std::size_t whole_pages(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return std::max(page, (bytes + page - 1) / page * page);
}

/// The gap of each stack of this process. Of a limited address space (ulimit -v) those of all
/// threads of a run take a small part: there may be thousands. The page besides has stacks that lie
/// one below the other differ in the sets of a TLB that they are in.
std::size_t gap_of_process() {
  static const std::size_t bytes = [] {
    rlimit limit{};
    const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    const std::size_t most = is_limited ? limit.rlim_cur / 65536 : StackCache::gap;
    return whole_pages(std::min(most, StackCache::gap)) + whole_pages(1);
  }();
  return bytes;
}

StackCache::Stack map_stack(std::size_t bytes) {
  const std::size_t below = gap_of_process();
  const std::size_t usable = whole_pages(bytes);
  // Only what can be written counts where memory is not overcommitted.
  void* const all = mmap(nullptr, below + usable, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  char* const bottom = static_cast<char*>(all) + below;
  if (mprotect(bottom, usable, PROT_READ | PROT_WRITE) != 0) {
    munmap(all, below + usable);
    throw std::bad_alloc();
  }
  StackCache::Stack stack;
  stack.sp = bottom + usable;
  stack.size = usable;
  stack.tsan_fiber = tsan_create();
  return stack;
}

void destroy(const StackCache::Stack& stack) {
  tsan_destroy(stack.tsan_fiber);
  StackCache::unmap(stack);
}

}  // namespace

StackCache& StackCache::local() {
  static thread_local StackCache cache;
  return cache;
}

StackCache::Stack StackCache::take(std::size_t bytes) {
  if (bytes != bytes_) clear();
  bytes_ = bytes;
  kept_.reserve(most);
  if (kept_.empty()) return map_stack(bytes);
  const Stack stack = kept_.back();
  kept_.pop_back();
  return stack;
}

void StackCache::give_back(Stack stack, std::size_t bytes) noexcept {
  if (bytes == bytes_ && kept_.size() < most) {
    kept_.push_back(stack);
  } else {
    destroy(stack);
  }
}

void StackCache::unmap(Stack stack) noexcept {
  const std::size_t all = gap_of_process() + stack.size;
  munmap(static_cast<char*>(stack.sp) - all, all);
}

void StackCache::clear() noexcept {
  for (const Stack& stack : kept_) destroy(stack);
  kept_.clear();
}

}  // namespace pto2::executors

#include "models/checker/engine/fiber.hpp"

#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstdlib>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace pto2::model::engine {

namespace {

// AddressSanitizer keeps a shadow of every stack and must hear of each switch.
void start_switch([[maybe_unused]] void** saved, [[maybe_unused]] const void* bottom,
                  [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(saved, bottom, size);
#endif
}

void finish_switch([[maybe_unused]] void* saved, [[maybe_unused]] const void** bottom,
                   [[maybe_unused]] std::size_t* size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(saved, bottom, size);
#endif
}

/// For the visit that boost.context makes to a new stack: the frames that it leaves there must not
/// lie in the fake stack of the visitor, which may be gone before them.
template <class Visit>
void visit_stack(const void* bottom, std::size_t size, Visit&& visit) {
  void* saved = nullptr;
  const void* own_bottom = nullptr;
  std::size_t own_size = 0;
  start_switch(&saved, bottom, size);
  visit();
  finish_switch(nullptr, &own_bottom, &own_size);
  start_switch(nullptr, own_bottom, own_size);
  finish_switch(saved, nullptr, nullptr);
}

/// Before a stack is given back: frames that never returned have left their red zones on it.
void forget_stack([[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(bottom, size);
#endif
}

/// The stack belongs to the Fiber and outlives the boost fiber that runs on it.
struct Borrowed {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

Fiber::Fiber(std::function<void()> body, std::size_t stack_bytes) : body_(std::move(body)) {
  stack_ = boost::context::protected_fixedsize_stack(stack_bytes).allocate();
  start();
}

void Fiber::start() {
  visit_stack(bottom(), stack_.size, [&] {
    inside_ = boost::context::fiber(
        std::allocator_arg, boost::context::preallocated(stack_.sp, stack_.size, stack_),
        Borrowed{}, [this](boost::context::fiber&& caller) { return run(std::move(caller)); });
  });
}

Fiber::~Fiber() {
  if (!given_up_) {
    quit_ = true;
    resume();
  }
  forget_frames();
  boost::context::protected_fixedsize_stack(stack_.size).deallocate(stack_);
}

bool Fiber::guards(const void* address) const {
  const char* const first = static_cast<const char*>(bottom());
  const char* const byte = static_cast<const char*>(address);
  return byte >= first && byte < first + boost::context::stack_traits::page_size();
}

boost::context::fiber Fiber::run(boost::context::fiber caller) {
  caller_ = std::move(caller);
  finish_switch(nullptr, &caller_bottom_, &caller_size_);
  while (!quit_) {
    parked_ = false;
    body_();
    parked_ = true;
    suspend();
  }
  start_switch(nullptr, caller_bottom_, caller_size_);
  return std::move(caller_);
}

void Fiber::resume() {
  void* saved = nullptr;
  start_switch(&saved, bottom(), stack_.size);
  std::swap(exceptions_, HandledExceptions::now());
  inside_ = std::move(inside_).resume();
  std::swap(exceptions_, HandledExceptions::now());
  finish_switch(saved, nullptr, nullptr);
}

void Fiber::give_up() {
  parked_ = given_up_ = true;
  start_switch(nullptr, caller_bottom_, caller_size_);
  caller_ = std::move(caller_).resume();
  std::abort();  // nobody resumes it
}

void Fiber::restart() {
  forget_frames();
  given_up_ = false;
  start();
}

/// The handle's destructor would unwind the stack, and so it is never called.
void Fiber::forget_frames() {
  alignas(boost::context::fiber) std::byte left_behind[sizeof(boost::context::fiber)];
  new (left_behind) boost::context::fiber(std::move(inside_));
  forget_stack(bottom(), stack_.size);
}

void Fiber::suspend() {
  suspended_at_ = __builtin_frame_address(0);
  start_switch(&shadow_stack_, caller_bottom_, caller_size_);
  caller_ = std::move(caller_).resume();
  finish_switch(shadow_stack_, &caller_bottom_, &caller_size_);
}

}  // namespace pto2::model::engine

#include "models/checker/engine/fiber.hpp"

#include <boost/context/fixedsize_stack.hpp>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
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

/// The stack belongs to the Fiber and outlives the boost fiber that runs on it.
struct Borrowed {
  boost::context::stack_context allocate() { return {}; }
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

Fiber::Fiber(std::function<void()> body, std::size_t stack_bytes) : body_(std::move(body)) {
  stack_ = boost::context::fixedsize_stack(stack_bytes).allocate();
  inside_ = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack_.sp, stack_.size, stack_), Borrowed{},
      [this](boost::context::fiber&& caller) { return run(std::move(caller)); });
}

Fiber::~Fiber() {
  quit_ = true;
  resume();
  boost::context::fixedsize_stack(stack_.size).deallocate(stack_);
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
  start_switch(&saved, static_cast<const char*>(stack_.sp) - stack_.size, stack_.size);
  inside_ = std::move(inside_).resume();
  finish_switch(saved, nullptr, nullptr);
}

void Fiber::suspend() {
  start_switch(&shadow_stack_, caller_bottom_, caller_size_);
  caller_ = std::move(caller_).resume();
  finish_switch(shadow_stack_, &caller_bottom_, &caller_size_);
}

}  // namespace pto2::model::engine

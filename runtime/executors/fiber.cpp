#include "runtime/executors/fiber.hpp"

#include <cxxabi.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/executors/sanitizer_switch.hpp"

namespace pto2::executors {

namespace context = boost::context;

namespace {

/// The stack is allocated by the Fiber itself, which has to know its bounds.
struct Borrowed {
  void deallocate(context::stack_context&) const noexcept {}
};

}  // namespace

Fiber::Fiber(std::size_t stack_bytes, std::function<void()> body, Kind kind)
    : body_(std::move(body)),
      stack_bytes_(stack_bytes),
      stack_(StackCache::local().take(stack_bytes)),
      switches_order_(kind == Kind::coroutine),
      context_(start()) {}

Fiber::~Fiber() {
  const bool given_up = begun_ && !finished_;
  if (finished_) context_.context.~fiber();
  forget_stack(bottom(), stack_.size);
  if (given_up) {
    StackCache::unmap(stack_);
  } else {
    tsan_leave_entry(stack_.tsan_fiber);
    StackCache::local().give_back(stack_, stack_bytes_);
  }
}

context::fiber Fiber::start() {
  const context::preallocated place(stack_.sp, stack_.size, stack_);
  // boost.context enters the new stack once to set it up: TSan must book that frame on the fiber,
  // or every fiber leaves one more on its creator.
  // What its creator has done comes before what the fiber does, also in a context that others had.
  void* const creator = tsan_current();
  const bool ordered = switches_order_;  // the fiber reads nothing of its creator's
  tsan_switch(stack_.tsan_fiber, true);
  tsan_ignore_begin();
  context::fiber made = visit_stack(bottom(), stack_.size, [&] {
    return context::fiber(std::allocator_arg, place, Borrowed{},
                          [this](context::fiber&& host) { return run(std::move(host)); });
  });
  tsan_ignore_end();
  tsan_switch(creator, ordered);
  return made;
}

context::fiber Fiber::run(context::fiber host) {
  finish_switch(nullptr, &host_bottom_, &host_bytes_);
  host_ = std::move(host);
  tsan_ignore_end();
  body_();
  tsan_ignore_begin();
  finished_ = true;
  // TSan hears of this switch from the host: the frames that return from here are the fiber's.
  start_switch(nullptr, host_bottom_, host_bytes_);
  return std::move(host_);
}

/// Those of the calling OS thread, which resume() stays on.
Fiber::Exceptions& Fiber::exceptions_of_this_thread() {
  thread_local Exceptions* known = nullptr;
  if (known == nullptr) [[unlikely]]
    known = reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
  return *known;
}

/// Few fibers wait in a handler, or are begun in one: the others have nothing to swap.
inline void Fiber::swap_exceptions(Exceptions& of_thread) {
  const auto caught = reinterpret_cast<uintptr_t>(exceptions_.caught) |
                      reinterpret_cast<uintptr_t>(of_thread.caught);
  if ((caught | exceptions_.uncaught | of_thread.uncaught) != 0) [[unlikely]]
    std::swap(exceptions_, of_thread);
}

void Fiber::resume() {
  tsan_ignore_begin();
  const bool begins = !std::exchange(begun_, true);
  void* fake_stack = nullptr;
  start_switch(&fake_stack, bottom(), stack_.size);
  tsan_host_ = tsan_current();
  tsan_switch(stack_.tsan_fiber, switches_order_);
  if (begins) tsan_ignore_begin();  // else it did so in suspend()
  Exceptions& of_thread = exceptions_of_this_thread();
  swap_exceptions(of_thread);
  context_.context = std::move(context_.context).resume();
  swap_exceptions(of_thread);
  if (finished_) {
    void* const host = tsan_host_;
    const bool ordered = switches_order_;
    tsan_ignore_end();
    tsan_switch(host, ordered);
  }
  finish_switch(fake_stack, nullptr, nullptr);
  tsan_ignore_end();
}

void Fiber::suspend() {
  tsan_ignore_begin();
  start_switch(&fake_stack_, host_bottom_, host_bytes_);
  tsan_switch(tsan_host_, switches_order_);
  host_ = std::move(host_).resume();
  finish_switch(fake_stack_, &host_bottom_, &host_bytes_);
  tsan_ignore_end();
}

}  // namespace pto2::executors

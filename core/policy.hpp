/// The seam: what the lock-free core needs from the world, as the policy P.
///
/// Everything in core/ and in the concurrent half of the runtime is written once against P. A
/// policy decides what an atomic, plain shared data, waiting and a bounded queue are. These are all
/// the members that core uses; the layers above ask for more (ExecutionPolicy).
///
///   P::atomic<T>          made of a T, or zero; as of std::atomic: load, store, exchange,
///                         compare_exchange_strong, fetch_add, fetch_sub, fetch_or, fetch_and,
///                         each with explicit orders.
///   P::cell<T>            plain shared data. read() and write(value) go by value; reading() and
///                         editing() return a guard that points to it, for what is large, and the
///                         access lasts as long as the guard. Never accessed by two threads at
///                         once unless both read, which policies that check detect; otherwise a
///                         bare T.
///   P::await(predicate)   returns once the predicate holds. The predicate is evaluated again
///                         after the caller's doorbell rang.
///   P::idle()             returns once the caller's doorbell has rung since the last return.
///   P::doorbell           a handle of a logical thread. ring() follows every store that can end
///                         its wait; a ring is remembered until the next idle() returns. What was
///                         stored before a ring happens before what follows it there: the next
///                         evaluation, or the return.
///   P::bounded_queue<T>   multi-producer multi-consumer FIFO: try_push(value) is false when it is
///                         full, try_pop(value) when it is empty, and `value` is untouched then.
///   P::order(site)        the memory order to use at a named site.
///
/// await and idle are the only two ways to wait; a bare spin loop is a defect, except for
/// P::spin(predicate), which serves critical sections that contain no wait.
///
/// What await, idle and doorbells are made of (core/doorbell.hpp, core/fiber_host.hpp,
/// core/start_gate.hpp) knows the machine alone, a MemoryPolicy: atomics, cells, orders, spin, and
///
///   P::sleep_word         an atomic<uint32_t> that an OS thread can sleep on, as std::atomic has
///                         it: wait(old, order) returns once it has loaded another value than
///                         `old`, and may sleep until notify_one() or notify_all() after it has
///                         loaded `old`. One thread at most sleeps where notify_one() is used.
///                         Whoever notifies looks for sleepers first, and that look is ordered
///                         after the change of the word only if both are seq_cst.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>

namespace pto2 {

/// What an operation does to its atomic. The failing half of a compare-and-swap is a load.
enum class Operation { load, store, update };

/// A memory order in a protocol, under the name that tools address it by. Each place that asks
/// P::order for it is a use of the site.
struct OrderSite {
  const char* name;
  Operation operation;
  std::memory_order order;
};

/// Size of the blocks in which cores exchange memory.
inline constexpr std::size_t cache_line = 64;

template <class P>
concept MemoryPolicy = requires(typename P::template atomic<uint64_t>& word,
                                typename P::template cell<uint32_t>& data,
                                typename P::sleep_word& sleep_word, uint64_t expected, uint32_t old,
                                OrderSite site) {
  { P::order(site) } -> std::same_as<std::memory_order>;
  { word.load(P::order(site)) } -> std::same_as<uint64_t>;
  word.store(uint64_t{}, P::order(site));
  { word.exchange(uint64_t{}, P::order(site)) } -> std::same_as<uint64_t>;
  { word.fetch_add(uint64_t{}, P::order(site)) } -> std::same_as<uint64_t>;
  { word.fetch_sub(uint64_t{}, P::order(site)) } -> std::same_as<uint64_t>;
  { word.fetch_or(uint64_t{}, P::order(site)) } -> std::same_as<uint64_t>;
  { word.fetch_and(uint64_t{}, P::order(site)) } -> std::same_as<uint64_t>;
  {
    word.compare_exchange_strong(expected, uint64_t{}, P::order(site), P::order(site))
    } -> std::same_as<bool>;
  { data.read() } -> std::same_as<uint32_t>;
  data.write(uint32_t{});
  { *data.reading() } -> std::same_as<const uint32_t&>;
  { *data.editing() } -> std::same_as<uint32_t&>;
  { sleep_word.load(P::order(site)) } -> std::same_as<uint32_t>;
  sleep_word.store(uint32_t{}, P::order(site));
  { sleep_word.exchange(old, P::order(site)) } -> std::same_as<uint32_t>;
  {
    sleep_word.compare_exchange_strong(old, uint32_t{}, P::order(site), P::order(site))
    } -> std::same_as<bool>;
  sleep_word.wait(old, P::order(site));
  sleep_word.notify_one();
  sleep_word.notify_all();
  P::spin([] { return true; });
};

template <class P>
concept Policy = MemoryPolicy<P> && requires(typename P::template bounded_queue<uint32_t>& queue,
                                             uint32_t& value, typename P::doorbell& bell) {
  { queue.try_push(value) } -> std::same_as<bool>;
  { queue.try_pop(value) } -> std::same_as<bool>;
  P::await([] { return true; });
  P::idle();
  bell.ring();
};

}  // namespace pto2

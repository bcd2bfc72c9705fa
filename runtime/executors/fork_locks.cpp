#include "runtime/executors/fork_locks.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <stdexcept>

#include "runtime/executors/handler_lock.hpp"

namespace pto2::executors {

namespace {

struct Kept {
  ForkRank rank;
  void* lock;
  void (*take)(void*);
  void (*give_back)(void*);
  void (*in_child)();
};

/// Only grows, and not during a fork, which holds `adding`.
struct Table {
  std::mutex adding;
  std::array<Kept, 16> kept{};  // by rank
  std::size_t count = 0;
};

Table& table() {
  static auto* const the_table = new Table;
  return *the_table;
}

void take_all() {
  table().adding.lock();
  for (std::size_t i = 0; i < table().count; ++i) table().kept[i].take(table().kept[i].lock);
}

void give_all_back() {
  for (std::size_t i = table().count; i-- > 0;) {
    table().kept[i].give_back(table().kept[i].lock);
  }
  table().adding.unlock();
}

void begin_as_child() {
  for (std::size_t i = 0; i < table().count; ++i) {
    if (table().kept[i].in_child != nullptr) table().kept[i].in_child();
  }
  give_all_back();
}

void add(const Kept& kept) {
  static const int registered = pthread_atfork(take_all, give_all_back, begin_as_child);
  if (registered != 0) throw std::bad_alloc();
  const std::lock_guard lock(table().adding);
  if (table().count == table().kept.size()) throw std::length_error("too many locks around forks");
  const auto end = table().kept.begin() + table().count++;
  const auto place =
      std::ranges::upper_bound(table().kept.begin(), end, kept.rank, {}, &Kept::rank);
  std::copy_backward(place, end, end + 1);
  *place = kept;
}

}  // namespace

void keep_from_forks(std::mutex& mutex, void (*in_child)()) {
  add({ForkRank::usual, &mutex, [](void* lock) { static_cast<std::mutex*>(lock)->lock(); },
       [](void* lock) { static_cast<std::mutex*>(lock)->unlock(); }, in_child});
}

void keep_from_forks(std::atomic_flag& taken, ForkRank rank, void (*in_child)()) {
  add({rank, &taken, [](void* lock) { HandlerLock::take(*static_cast<std::atomic_flag*>(lock)); },
       [](void* lock) { HandlerLock::give_back(*static_cast<std::atomic_flag*>(lock)); },
       in_child});
}

std::size_t locks_around_forks() {
  const std::lock_guard lock(table().adding);
  return table().count;
}

}  // namespace pto2::executors

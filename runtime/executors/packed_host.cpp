#include "runtime/executors/packed_host.hpp"

#include <bit>

#include "runtime/executors/team.hpp"

namespace pto2::executors {

namespace {

thread_local PackedHost* this_host = nullptr;

/// Turns of looking for work before the OS thread sleeps: some 20 microseconds.
constexpr uint32_t turns_before_sleep = 500;
/// Turns for which the same kernel must be running before its host's fibers are taken: some
/// 3 microseconds.
constexpr uint32_t turns_of_a_long_kernel = 64;

/// Polls by a fiber before it parks, when other hosts may supply it: some 10 microseconds.
constexpr uint32_t polling_rounds_of_a_pair = 200;

inline void pause() {
  __builtin_ia32_pause();
}

}  // namespace

[[gnu::noinline]] PackedHost* current_host() noexcept {
  asm volatile("");
  return this_host;
}

void bind_host(PackedHost* host) {
  this_host = host;
}

PackedHost::PackedHost(PackedTeam& team, uint32_t index, uint32_t fibers)
    : team_(team),
      index_(index),
      runnable_((fibers + 63) / 64),
      kernels_seen_(team.host_threads_, ~uint64_t{0}),
      shown_((fibers + 63) / 64),
      inbox_((fibers + 63) / 64) {}

void PackedHost::run() {
  bind_host(this);
  begun_.store(true, std::memory_order_relaxed);
  while (team_.unfinished_.load(std::memory_order_acquire) != 0) {
    drain_inbox();
    FiberThread* const next = pick();
    if (next == nullptr) {
      wait_for_work();
      continue;
    }
    // A thread may leave before the ring that told it to has arrived.
    if (next->fiber().finished()) continue;
    current_.store(next, std::memory_order_relaxed);
    next->fiber().resume();
    current_.store(nullptr, std::memory_order_relaxed);
    if (next->fiber().finished()) {
      next->show_end();
      // In the single total order, like the sleeper's look at it.
      if (team_.unfinished_.fetch_sub(1, std::memory_order_seq_cst) == 1) {
        for (auto& host : team_.hosts_) host->wake();
      }
    }
  }
  bind_host(nullptr);
}

FiberThread* PackedHost::pick() {
  const auto words = static_cast<uint32_t>(runnable_.size());
  uint32_t w = cursor_ / 64;
  uint64_t mask = ~uint64_t{0} << (cursor_ % 64);
  for (uint32_t i = 0; i <= words; ++i) {
    const uint64_t candidates = runnable_[w] & mask;
    if (candidates != 0) {
      const auto bit = static_cast<uint32_t>(std::countr_zero(candidates));
      runnable_[w] &= ~(uint64_t{1} << bit);
      const uint32_t number = w * 64 + bit;
      cursor_ = number + 1 < words * 64 ? number + 1 : 0;
      return team_.fibers_[number].get();
    }
    mask = ~uint64_t{0};
    w = w + 1 < words ? w + 1 : 0;
  }
  return nullptr;
}

void PackedHost::drain_inbox() {
  for (uint32_t w = 0; w < inbox_.size(); ++w) {
    if (inbox_[w].load(std::memory_order_seq_cst) == 0) continue;
    for (uint64_t rung = inbox_[w].exchange(0, std::memory_order_seq_cst); rung != 0;
         rung &= rung - 1) {
      FiberThread& fiber = *team_.fibers_[w * 64 + std::countr_zero(rung)];
      // A fiber that moved away while the ring was under way is rung again at its new home.
      PackedHost* const home = fiber.home();
      if (home == this) {
        ring_here(fiber.number());
      } else {
        home->ring_remotely(fiber.number());
      }
    }
  }
}

bool PackedHost::inbox_is_empty() const {
  for (const auto& word : inbox_) {
    if (word.load(std::memory_order_seq_cst) != 0) return false;
  }
  return true;
}

bool PackedHost::has_runnable() const {
  for (const uint64_t word : runnable_) {
    if (word != 0) return true;
  }
  return false;
}

bool PackedHost::show_runnable() {
  uint64_t any = 0;
  auto shown = shown_.begin();
  for (const uint64_t word : runnable_) {
    (shown++)->store(word, std::memory_order_relaxed);
    any |= word;
  }
  return any != 0;
}

HostState PackedHost::state() const {
  const FiberThread* const fiber = current();
  return {.begun = begun_.load(std::memory_order_relaxed),
          .asleep = asleep_.load(std::memory_order_relaxed) != 0,
          .detached = lock_.load(std::memory_order_relaxed) == 0,
          .running = fiber == nullptr ? std::string() : fiber->name()};
}

void PackedHost::ring_remotely(uint32_t f) {
  inbox_[f / 64].fetch_or(uint64_t{1} << (f % 64), std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst) != 0) {
    wake();
  } else if (team_.sleepers_.load(std::memory_order_seq_cst) != 0 && is_detached()) {
    for (auto& host : team_.hosts_) host->wake();
  }
}

void PackedHost::yield() {
  drain_inbox();
  if (has_runnable()) {
    ring_here(current()->number());
    current()->fiber().suspend();
  } else {
    pause();
  }
}

uint32_t PackedHost::polling_rounds() const {
  return team_.hosts_.size() > 1 ? polling_rounds_of_a_pair : 0;
}

void PackedHost::wake() {
  if (asleep_.exchange(0, std::memory_order_seq_cst) != 0) asleep_.notify_one();
}

void PackedHost::detach() {
  const bool work = show_runnable();
  kernels_.store(kernels_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  lock_.exchange(0, std::memory_order_seq_cst);
  if (team_.sleepers_.load(std::memory_order_seq_cst) != 0 && (work || !inbox_is_empty())) {
    for (auto& host : team_.hosts_) host->wake();
  }
}

void PackedHost::attach() {
  uint32_t turn = 0;
  while (lock_.exchange(1, std::memory_order_acquire) != 0) {
    while (lock_.load(std::memory_order_relaxed) != 0) spin_turn(turn++);
  }
}

void PackedHost::wait_for_work() {
  const bool alone = team_.hosts_.size() == 1;
  for (uint32_t turn = 0; !alone && turn < turns_before_sleep; ++turn) {
    if (!inbox_is_empty() || team_.unfinished_.load(std::memory_order_acquire) == 0) return;
    if (turn % turns_of_a_long_kernel == 0 && steal_from_long_kernels()) return;
    pause();
  }
  sleep();
}

void PackedHost::sleep() {
  show_runnable();
  asleep_.exchange(1, std::memory_order_seq_cst);
  team_.sleepers_.fetch_add(1, std::memory_order_seq_cst);
  bool work = !inbox_is_empty() || team_.unfinished_.load(std::memory_order_seq_cst) == 0;
  for (auto& host : team_.hosts_) {
    if (!work && host.get() != this) work = steal_from(*host);
  }
  if (!work) asleep_.wait(1, std::memory_order_seq_cst);
  asleep_.store(0, std::memory_order_seq_cst);
  team_.sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

bool PackedHost::steal_from_long_kernels() {
  for (uint32_t h = 0; h < team_.hosts_.size(); ++h) {
    PackedHost& victim = *team_.hosts_[h];
    if (&victim == this) continue;
    const uint64_t kernels = victim.kernels_.load(std::memory_order_relaxed);
    const bool same_kernel = victim.is_detached() && kernels_seen_[h] == kernels;
    kernels_seen_[h] = kernels;
    if (same_kernel && steal_from(victim)) return true;
  }
  return false;
}

bool PackedHost::steal_from(PackedHost& victim) {
  uint32_t unlocked = 0;
  if (!victim.lock_.compare_exchange_strong(unlocked, 1, std::memory_order_seq_cst,
                                            std::memory_order_seq_cst)) {
    return false;
  }
  victim.drain_inbox();
  uint32_t available = 0;
  for (const uint64_t word : victim.runnable_) {
    available += static_cast<uint32_t>(std::popcount(word));
  }
  const uint32_t inside = victim.current()->number();
  available -= static_cast<uint32_t>(victim.runnable_[inside / 64] >> (inside % 64) & 1);
  uint32_t wanted = (available + 1) / 2;
  bool stolen = false;
  for (uint32_t w = 0; w < runnable_.size() && wanted != 0; ++w) {
    for (uint64_t word = victim.runnable_[w]; word != 0 && wanted != 0; word &= word - 1) {
      FiberThread& fiber = *team_.fibers_[w * 64 + std::countr_zero(word)];
      if (fiber.number() == inside) continue;
      victim.runnable_[w] &= ~(word & -word);
      fiber.set_home(this);
      ring_here(fiber.number());
      stolen = true;
      --wanted;
      --available;
    }
  }
  victim.show_runnable();
  victim.lock_.store(0, std::memory_order_seq_cst);
  // While the lock was held here, other hosts could not look, and rings took the victim for
  // attached: what is left, or came meanwhile, is announced now.
  if (team_.sleepers_.load(std::memory_order_seq_cst) != 0 &&
      (available != 0 || !victim.inbox_is_empty())) {
    for (auto& host : team_.hosts_) host->wake();
  }
  return stolen;
}

}  // namespace pto2::executors

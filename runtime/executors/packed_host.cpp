#include "runtime/executors/packed_host.hpp"

#include <algorithm>

#include "runtime/executors/pause.hpp"
#include "runtime/executors/sanitizer_switch.hpp"
#include "runtime/executors/signal_stack.hpp"
#include "runtime/executors/stepped_thread.hpp"
#include "runtime/executors/team.hpp"

namespace pto2::executors {

namespace {

#if PTO2_UNDER_TSAN
thread_local void* this_host_context = nullptr;
#endif

/// Turns of looking for work before the OS thread sleeps: some 20 microseconds.
constexpr uint32_t turns_before_sleep = 500;
/// Turns for which the same kernel must be running before its host's fibers are taken: some
/// 3 microseconds.
constexpr uint32_t turns_of_a_long_kernel = 64;

/// Rounds of the others that a fiber gives way for if they are all here: to go on takes longer than
/// a round of short kernels. Elsewhere others may have nothing to do meanwhile.
constexpr uint32_t rounds_of_a_way = 8;

/// Polls by a fiber before it parks, when other hosts may supply it: some 10 microseconds.
constexpr uint32_t polling_rounds_of_a_pair = 200;

bool has_not_ended(const HostedFiber<Machine>& fiber) {
  return !static_cast<const HostedThread&>(fiber).has_ended();
}

}  // namespace

constinit thread_local FiberHost<Machine>* volatile this_host = nullptr;

#if PTO2_HAS_SEGMENTS
PTO2_THREAD_POINTER const ThreadPointer<FiberHost<Machine>> host_pointer(this_host);
#else
/// A fiber and its host share the OS thread's variables, not TSan's context.
[[gnu::noinline]] PTO2_UNSEEN_BY_TSAN FiberHost<Machine>* host_of_thread() {
  asm volatile("");
  return this_host;
}
#endif

#if PTO2_UNDER_TSAN
[[gnu::noinline]] PTO2_UNSEEN_BY_TSAN void* current_host_context() noexcept {
  asm volatile("");
  return this_host_context;
}
#endif

namespace {

PTO2_UNSEEN_BY_TSAN void* bound_context() {
#if PTO2_UNDER_TSAN
  return this_host_context;
#else
  return nullptr;
#endif
}
PTO2_UNSEEN_BY_TSAN void bind_host(PackedHost* host) {
  this_host = host;
}
/// The host goes on in a loop that TSan knows by this context.
PTO2_UNSEEN_BY_TSAN void bind_context([[maybe_unused]] void* context) {
#if PTO2_UNDER_TSAN
  this_host_context = context;
#endif
}

}  // namespace

PackedHost::PackedHost(PackedTeam& team, bool is_first, std::unique_ptr<HostBits> bits)
    : FiberHost(*team.shared_, bits->words()),
      team_(team),
      is_first_(is_first),
      bits_(std::move(bits)),
      sections_seen_(team.host_threads_, ~uint64_t{0}),
      pace_(team.short_kernel_ns_),
      loops_(
          team.stack_bytes_,
          [this] {
            FiberHost::run(
                [this](HostedFiber<Machine>& f) { return resume(static_cast<HostedThread&>(f)); },
                [this] { return look_around(); });
          },
          bind_context) {}

/// What the calling OS thread is of another team, if a kernel or an orchestration of that launches
/// one, it is afterwards.
void PackedHost::run() {
  const SignalStack handlers;
  auto* const former = current_host();
  void* const former_context = bound_context();
  bind_host(this);
  kernels_.begin();
  begun_.store(true, std::memory_order_relaxed);
  loops_.run();
  team_.joint_.end_nap();
  bind_context(former_context);
  bind_host(former);
}

/// Whether all fibers that are here belong to the first of two hosts now.
inline bool PackedHost::is_to_move_out() const {
  return !is_first_ && team_.joint_.are_joint();
}

/// Of a host that is not the first: whether a thread that it is to run stays there. More than two
/// are never joint.
bool PackedHost::runs_here(const HostedThread& thread) {
  const auto& pair = team_.joint_.pair();
  return pair.runs_at_second(thread, *this, other_of_two(), team_.hosted_, has_not_ended);
}

/// Runs the thread until it waits. Whether it has ended thereby.
inline bool PackedHost::resume(HostedThread& thread) {
  if (!is_first_ && !runs_here(thread)) [[unlikely]]
    return false;
  bool ends = false;
  switch (thread.next()) {
    [[likely]] case HostedThread::Next::step : ends = step(static_cast<SteppedThread&>(thread));
    break;
    case HostedThread::Next::resume:
      if (static_cast<FiberThread&>(thread).rests()) {
        ring_here(thread.number());
        return false;
      }
      ends = static_cast<FiberThread&>(thread).resume();
      break;
    case HostedThread::Next::go_back:
      static_cast<SteppedThread&>(thread).go_back(loops_);
      return false;  // much has happened since
    case HostedThread::Next::nothing:
      return false;  // it has left before the ring that told it to has arrived
  }
  if (ends) [[unlikely]]
    thread.set_next(HostedThread::Next::nothing);
  return ends;
}

inline bool PackedHost::step(SteppedThread& thread) {
  const AfterStep after = thread.step();
  if (after == AfterStep::rung) [[likely]]
    return false;
  if (after == AfterStep::end) return true;
  if (!has_others()) pause();
  ring_here(thread.number());
  return false;
}

HostState PackedHost::state() const {
  const HostedThread* const fiber = current();
  return {.begun = begun_.load(std::memory_order_relaxed),
          .asleep = seems_asleep(),
          .naps = is_to_move_out(),
          .detached = seems_detached(),
          .running = fiber == nullptr ? std::string() : fiber->name()};
}

/// Whether there are others that can run now.
bool PackedHost::has_others() {
  drain();
  return has_runnable();
}

bool PackedHost::yield() {
  return yield_for(1);
}

bool PackedHost::yield_for(uint32_t rounds) {
  FiberThread& fiber = current_fiber();
  bool others = false;
  {
    const TsanHostScope as_host;
    others = has_others();
    if (others) {
      ring_here(fiber.number());
      fiber.rest(rounds - 1);
    }
  }
  if (others) {
    fiber.suspend();
  } else {
    pause();
  }
  return others;
}

bool PackedHost::give_way() {
  if (team_.joint_.may_join()) join_if_short();
  return yield_for(are_apart() ? 1 : rounds_of_a_way);
}

void PackedHost::join_if_short() {
  if (team_.joint_.are_joint() || !other_of_two().pace_.is_short()) return;
  forget_kernels();
  team_.joint_.join();
}

/// Kernels have become long, as one has shown that has just ended or waits here.
[[gnu::noinline]] void PackedHost::part() {
  if (!is_first_ || !team_.joint_.are_joint()) return;
  forget_kernels();
  const TeamPlace here = team_.place_of(*current());
  const auto moves = [this, here](const HostedFiber<Machine>& fiber) {
    return has_not_ended(fiber) && !stays_with(here, team_.place_of(fiber), team_.last_group_);
  };
  team_.joint_.part(*this, other_of_two(), team_.hosted_, moves);
}

/// What is known of the kernels of both is of before: by that they would join again once they have
/// parted.
void PackedHost::forget_kernels() {
  for (const auto& host : team_.hosts_) host->pace_.forget();
}

PackedHost& PackedHost::other_of_two() const {
  return *team_.hosts_[is_first_ ? 1 : 0];
}

/// Whether other hosts have fibers, too.
bool PackedHost::are_apart() const {
  return team_.hosts_.size() > 1 && !team_.joint_.are_joint();
}

uint32_t PackedHost::polling_rounds() const {
  return are_apart() ? polling_rounds_of_a_pair : 0;
}

void PackedHost::wait_in_kernel() {
  HostedThread& thread = *current();
  const bool is_stepped = thread.kind() == LogicalThread::Kind::stepped;
  HostLoop* other = nullptr;
  const auto keep = [&thread](bool kept) {
    const TsanHostScope as_host;
    thread.keep(kept);
  };
  if (is_stepped) other = &loops_.free_one();
  attach();
  keep(true);
  {
    const OtherFiber others;
    if (is_stepped) {
      static_cast<SteppedThread&>(thread).wait_in(loops_, *other);
    } else {
      static_cast<FiberThread&>(thread).suspend();
    }
  }
  keep(false);
  detach();
}

/// Whether a kernel waits on this OS thread, for rings that no nap must keep it from.
bool PackedHost::keeps_any() const {
  return std::ranges::any_of(team_.fibers_, [this](const HostedThread* thread) {
    return thread->home() == this && thread->is_kept();
  });
}

/// Of the host whose fibers are at the first one while kernels are short: it does not sleep, as it
/// would be woken at each of them, and does not keep the CPU busy either. Nobody stays here who may
/// be rung; no kernel that waits is here. Who has read before that a fiber is at home here may
/// still ring it here, and nothing ends the nap for that: the ring follows the fiber when the nap
/// is over. It looks whether a kernel there has become long that has not ended.
void PackedHost::nap() {
  team_.joint_.pair().gather(*this, other_of_two(), team_.hosted_, has_not_ended);
  team_.joint_.nap([this] { return team_.shared_->is_over() || has_mail(); });
  (void)steal_from_long_kernels();
}

/// Looks for work for a while. Whether there may be some, or nothing to wait for.
bool PackedHost::look_around() {
  if (team_.hosts_.size() == 1) return false;
  if (is_to_move_out() && !keeps_any()) {
    nap();
    return true;
  }
  for (uint32_t turn = 0; turn < turns_before_sleep; ++turn) {
    if (has_mail() || team_.shared_->is_over()) return true;
    if (turn % turns_of_a_long_kernel == 0 && steal_from_long_kernels()) return true;
    pause();
  }
  return false;
}

/// Who takes fibers of the first host has them run here from now on.
bool PackedHost::steal_from_long_kernels() {
  for (uint32_t h = 0; h < team_.hosts_.size(); ++h) {
    PackedHost& victim = *team_.hosts_[h];
    if (&victim == this) continue;
    const uint64_t sections = victim.kernels_.sections();
    const bool same_section = victim.seems_detached() && sections_seen_[h] == sections;
    sections_seen_[h] = sections;
    if (!same_section || !steal_from(victim)) continue;
    if (is_to_move_out()) {
      forget_kernels();
      team_.joint_.part();
    }
    return true;
  }
  return false;
}

}  // namespace pto2::executors

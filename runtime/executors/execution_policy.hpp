/// What the layers above core need from the policy beside what core does (core/policy.hpp): memory
/// in bulk, time, kernels, and a say in how a scheduler without work waits.
///
///   P::shared_array<T>       objects that several threads use: shared_array(count), span(), [i].
///                            T is valid when it is zeroed, and may be made that way.
///   P::now()                 the tick of the policy's clock. It never goes back for one thread.
///   P::ticks_per_second      what patience is measured in. On hardware ticks are nanoseconds; a
///                            simulation, whose ticks are the points of its schedule, gives the
///                            points that it takes for a second.
///   P::run_kernel(f, args)   calls f(args): user code that may take long, and touches nothing of
///                            ours but what args lead to. What it throws goes on to the caller.
///   P::run_kernels(section)  calls section(run), where run(f, args) does the same for one kernel
///                            after another. Between them it waits for nobody and rings nobody.
///   P::prefetch_for_write(p) may fetch the cache line of p, which is about to be written.
///   P::polling_rounds()      how many rounds in vain a scheduler polls before it parks, as of now.
///   P::yield(is_over, in_vain)  after a round, in vain or not: lets others run, and returns
///                            is_over().
///   P::give_way()            lets others run that share the OS thread of the caller, who has
///                            enough done, and returns whether there are any; none in a simulation,
///                            whose schedules need no such.
///   P::parallelism()         how many threads of a group can run at the same time, at least 1.
///
/// and from one whose chip may fail (chip_fault.hpp; SoundChip is one that does not):
///
///   P::chip_step(step)       the calling thread has come to this step with its next task. A core
///                            that is lost there does not return.
///   P::answers_again()       after a core has reported an end: it does so once more.
///   P::has_lost_core()       nobody could go on, because a core is lost: whoever waits was rung.
///   P::is_lost(bell)         the same, and this is the doorbell of that core.
///
/// A launch needs threads as well, a LaunchPolicy:
///
///   P::team                  logical threads: team(options), add(name, group, body), which returns
///                            what a P::doorbell is made of, run(), which returns when all bodies
///                            have, host_threads(), and running_thread(), which is as that of P,
///                            of its own logical threads alone. A group is best kept on one OS
///                            thread.
///                            If there is add_stepped(name, group, step), it is for threads that
///                            wait between their steps alone: step() goes on from there, and
///                            returns when it is to be called again (after_step.hpp).
///   P::team_options          what a team is made of.
///   P::kernel_waiter         made of the doorbell of a logical thread: wait(), inside a kernel of
///                            that thread, lets others run until ring(), which any kernel may call,
///                            and what belongs to no logical thread; a ring is remembered. turn(),
///                            where wait() may be called, is that of the OS thread: a number that
///                            changes with each kernel and each wait there.
///   P::running_thread()      the name of the logical thread that the calling OS thread runs, empty
///                            if it runs none.
///   P::reminder              while one lives, the doorbell that it was made of rings now and then,
///                            so that the orchestrator's predicate can note how late it is, and
///                            what is to be done about kernels that do not return is done. Nothing
///                            else relies on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/policy.hpp"
#include "runtime/executors/chip_fault.hpp"
#include "runtime/executors/kernel_watch.hpp"

namespace pto2::executors {

template <class P>
concept ExecutionPolicy = Policy<P> &&
    requires(typename P::template shared_array<uint32_t>& array, std::size_t i,
             void (*kernel)(int64_t*), int64_t* args, const void* address,
             const typename P::doorbell& bell) {
  requires std::constructible_from<typename P::template shared_array<uint32_t>, std::size_t>;
  { array.span() } -> std::same_as<std::span<uint32_t>>;
  { array[i] } -> std::same_as<uint32_t&>;
  { P::now() } -> std::same_as<uint64_t>;
  requires std::same_as<decltype(P::ticks_per_second), const uint64_t>;
  P::run_kernel(kernel, args);
  P::run_kernels([](auto&& run) { run([](int64_t*) {}, nullptr); });
  P::prefetch_for_write(address);
  { P::polling_rounds() } -> std::same_as<uint32_t>;
  { P::give_way() } -> std::same_as<bool>;
  { P::parallelism() } -> std::same_as<uint32_t>;
  P::chip_step(ChipStep::take);
  { P::answers_again() } -> std::same_as<bool>;
  { P::has_lost_core() } -> std::same_as<bool>;
  { P::is_lost(bell) } -> std::same_as<bool>;
  {
    P::yield([] { return true; }, true)
    } -> std::same_as<bool>;
};

template <class P>
concept LaunchPolicy = ExecutionPolicy<P> &&
    requires(typename P::team& team, std::string name, uint32_t group, std::function<void()> body) {
  requires std::constructible_from<typename P::team, const typename P::team_options&>;
  requires std::constructible_from<typename P::doorbell, decltype(team.add(name, group, body))>;
  requires std::constructible_from<typename P::reminder, typename P::doorbell, typename P::team&,
                                   StuckKernels>;
  team.run();
  requires std::constructible_from<typename P::kernel_waiter, typename P::doorbell>;
  { P::running_thread() } -> std::same_as<std::string>;
  { team.running_thread() } -> std::same_as<std::string>;
  { team.host_threads() } -> std::same_as<uint32_t>;
};

/// Whose runs follow from a seed, on one OS thread.
template <class P>
concept SimulatedPolicy = requires(const typename P::team& team) {
  team.points();
};

}  // namespace pto2::executors

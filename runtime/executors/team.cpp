#include "runtime/executors/team.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "core/start_gate.hpp"
#include "runtime/executors/begin_apart.hpp"
#include "runtime/executors/running_teams.hpp"
#include "runtime/output/whose_lack.hpp"

namespace pto2::executors {

namespace {

/// Starts `count` OS threads that run body(i), or none; made(i, thread) comes before. Throws
/// std::system_error.
template <class Made, class Body>
std::vector<std::jthread> start_threads(StartGate<Machine>& gate, std::size_t count,
                                        const Made& made, const Body& body) {
  std::vector<std::jthread> threads;
  try {
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&gate, body, i] {
        cli::is_own_thread = true;
        if (gate.wait()) body(i);
      });
      made(i, threads.back());
    }
  } catch (...) {
    gate.decide(false);
    throw;
  }
  gate.decide(true);
  return threads;
}

bool may_join(const TeamOptions& options) {
  return options.may_join && options.host_threads == 2;
}

}  // namespace

uint32_t usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    return std::max(1u, std::thread::hardware_concurrency());
  }
  return static_cast<uint32_t>(CPU_COUNT(&set));
}

PackedTeam::PackedTeam(const TeamOptions& options)
    : host_threads_(options.host_threads),
      stack_bytes_(options.stack_bytes),
      short_kernel_ns_(static_cast<uint64_t>(options.short_kernel.count())),
      joint_(may_join(options), options.longest_nap) {}

PackedTeam::~PackedTeam() = default;

LogicalThread& PackedTeam::add(std::string name, uint32_t group, std::function<void()> body) {
  const auto number = static_cast<uint32_t>(fibers_.size());
  with_stack_.push_back(
      std::make_unique<FiberThread>(number, std::move(name), stack_bytes_, std::move(body)));
  return add(*with_stack_.back(), group);
}

LogicalThread& PackedTeam::add_stepped(std::string name, uint32_t group,
                                       std::function<AfterStep()> step) {
  const auto number = static_cast<uint32_t>(fibers_.size());
  stepped_.push_back(std::make_unique<SteppedThread>(number, std::move(name), std::move(step)));
  return add(*stepped_.back(), group);
}

LogicalThread& PackedTeam::add(HostedThread& thread, uint32_t group) {
  fibers_.push_back(&thread);
  groups_.push_back(group);
  last_group_ = std::max(last_group_, group);
  return thread;
}

void PackedTeam::settle() {
  const auto count = static_cast<uint32_t>(fibers_.size());
  for (HostedThread* fiber : fibers_) hosted_.push_back(fiber);
  hosting_.resize(host_threads_);
  shared_.emplace(hosted_, hosting_);
  for (uint32_t h = 0; h < host_threads_; ++h) {
    hosts_.push_back(
        std::make_unique<PackedHost>(*this, h == 0, std::make_unique<HostBits>(count)));
    hosting_[h] = hosts_[h].get();
  }
  // Group 0 has a host to itself if there are two or more.
  const uint32_t usable = joint_.are_joint() ? 1 : host_threads_;
  const uint32_t others = std::max(1u, usable - 1);
  for (uint32_t f = 0; f < count; ++f) {
    const uint32_t group = groups_[f];
    const uint32_t host = group == 0 ? 0 : (usable - others) + (group - 1) % others;
    fibers_[f]->set_home(hosts_[host].get());
    hosts_[host]->ring_here(f);
  }
  is_settled_.store(true, std::memory_order_release);
}

std::span<const std::unique_ptr<PackedHost>> PackedTeam::hosts() const {
  if (!is_settled_.load(std::memory_order_acquire)) return {};
  return hosts_;
}

void PackedTeam::run() {
  for (HostedThread* fiber : fibers_) fiber->publish_start();
  const std::size_t others = host_threads_ - 1;
  const BeginApart apart(others);
  StartGate<Machine> gate;
  const std::vector<std::jthread> os_threads = start_threads(
      gate, others,
      [&apart](std::size_t i, std::jthread& made) { apart.place(i, made.native_handle()); },
      [this, &apart](std::size_t i) {
        apart.release();
        hosts_[i + 1]->run();
      });
  hosts_[0]->run();
  for (HostedThread* fiber : fibers_) fiber->observe_end();
}

TeamState PackedTeam::state() const {
  TeamState state;
  for (const auto& host : hosts()) state.hosts.push_back(host->state());
  for (HostedThread* fiber : fibers_) state.threads.push_back(state_of(*fiber));
  return state;
}

ThreadState PackedTeam::state_of(const HostedThread& fiber) const {
  ThreadState state{.name = fiber.name(), .activity = Activity::unknown};
  const auto all = hosts();
  for (uint32_t h = 0; h < all.size(); ++h) {
    const PackedHost& host = *all[h];
    const HostState of_host = host.state();
    state.rung = state.rung || host.has_in_inbox(fiber.number());
    if (&host == fiber.home()) {
      state.host = h;
      if (of_host.asleep || of_host.detached) {
        state.activity =
            host.seems_runnable(fiber.number()) ? Activity::runnable : Activity::waiting;
      }
    }
    if (host.current() == &fiber) {
      state.activity = of_host.detached ? Activity::in_kernel : Activity::running;
      break;
    }
  }
  if (fiber.has_ended()) state.activity = Activity::finished;
  return state;
}

Team::Team(const TeamOptions& options) : options_(options) {
  if (options_.executor == Executor::packed) {
    if (options_.host_threads == 0) options_.host_threads = usable_cpus();
    packed_ = std::make_unique<PackedTeam>(options_);
  }
}

LogicalThread& Team::add(std::string name, uint32_t group, std::function<void()> body) {
  if (packed_) return packed_->add(std::move(name), group, std::move(body));
  threads_.push_back(std::make_unique<OsThread>(std::move(name), std::move(body)));
  return *threads_.back();
}

LogicalThread& Team::add_stepped(std::string name, uint32_t group,
                                 std::function<AfterStep()> step) {
  if (packed_ && !threads_need_stacks) {
    return packed_->add_stepped(std::move(name), group, std::move(step));
  }
  return add(std::move(name), group, [step = std::move(step)] {
    for (AfterStep after; (after = step()) != AfterStep::end;) {
      after == AfterStep::rung ? idle() : yield();
    }
  });
}

void Team::run() {
  if (packed_) packed_->settle();
  const RunningTeam listed(*this);
  if (packed_) return packed_->run();
  StartGate<Machine> gate;
  const std::vector<std::jthread> os_threads = start_threads(
      gate, threads_.size(), [](std::size_t, std::jthread&) {},
      [this](std::size_t i) { threads_[i]->run(); });
}

TeamState Team::state() const {
  if (packed_) return packed_->state();
  TeamState state;
  for (const auto& thread : threads_) state.threads.push_back(thread->state());
  return state;
}

std::vector<KernelState> PackedTeam::kernels() const {
  std::vector<KernelState> kernels;
  for (const auto& host : hosts()) kernels.push_back(host->kernel());
  return kernels;
}

std::vector<KernelState> Team::kernels() const {
  if (packed_) return packed_->kernels();
  std::vector<KernelState> kernels;
  for (const auto& thread : threads_) kernels.push_back(thread->kernel());
  return kernels;
}

pid_t PackedTeam::os_thread_of(const HostedThread& fiber) const {
  const auto runs_it = [&](const auto& host) { return host->current() == &fiber; };
  const auto all = hosts();
  const auto host = std::ranges::find_if(all, runs_it);
  return host == all.end() ? 0 : (*host)->kernel().thread;
}

pid_t Team::os_thread_of(const LogicalThread& thread) const {
  if (packed_) return packed_->os_thread_of(static_cast<const HostedThread&>(thread));
  return static_cast<const OsThread&>(thread).kernel().thread;
}

bool PackedTeam::has(const LogicalThread* thread) const {
  return std::ranges::find(fibers_, thread) != fibers_.end();
}

std::string Team::running_thread() const {
  const LogicalThread* const thread = this_logical_thread();
  const auto is_it = [thread](const auto& own) { return own.get() == thread; };
  const bool is_own = packed_ ? packed_->has(thread) : std::ranges::any_of(threads_, is_it);
  return is_own ? thread->name() : std::string();
}

uint32_t Team::host_threads() const {
  return packed_ ? options_.host_threads : static_cast<uint32_t>(threads_.size());
}

}  // namespace pto2::executors

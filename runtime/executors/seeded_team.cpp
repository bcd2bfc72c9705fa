#include "runtime/executors/seeded_team.hpp"

#include "runtime/executors/sanitizer_switch.hpp"

namespace pto2::executors {

SeededOptions options_of_seed(uint64_t seed, Strategy strategy) {
  // Not the numbers that the schedule has of the seed, or what is drawn here and there is one draw.
  Random random(seed ^ 0x0b71045eed);
  SeededOptions options{.seed = seed, .strategy = strategy};
  options.kernels_last = random.below(3) == 0;
  options.expected_points = uint64_t{256} << random.below(8);
  options.polling_rounds = random.below(2) == 0 ? 0 : 1;
  return options;
}

namespace {

thread_local SeededTeam* this_team = nullptr;

}  // namespace

// A fiber and its host share the OS thread's variables, not TSan's context.
PTO2_UNSEEN_BY_TSAN SeededTeam* SeededTeam::current() {
  return this_team;
}

SeededTeam::SeededTeam(const SeededOptions& options)
    : options_(options),
      schedule_({.seed = options.seed,
                 .strategy = options.strategy,
                 .expected_points = options.expected_points,
                 .stores_per_point = options.stores_per_point,
                 .kernels_last = options.kernels_last}) {}

SeededTeam::~SeededTeam() = default;

SeededThread& SeededTeam::add(std::string name, uint32_t, std::function<void()> body) {
  threads_.push_back(std::make_unique<SeededThread>(schedule_, std::move(name),
                                                    options_.stack_bytes, std::move(body)));
  return *threads_.back();
}

void SeededTeam::run_threads() {
  const Current<SeededTeam> current(this_team, this);
  kernels_.begin();
  while (!schedule_.is_over()) {
    const auto next = schedule_.next();
    if (!next) {
      if (notices_loss() || help_()) continue;
      fail("every thread that is left waits and none will be rung; waiting:" + not_ended());
    }
    if (points() > options_.max_points) {
      fail("no end after the limit of points: a livelock; not ended:" + not_ended());
    }
    running_ = threads_[*next].get();
    running_->fiber_.resume();
    if (!gave_up_.empty()) fail(running_->name_ + ": " + gave_up_);
    if (running_->fiber_.finished() || running_ == lost_) schedule_.end();
  }
}

void SeededTeam::park() {
  if (schedule_.park()) switch_away();
  schedule_.heard();
}

void SeededTeam::give_way() {
  schedule_.give_way();
  switch_away();
}

/// While it lives, the running thread is inside a kernel.
class SeededTeam::InKernel {
 public:
  explicit InKernel(SeededTeam& team) : team_(team) {
    team_.kernels_.count();
    show(&team.running_->name_);
  }
  ~InKernel() { show(nullptr); }
  InKernel(const InKernel&) = delete;
  InKernel& operator=(const InKernel&) = delete;

 private:
  void show(const std::string* name) { team_.in_kernel_.store(name, std::memory_order_relaxed); }

  SeededTeam& team_;
};

void SeededTeam::run_kernel(void (*kernel)(int64_t*), int64_t* args) {
  enter_kernel();
  const InKernel inside(*this);
  call_leavable(kernel, args, kernels_.turn());
}

/// Kernels and orchestrations of tests do so. When a kernel goes on, that is another turn of it.
void SeededTeam::switch_in_user_code() {
  const std::string* const name = in_kernel_.load(std::memory_order_relaxed);
  in_kernel_.store(nullptr, std::memory_order_relaxed);
  const OtherFiber others;
  running_->fiber_.suspend();
  kernels_.count();
  in_kernel_.store(name, std::memory_order_relaxed);
}

void SeededTeam::enter_kernel() {
  if (schedule_.enter_kernel()) running_->fiber_.suspend();
  // Even after all others this is a point, so that what they did is earlier than what follows.
  point();
}

void SeededTeam::wait_in_kernel() {
  park();
  if (schedule_.enter_kernel()) switch_away();
}

void SeededTeam::give_up(std::string why) {
  gave_up_ = std::move(why);
  for (;;) switch_away();
}

bool SeededTeam::reach(ChipStep step) {
  if (step != step_of(fault_.kind) || running_->name_ != fault_.thread) return false;
  if (++fault_steps_ != fault_.task) return false;
  fault_reached_ = true;
  if (loses_core(fault_.kind)) lose_running();
  if (fault_.kind != ChipFaultKind::answers_twice) schedule_.slow_down();
  return true;
}

void SeededTeam::lose_running() {
  lost_ = running_;
  for (;;) lost_->fiber_.suspend();
}

/// There is no time here: a core has been waited for long enough when nobody can go on. Whoever
/// waits looks again then, once.
bool SeededTeam::notices_loss() {
  if (lost_ == nullptr || lost_->is_lost_) return false;
  lost_->is_lost_ = true;
  for (const auto& thread : threads_) thread->ring();
  return true;
}

void SeededTeam::fail(const std::string& what) {
  schedule_.give_up();
  throw SeededFailure("seed " + std::to_string(options_.seed) + ", point " +
                      std::to_string(points()) + ": " + what);
}

std::string SeededTeam::not_ended() const {
  std::string names;
  for (const auto& thread : threads_) {
    if (!thread->fiber_.finished()) names += " " + thread->name_;
  }
  return names;
}

}  // namespace pto2::executors

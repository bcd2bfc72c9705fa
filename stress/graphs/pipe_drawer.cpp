#include "stress/graphs/pipe_drawer.hpp"

#include <array>

namespace pto2::graphs {
namespace {

/// Parameters of a block task, whose kernel has three more.
constexpr std::size_t most_drawn = 27;

/// One step more, which the pipe allows.
void step(PipeModel& pipe, PipeStep step, std::vector<PipeStep>& steps) {
  steps.push_back(step);
  if (step == PipeStep::push) pipe.waiting.push_back(0);
  if (step == PipeStep::release) --pipe.held;
  if (step != PipeStep::pop) return;
  pipe.waiting.pop_front();
  ++pipe.held;
}

}  // namespace

PipeDrawer::PipeDrawer(uint64_t seed, const Builder& builder, bool may_fail)
    : random_(seed ^ 0x919e5), builder_(builder) {
  static constexpr std::array<uint64_t, 4> shares{0, 3, 6, 8};
  share_ = shares[random_.below(shares.size())];
  tags_ = static_cast<int32_t>(1 + random_.below(2));
  most_steps_ = 1 + random_.below(8);
  const bool fails = random_.below(5) == 0;
  fault_at_ = may_fail && fails ? random_.below(20) : max_tasks;
}

PipeSizes PipeDrawer::draw_sizes() {
  static constexpr std::array<uint32_t, 5> bytes{8, 16, 40, 64, 72};
  return {static_cast<uint32_t>(1 + random_.below(5)), bytes[random_.below(bytes.size())]};
}

void PipeDrawer::add(Submit& task) {
  const auto group = pipe_group(task);
  if (!group || !chance(share_, 8)) return;
  for (uint64_t left = 1 + random_.below(2); left != 0; --left) {
    if (task.params.size() + task.pipes.size() < most_drawn) add_pipe(task, *group);
  }
}

void PipeDrawer::add_pipe(Submit& task, uint32_t group) {
  PipeParam param{.tag = static_cast<int32_t>(random_.below(static_cast<uint64_t>(tags_))) - 1,
                  .out = chance(1, 2)};
  bool again = false;
  for (const PipeParam& other : task.pipes) again |= other.tag == param.tag;
  if (again) {
    // It names the pipe twice, and does nothing with it that it has not done.
    task.pipes.push_back(param);
    return;
  }
  const Pipes& pipes = builder_.state().pipes();
  const auto made = pipes.find({group, param.tag});
  PipeModel pipe{{8, 16384}};
  if (made != pipes.end()) {
    pipe = made->second;
    if (chance(1, 4)) param.sizes = pipe.sizes;
  } else if (chance(7, 8)) {
    param.sizes = pipe.sizes = draw_sizes();
  }
  if (builder_.tasks() >= fault_at_) {
    draw_fault(std::move(pipe), param.steps);
    fault_at_ = max_tasks;
  } else {
    draw_steps(pipe, param.steps);
  }
  task.pipes.push_back(std::move(param));
}

void PipeDrawer::draw_steps(PipeModel& pipe, std::vector<PipeStep>& steps) {
  static constexpr std::array kinds{PipeStep::push, PipeStep::push, PipeStep::pop, PipeStep::pop,
                                    PipeStep::release};
  for (uint64_t left = random_.below(most_steps_ + 1); left != 0; --left) {
    const PipeStep kind = kinds[random_.below(kinds.size())];
    if (pipe.problem(kind) == nullptr) step(pipe, kind, steps);
  }
}

void PipeDrawer::draw_fault(PipeModel pipe, std::vector<PipeStep>& steps) {
  static constexpr std::array kinds{PipeStep::push, PipeStep::pop, PipeStep::release,
                                    PipeStep::oversized};
  const PipeStep kind = kinds[random_.below(kinds.size())];
  while (pipe.problem(kind) == nullptr) step(pipe, kind, steps);
  steps.push_back(kind);
  // The kernel does not come to this.
  if (chance(1, 2)) steps.push_back(PipeStep::push);
}

}  // namespace pto2::graphs

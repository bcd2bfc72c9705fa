#include "stress/graphs/groups.hpp"

#include <array>

#include "stress/graphs/mistakes.hpp"

namespace pto2::graphs {
namespace {

/// Tensors of a block task, whose kernel has three parameters more.
constexpr std::size_t most_block_tensors = 29;

template <std::size_t size>
uint64_t one_of(executors::Random& random, const std::array<uint64_t, size>& values) {
  return values[random.below(size)];
}

}  // namespace

GroupDrawer::GroupDrawer(uint64_t seed, Builder& builder, bool may_fail)
    : random_(seed ^ 0xc1057e5), builder_(builder), pipes_(seed, builder, may_fail) {
  style_.opens = one_of<4>(random_, {0, 1, 2, 5});
  style_.closes = one_of<4>(random_, {0, 1, 3, 6});
  style_.scopes = one_of<4>(random_, {0, 1, 2, 4});
  style_.most = 1 + random_.below(5);
  style_.pinned = one_of<4>(random_, {1, 3, 6, 8});
  style_.bursts = one_of<4>(random_, {0, 1, 4, 12});
  style_.blocks = one_of<4>(random_, {0, 1, 3, 6});
  style_.most_parts = one_of<3>(random_, {3, 9, 9});
  style_.rare = one_of<4>(random_, {0, 0, 1, 3});
}

std::optional<uint32_t> GroupDrawer::some_group() {
  const std::vector<uint32_t> open = builder_.state().open_groups();
  if (open.empty()) return std::nullopt;
  return chance(1, 2) ? open.back() : open[random_.below(open.size())];
}

void GroupDrawer::open() {
  const std::vector<uint32_t> open = builder_.state().open_groups();
  if (open.size() >= style_.most) {
    if (chance(1, 2)) return;
    builder_.free(open[random_.below(open.size())]);
  }
  builder_.allocate();
}

void GroupDrawer::before_step() {
  if (chance(style_.opens, 16)) return open();
  if (!chance(style_.closes, 16)) return;
  if (const auto group = some_group()) builder_.free(*group);
}

/// Readers of one tensor. Those that are pinned and those that are not want the same cores.
void GroupDrawer::burst() {
  if (!chance(style_.bursts, 64)) return;
  const uint64_t tasks = 3 + random_.below(8);
  if (builder_.tasks() + tasks + 1 > max_tasks / 2) return;
  const CoreType core = chance(1, 2) ? CoreType::cube : CoreType::vector;
  const uint32_t shared = builder_.tensor(Make{DataType::INT32, {4}});
  builder_.submit({.length = 8, .params = {{shared, Use::output}}});
  for (uint64_t i = 0; i < tasks; ++i) {
    Submit task{.core = core, .length = static_cast<uint32_t>(random_.below(30))};
    task.params.push_back({shared, Use::input});
    if (chance(1, 8)) {
      make_block(task);
    } else if (chance(1, 2)) {
      task.group = some_group();
    }
    pipes_.add(task);
    make_rare(task);
    builder_.submit(std::move(task));
  }
}

/// The groups of each are closed behind it, and those of the next may have to wait until parts in
/// several clusters have ended, at nearly the same time.
void GroupDrawer::relay() {
  if (!chance(style_.bursts, 128)) return;
  const uint64_t rounds = 2 + random_.below(3);
  const uint64_t clusters = 2 + random_.below(2);
  if (builder_.tasks() + rounds > max_tasks / 2) return;
  for (uint64_t round = 0; round < rounds; ++round) {
    Submit task{.core = chance(1, 2) ? CoreType::cube : CoreType::vector};
    std::vector<uint32_t> groups;
    while (groups.size() < clusters) groups.push_back(builder_.allocate());
    task.block_dim = static_cast<uint32_t>(clusters + random_.below(2));
    for (uint32_t part = 0; part < task.block_dim; ++part) {
      task.part_groups.push_back(groups[part % clusters]);
    }
    builder_.submit(std::move(task));
    for (const uint32_t group : groups) builder_.free(group);
  }
}

void GroupDrawer::scope_began() {
  if (chance(style_.scopes, 4)) open();
}

void GroupDrawer::join(Submit& task) {
  const bool can_be_block =
      task.params.size() <= most_block_tensors && !builder_.state().parts_conflict(task);
  if (can_be_block && chance(style_.blocks, 8)) {
    make_block(task);
  } else if (chance(style_.pinned, 8)) {
    task.group = some_group();
  }
  pipes_.add(task);
  make_rare(task);
}

void GroupDrawer::make_rare(Submit& task) {
  if (task.group || !task.part_groups.empty() || !chance(style_.rare, 8)) return;
  task.core = chance(1, 2) ? CoreType::ai_cpu : CoreType::accelerator;
}

void GroupDrawer::make_block(Submit& task) {
  task.block_dim = static_cast<uint32_t>(1 + random_.below(style_.most_parts));
  if (!some_group() || !chance(style_.pinned, 8)) return;
  for (uint32_t part = 0; part < task.block_dim; ++part) {
    task.part_groups.push_back(*some_group());
  }
}

void GroupDrawer::make_mistake() {
  make_cluster_mistake(builder_, random_);
}

}  // namespace pto2::graphs

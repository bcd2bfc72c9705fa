/// oneTBB's task_group, which knows no dependences: independent tasks, and trees by recursion.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <stdexcept>

#include "bench/peers/peer.hpp"

namespace pto2::bench {
namespace {

/// The tree whose root is `task`.
void reduce(uint32_t task) {
  const Predecessors before = predecessors(Pattern::tree, task);
  if (before.count != 0) {
    tbb::task_group both;
    both.run([first = before.task[0]] { reduce(first); });
    both.run_and_wait([second = before.task[1]] { reduce(second); });
  }
  run_kernel(task);
}

class TaskGroup : public Peer {
 public:
  explicit TaskGroup(uint32_t threads)
      : limit_(tbb::global_control::max_allowed_parallelism, threads),
        arena_(static_cast<int>(threads)) {}

  void run(Pattern pattern, uint32_t tasks) override {
    arena_.execute([=] {
      tbb::task_group group;
      if (pattern == Pattern::independent) {
        for (uint32_t task = 0; task < tasks; ++task) group.run([task] { run_kernel(task); });
      } else if (pattern == Pattern::tree) {
        run_trees(group, tasks);
      } else {
        throw std::invalid_argument("a task_group has no dependences");
      }
      group.wait();
    });
  }

 private:
  static void run_trees(tbb::task_group& group, uint32_t tasks) {
    // From the last root back: the trees before it end where it begins.
    for (uint32_t end = tasks; end != 0;) {
      const uint32_t root = end - 1;
      group.run([root] { reduce(root); });
      end -= 2 * inputs_below(root) - 1;
    }
  }

  tbb::global_control limit_;
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<Peer> make_peer(uint32_t threads) {
  return std::make_unique<TaskGroup>(threads);
}

}  // namespace pto2::bench

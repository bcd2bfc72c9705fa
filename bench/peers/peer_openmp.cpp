/// OpenMP's tasks with depend clauses, compiled by GCC and linked twice: with libgomp, and with
/// LLVM's libomp, which offers the same entry points.
#include <array>

#include "bench/peers/peer.hpp"

namespace pto2::bench {
namespace {

class OpenMp : public Peer {
 public:
  explicit OpenMp(uint32_t threads) : threads_(threads) {}

  void run(Pattern pattern, uint32_t tasks) override {
#pragma omp parallel num_threads(static_cast <int>(threads_))
#pragma omp single
    {
      if (pattern == Pattern::independent) {
        submit_independent(tasks);
      } else {
        for (uint32_t task = 0; task < tasks; ++task) submit(pattern, task);
      }
    }
  }

 private:
  static void submit_independent(uint32_t tasks) {
    for (uint32_t task = 0; task < tasks; ++task) {
#pragma omp task firstprivate(task)
      run_kernel(task);
    }
  }

  void submit(Pattern pattern, uint32_t task) {
    const Predecessors before = predecessors(pattern, task);
    [[maybe_unused]] char* const own = word(task);
    [[maybe_unused]] char* const first = word(before.task[0]);
    [[maybe_unused]] char* const second = word(before.task[1]);
    [[maybe_unused]] char* const third = word(before.task[2]);
    switch (before.count) {
      case 0:
#pragma omp task firstprivate(task) depend(out : own[0])
        run_kernel(task);
        break;
      case 1:
#pragma omp task firstprivate(task) depend(in : first[0]) depend(out : own[0])
        run_kernel(task);
        break;
      case 2:
#pragma omp task firstprivate(task) depend(in : first[0], second[0]) depend(out : own[0])
        run_kernel(task);
        break;
      default:
#pragma omp task firstprivate(task) depend(in : first[0], second[0], third[0]) depend(out : own[0])
        run_kernel(task);
    }
  }

  char* word(uint32_t task) {
    return &words_[task % buffers];
  }

  uint32_t threads_;
  std::array<char, buffers> words_{};  // names; no kernel touches them
};

}  // namespace

std::unique_ptr<Peer> make_peer(uint32_t threads) {
  return std::make_unique<OpenMp>(threads);
}

}  // namespace pto2::bench

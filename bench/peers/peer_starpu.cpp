/// StarPU with CPU workers alone: a codelet, and edges that follow from the data that tasks name.
#include <starpu.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "bench/peers/peer.hpp"

namespace pto2::bench {
namespace {

void run_codelet(void**, void* task) {
  run_kernel(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(task)));
}

class StarPu : public Peer {
 public:
  explicit StarPu(uint32_t threads) {
    setenv("STARPU_SILENT", "1", 1);
    // Where it keeps what it finds out about the machine: beside this program, not in the home.
    setenv("STARPU_HOME", std::filesystem::read_symlink("/proc/self/exe").parent_path().c_str(), 1);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = static_cast<int>(threads);
    conf.ncuda = 0;
    conf.nopencl = 0;
    if (starpu_init(&conf) != 0) throw std::runtime_error("starpu_init failed");
    starpu_codelet_init(&codelet_);
    codelet_.cpu_funcs[0] = run_codelet;
    codelet_.nbuffers = STARPU_VARIABLE_NBUFFERS;
    for (uint32_t i = 0; i < buffers; ++i) {
      starpu_variable_data_register(&data_[i], STARPU_MAIN_RAM,
                                    reinterpret_cast<uintptr_t>(&words_[i]), sizeof words_[i]);
    }
  }
  ~StarPu() override {
    for (const starpu_data_handle_t data : data_) starpu_data_unregister(data);
    starpu_shutdown();
  }
  StarPu(const StarPu&) = delete;
  StarPu& operator=(const StarPu&) = delete;

  void run(Pattern pattern, uint32_t tasks) override {
    for (uint32_t task = 0; task < tasks; ++task) submit(pattern, task);
    starpu_task_wait_for_all();
  }

 private:
  void submit(Pattern pattern, uint32_t task) {
    starpu_task* const made = starpu_task_create();
    made->cl = &codelet_;
    made->cl_arg = reinterpret_cast<void*>(uintptr_t{task});
    if (pattern != Pattern::independent) {
      for (const uint32_t other : predecessors(pattern, task)) {
        add(*made, other, STARPU_R);
      }
      add(*made, task, STARPU_W);
    }
    if (starpu_task_submit(made) != 0) throw std::runtime_error("starpu_task_submit failed");
  }

  void add(starpu_task& made, uint32_t task, starpu_data_access_mode mode) {
    made.handles[made.nbuffers] = data_[task % buffers];
    made.modes[made.nbuffers++] = mode;
  }

  starpu_codelet codelet_{};
  std::array<starpu_data_handle_t, buffers> data_{};
  std::array<char, buffers> words_{};
};

}  // namespace

std::unique_ptr<Peer> make_peer(uint32_t threads) {
  return std::make_unique<StarPu>(threads);
}

}  // namespace pto2::bench

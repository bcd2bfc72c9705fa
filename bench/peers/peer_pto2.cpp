#include <array>
#include <stdexcept>

#include "bench/peers/peer.hpp"
#include "runtime/device/device.hpp"

namespace pto2::bench {
namespace {

constexpr uint32_t tasks_per_scope = 16;

class OurPeer : public Peer {
 public:
  explicit OurPeer(uint32_t threads) : threads_(threads) {}

  void run(Pattern pattern, uint32_t tasks) override {
    static constexpr KernelEntry kernels[] = {
        [](int64_t* args) { run_kernel(static_cast<uint32_t>(args[0])); }};
    const RunResult result =
        launch(DeviceConfig(), executors::TeamOptions{.host_threads = threads_, .may_join = true},
               {kernels, [&](PTO2Runtime* rt) { submit(rt, pattern, tasks); }, {}});
    if (result.error.code != ErrorCode::ok) throw std::runtime_error(result.error.message);
    if (result.tasks != tasks) throw std::runtime_error("not as many tasks as were asked for");
  }

 private:
  void submit(PTO2Runtime* rt, Pattern pattern, uint32_t tasks) {
    pto2_rt_init_tensor_pool(rt);
    std::array<Tensor, buffers> tensors;
    const uint64_t shape[] = {1};
    for (uint32_t i = 0; i < buffers && pattern != Pattern::independent; ++i) {
      tensors[i] = make_tensor_external(&words_[i], shape, 1);
    }
    for (uint32_t begin = 0; begin < tasks; begin += tasks_per_scope) {
      PTO2_SCOPE(rt) {
        for (uint32_t task = begin; task < std::min(tasks, begin + tasks_per_scope); ++task) {
          submit_one(rt, pattern, task, tensors);
        }
      }
    }
  }

  static void submit_one(PTO2Runtime* rt, Pattern pattern, uint32_t task,
                         const std::array<Tensor, buffers>& tensors) {
    PTOParam params[5] = {make_scalar_param(task)};
    int32_t count = 1;
    for (const uint32_t other : predecessors(pattern, task)) {
      params[count++] = make_input_param(tensors[other % buffers]);
    }
    if (pattern != Pattern::independent) {
      params[count++] = make_inout_param(tensors[task % buffers]);
    }
    // The chip has two vector cores per cube core.
    pto2_rt_submit_task(rt, 0, task % 3 == 0 ? PTO2_WORKER_CUBE : PTO2_WORKER_VECTOR, params,
                        count);
  }

  uint32_t threads_;
  std::array<float, buffers> words_{};  // names; no kernel touches them
};

}  // namespace

std::unique_ptr<Peer> make_peer(uint32_t threads) {
  return std::make_unique<OurPeer>(threads);
}

}  // namespace pto2::bench

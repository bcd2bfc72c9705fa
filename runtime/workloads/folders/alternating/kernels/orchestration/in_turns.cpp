/// Per batch some multiplications on cube cores, and some additions on vector cores. No task needs
/// another one, so both kinds of cores are busy at the same time.
#include <cstdint>
#include <iterator>

#include "pto_orchestration_api.h"

namespace {

enum Kernel { MATMUL, ADD };
enum Argument {
  ARG_A,
  ARG_B,
  ARG_C,
  ARG_X,
  ARG_Y,
  ARG_Z,
  ARG_BATCH,
  ARG_MATMULS,
  ARG_ADDS,
  ARG_COUNT
};
constexpr uint64_t side = 128, sum_rows = 64;

/// Two operands and a result, each a row of matrices.
struct Operation {
  Operation(const uint64_t* addresses, uint64_t count, uint64_t rows) : rows_(rows) {
    const uint64_t shape[] = {count, rows, side};
    for (int i = 0; i < 3; ++i) {
      tensors_[i] = make_tensor_external(reinterpret_cast<void*>(addresses[i]), shape, 3);
    }
  }
  void submit(PTO2Runtime* rt, Kernel kernel, PTO2WorkerType worker, uint64_t number) const {
    const uint64_t shape[] = {1, rows_, side}, first[] = {number, 0, 0};
    const PTOParam params[] = {make_input_param(tensors_[0].view(shape, first)),
                               make_input_param(tensors_[1].view(shape, first)),
                               make_output_param(tensors_[2].view(shape, first))};
    pto2_rt_submit_task(rt, kernel, worker, params, std::size(params));
  }

 private:
  uint64_t rows_;
  Tensor tensors_[3];
};

}  // namespace

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(uint64_t*, int) {
  return {ARG_COUNT};
}

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int) {
  const uint64_t batch = args[ARG_BATCH], matmuls = args[ARG_MATMULS], adds = args[ARG_ADDS];
  const Operation multiply(args + ARG_A, batch * matmuls, side);
  const Operation add(args + ARG_X, batch * adds, sum_rows);
  for (uint64_t b = 0; b < batch; ++b) {
    PTO2_SCOPE(rt) {
      for (uint64_t i = 0; i < matmuls; ++i) {
        multiply.submit(rt, MATMUL, PTO2_WORKER_CUBE, b * matmuls + i);
      }
      for (uint64_t i = 0; i < adds; ++i) add.submit(rt, ADD, PTO2_WORKER_VECTOR, b * adds + i);
    }
  }
}

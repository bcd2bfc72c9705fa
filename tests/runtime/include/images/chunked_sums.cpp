/// An orchestration as people write them for the original: C++17, nothing included but the header,
/// an entry that returns int, plain int variables for worker types and counts, shapes in several
/// integer types. It sums `factor` times the blocks of each chunk of rows.
#include "pto_orchestration_api.h"

#define FUNC_HUB 0
#define FUNC_SCALE 1
#define FUNC_ADD 2
#define FUNC_OUT 3

#define IN_CORE_BATCH 4

static const int worker_type_of[] = {PTO2_WORKER_VECTOR, PTO2_WORKER_CUBE, PTO2_WORKER_VECTOR,
                                     PTO2_WORKER_VECTOR};

static void submit(PTO2Runtime* rt, int func_id, PTOParam* params, int n) {
  int worker_type = worker_type_of[func_id];
  pto2_rt_submit_task(rt, func_id, worker_type, params, n);
}

static void log_chunk(PTO2Runtime* rt, int batch_start, Tensor rows) {
  rows.dump();
  std::string text = "chunk " + std::to_string(batch_start) + ": " + rows.dump();
  LOG_DEBUG(rt, "%s", text.c_str());
}

extern "C" {

/// x, out, config {batch, blocks, width, factor}.
__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(
    uint64_t* args, int arg_count) {
  (void)args;
  (void)arg_count;
  return PTO2OrchestrationConfig{3};
}

__attribute__((visibility("default"))) int aicpu_orchestration_entry(PTO2Runtime* rt,
                                                                     uint64_t* args,
                                                                     int arg_count) {
  (void)arg_count;
  pto2_rt_init_tensor_pool(rt);
  void* host_x = (void*)(uintptr_t)args[0];
  void* host_out = (void*)(uintptr_t)args[1];
  int64_t* config = (int64_t*)(uintptr_t)args[2];
  const int batch = (int)config[0];
  const int blocks = (int)config[1];
  const uint64_t width = (uint64_t)config[2];

  uint64_t x_shapes[3] = {(uint64_t)batch, (uint64_t)blocks, width};
  int64_t out_shapes[2] = {batch, (int64_t)width};
  Tensor x = make_tensor_external(host_x, x_shapes, 3, DataType::FLOAT32);
  Tensor out = make_tensor_external(host_out, out_shapes, 2);
  LOG_INFO(rt, "%s", x.dump().c_str());

  int tasks = 0;
  for (int batch_start = 0; batch_start < batch; batch_start += IN_CORE_BATCH) {
    const int chunk = std::min(IN_CORE_BATCH, batch - batch_start);
    PTO2_SCOPE(rt) {
      uint32_t acc_shapes[2] = {(uint32_t)chunk, (uint32_t)width};
      Tensor acc = make_tensor(acc_shapes, 2, DataType::FLOAT32);
      PTOParam params_hub = make_output_param(acc);
      submit(rt, FUNC_HUB, &params_hub, 1);
      for (int bn = 0; bn < blocks; bn++) {
        uint64_t block_shapes[3] = {(uint64_t)chunk, 1, width};
        uint64_t block_offsets[3] = {(uint64_t)batch_start, (uint64_t)bn, 0};
        Tensor block = x.view(block_shapes, block_offsets);
        Tensor scaled = make_tensor(acc_shapes, 2);
        PTOParam params_scale[] = {make_input_param(block), make_output_param(scaled),
                                   make_scalar_param(config[3])};
        submit(rt, FUNC_SCALE, params_scale, 3);
        PTOParam params_add[] = {make_input_param(scaled), make_inout_param(acc)};
        submit(rt, FUNC_ADD, params_add, 2);
        tasks += 2;
      }
      int32_t out_offsets[2] = {batch_start, 0};
      Tensor rows_of_out = out.view(acc_shapes, out_offsets);
      PTOParam params_out[] = {make_input_param(acc), make_output_param(rows_of_out)};
      submit(rt, FUNC_OUT, params_out, 2);
      tasks += 2;
      log_chunk(rt, batch_start, rows_of_out);
    }
  }
  LOG_ALWAYS(rt, "submitted %d tasks", tasks);
  pto2_rt_orchestration_done(rt);
  return 0;
}

}  // extern "C"

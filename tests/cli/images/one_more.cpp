/// vector_example, right, but with a task that nobody needs.
#define aicpu_orchestration_entry vector_example_entry
#include "runtime/workloads/vector_example/orchestration.cpp"
#undef aicpu_orchestration_entry

extern "C" void aicpu_orchestration_entry(PTO2Runtime* rt, uint64_t* args, int count) {
  const uint64_t shape[] = {args[6]};
  Tensor a = make_tensor_external(reinterpret_cast<void*>(args[0]), shape, 1);
  Tensor sum = make_tensor(shape, 1);
  add_scalar(rt, a, 1.0f, sum);
  vector_example_entry(rt, args, count);
}

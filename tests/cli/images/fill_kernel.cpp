#include "runtime/include/pto_kernel_api.h"

extern "C" void kernel_entry(int64_t* args) {
  const PTOTensor& tensor = pto_tensor(args, 0);
  for (uint32_t i = 0; i < tensor.shape[0]; ++i) tensor.data<float>()[i] = 1;
}

// Returns when its byte is not 0 any more, or after so many milliseconds.
#include <atomic>
#include <chrono>
#include <thread>

#include "pto_kernel_api.h"

extern "C" void kernel_entry(int64_t* args) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(args[1]);
  std::atomic_ref<uint8_t> flag(*pto_tensor(args, 0).data<uint8_t>());
  while (flag == 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

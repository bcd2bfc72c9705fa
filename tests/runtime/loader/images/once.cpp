// Thread-local variables of libstdc++ (call_once has two), and none of its own.
#include <cstdint>
#include <mutex>

namespace {

std::once_flag once;

}  // namespace

extern "C" void kernel_entry(int64_t* args) {
  std::call_once(once, [args] { args[0] = 1; });
}

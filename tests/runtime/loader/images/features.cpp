// What compilers put into shared objects beside code: thread-local variables, and initialisers, of
// which some are exported.
#include <cstdint>
#include <vector>

namespace {

thread_local std::vector<int64_t> values{1, 2};
const std::vector<int64_t> constants{3, 4};

}  // namespace

[[gnu::constructor]] void begin_of_image() {
  values.push_back(5);
}

[[gnu::destructor]] void end_of_image() {
  values.clear();
}

extern "C" void kernel_entry(int64_t* args) {
  values.push_back(constants[1]);
  args[0] = values.back();
}

/// The validator of images, which keeps the dynamic loader from what would crash it: any bytes must
/// be refused with a LoadError, or be an image whose symbols can be looked up.
#include <algorithm>
#include <span>
#include <string_view>

#include "runtime/loader/elf_image.hpp"
#include "runtime/loader/load_error.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

/// A symbol is exported only if the image has its name somewhere.
bool contains(std::span<const uint8_t> bytes, std::string_view name) {
  return std::search(bytes.begin(), bytes.end(), name.begin(), name.end()) != bytes.end();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::span bytes(data, size);
  try {
    const pto2::ElfImage image(std::as_bytes(bytes), "image");
    for (const char* name : {"a name that no symbol has", "kernel_entry"}) {
      pto2::fuzz::expect(!image.exports(name) || contains(bytes, name),
                         "exports what nobody defines");
    }
  } catch (const pto2::LoadError& error) {
    pto2::fuzz::expect(!error.problem().empty(), "refused without a word");
  }
  return 0;
}

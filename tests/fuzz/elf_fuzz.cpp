/// The validator of images, which keeps the dynamic loader from what would crash it: any bytes must
/// be refused with a LoadError, or be an image whose symbols can be looked up.
#include <span>

#include "runtime/loader/elf_image.hpp"
#include "runtime/loader/load_error.hpp"
#include "tests/fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  try {
    const pto2::ElfImage image(std::as_bytes(std::span(data, size)), "image");
    pto2::fuzz::expect(!image.exports("a name that no symbol has"), "exports what nobody defines");
    static_cast<void>(image.exports("kernel_entry"));
  } catch (const pto2::LoadError& error) {
    pto2::fuzz::expect(!error.problem().empty(), "refused without a word");
  }
  return 0;
}

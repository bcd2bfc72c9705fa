/// Segments and functions of an image that are not where the loader takes them to be.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/runtime/loader/damaged_images.hpp"

namespace pto2 {
namespace {

using test::Bytes;
using test::dynamic_value;
using test::expect_refused;
using test::image;
using test::offset_of;
using test::read;
using test::with_segment;
using test::write;

/// `bytes` with an edit of the symbol kernel_entry.
template <class Edit>
Bytes with_entry(Bytes bytes, Edit edit) {
  const uint64_t table = offset_of(bytes, dynamic_value(bytes, DT_SYMTAB));
  const uint64_t strings = offset_of(bytes, dynamic_value(bytes, DT_STRTAB));
  for (uint64_t at = table; at + sizeof(Elf64_Sym) <= strings; at += sizeof(Elf64_Sym)) {
    auto symbol = read<Elf64_Sym>(bytes, at);
    const auto* const name = reinterpret_cast<const char*>(bytes.data()) + strings + symbol.st_name;
    if (std::string_view(name) != "kernel_entry") continue;
    edit(symbol);
    write(bytes, at, symbol);
    return bytes;
  }
  ADD_FAILURE() << "no kernel_entry";
  return bytes;
}

bool has_entry(const Bytes& bytes) {
  return ElfImage(bytes, "edited.so").exports("kernel_entry");
}

/// The loader maps their part of the file all the same, and reserves as much as the last one needs.
TEST(ElfImage, segments_without_memory_lie_like_others) {
  const auto with_another = [](Elf64_Phdr other) {
    return with_segment(PT_GNU_STACK, [=](Elf64_Phdr& s) { s = other; });
  };
  constexpr uint64_t behind = 1 << 20;
  expect_refused(with_another({PT_LOAD, PF_R, 0x1000, behind, behind, 0x800, 0, 4096}),
                 "larger in the file");
  expect_refused(with_another({PT_LOAD, PF_R, 0, 0x1000, 0x1000, 0, 0, 4096}), "out of order");
  EXPECT_NO_THROW(ElfImage(
      with_another({PT_LOAD, PF_R, 0x1000, behind, behind, 0x800, 0x800, 4096}), "another.so"));
}

TEST(ElfImage, functions_of_others_are_in_the_code) {
  const Bytes whole = image("kernel_one");
  EXPECT_TRUE(has_entry(with_entry(whole, [](Elf64_Sym&) {})));
  const auto moved = [&](uint64_t address) {
    return with_entry(whole, [=](Elf64_Sym& s) { s.st_value = address; });
  };
  EXPECT_FALSE(has_entry(moved(dynamic_value(whole, DT_INIT_ARRAY))));
  EXPECT_FALSE(has_entry(moved(uint64_t{1} << 30)));
  uint64_t end = 0;  // of the first segment, which has the code
  (void)with_segment(PT_LOAD, [&](Elf64_Phdr& s) { end = s.p_vaddr + s.p_memsz; });
  EXPECT_TRUE(has_entry(moved(end - 1)));
  EXPECT_FALSE(has_entry(moved(end)));
  EXPECT_FALSE(has_entry(with_entry(whole, [](Elf64_Sym& s) { s.st_shndx = SHN_ABS; })));
  const auto as_variable = [](Elf64_Sym& s) { s.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT); };
  EXPECT_FALSE(has_entry(with_entry(whole, as_variable)));
}

/// The loader calls it while it relocates, and adds nothing to an absolute address.
TEST(ElfImage, indirect_functions_are_at_no_fixed_address) {
  const auto fixed = [](Elf64_Sym& s) { s.st_shndx = SHN_ABS; };
  expect_refused(with_entry(image("indirect"), fixed), "an indirect function at a fixed address");
}

}  // namespace
}  // namespace pto2

#include "runtime/loader/elf_image.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <random>

#include "tests/runtime/loader/damaged_images.hpp"

namespace pto2 {
namespace {

using test::Bytes;
using test::dynamic_value;
using test::edit_dynamic_entry;
using test::expect_refused;
using test::image;
using test::Images;
using test::offset_of;
using test::read;
using test::survives_loading;
using test::with_dynamic_entry;
using test::with_segment;
using test::write;

/// Applies `edit` to the first relocation for which `is_wanted`; none is said to be relative.
template <class Wanted, class Edit>
Bytes with_relocation(const std::string& name, Wanted is_wanted, Edit edit) {
  Bytes bytes = image(name);
  edit_dynamic_entry(bytes, DT_RELACOUNT, [](Elf64_Dyn& d) { d.d_un.d_val = 0; });
  const uint64_t table = offset_of(bytes, dynamic_value(bytes, DT_RELA));
  for (uint64_t at = 0; at < dynamic_value(bytes, DT_RELASZ); at += sizeof(Elf64_Rela)) {
    auto relocation = read<Elf64_Rela>(bytes, table + at);
    if (!is_wanted(relocation)) continue;
    edit(relocation);
    write(bytes, table + at, relocation);
    return bytes;
  }
  ADD_FAILURE() << "no such relocation in " << name;
  return bytes;
}

auto is_at(uint64_t address) {
  return [=](const Elf64_Rela& r) { return r.r_offset == address; };
}

auto is_of_type(uint32_t type) {
  return [=](const Elf64_Rela& r) { return ELF64_R_TYPE(r.r_info) == type; };
}

/// Another type, and the same symbol.
auto to_type(uint32_t type) {
  return [=](Elf64_Rela& r) { r.r_info = ELF64_R_INFO(ELF64_R_SYM(r.r_info), type); };
}

TEST(ElfImage, finds_exported_symbols_only) {
  const auto kernel = image("kernel_one");
  const ElfImage with(kernel, "kernel_one.so");
  EXPECT_TRUE(with.exports("kernel_entry"));
  EXPECT_FALSE(with.exports("kernel_entr"));
  EXPECT_FALSE(with.exports(""));
  EXPECT_FALSE(with.exports("__cxa_finalize"));  // named there, but defined elsewhere
  const auto none = image("no_symbols");
  EXPECT_FALSE(ElfImage(none, "no_symbols.so").exports("kernel_entry"));
  const auto variable = image("variable");
  EXPECT_FALSE(ElfImage(variable, "variable.so").exports("kernel_entry"));
  const auto indirect = image("indirect");
  EXPECT_TRUE(ElfImage(indirect, "indirect.so").exports("kernel_entry"));
}

TEST(ElfImage, refuses_every_cut) {
  const auto whole = image("kernel_one");
  for (uint64_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(ElfImage(std::span(whole).first(length), "cut.so"), LoadError) << length;
  }
}

TEST(ElfImage, needs_no_section_headers) {
  auto whole = image("kernel_one");
  auto header = read<Elf64_Ehdr>(whole, 0);
  uint64_t needed = 0;
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    const auto s = read<Elf64_Phdr>(whole, header.e_phoff + i * sizeof(Elf64_Phdr));
    needed = std::max(needed, s.p_offset + s.p_filesz);
  }
  ASSERT_LT(needed, whole.size());
  header.e_shoff = 0;
  header.e_shnum = 0;
  write(whole, 0, header);
  EXPECT_NO_THROW(ElfImage(std::span(whole).first(needed), "stripped.so"));
}

TEST(ElfImage, names_what_is_wrong_with_a_header) {
  const auto whole = image("kernel_one");
  auto header = read<Elf64_Ehdr>(whole, 0);
  const auto expect = [&](auto edit, const std::string& reason) {
    auto bytes = whole;
    Elf64_Ehdr edited = header;
    edit(edited);
    write(bytes, 0, edited);
    expect_refused(bytes, reason);
  };
  expect([](Elf64_Ehdr& h) { h.e_ident[1] = 'X'; }, "is not an ELF file");
  expect([](Elf64_Ehdr& h) { h.e_ident[EI_CLASS] = ELFCLASS32; }, "64-bit");
  expect([](Elf64_Ehdr& h) { h.e_ident[EI_DATA] = ELFDATA2MSB; }, "little-endian");
  expect([](Elf64_Ehdr& h) { h.e_machine = EM_AARCH64; }, "machine type 183, not x86-64");
  expect([](Elf64_Ehdr& h) { h.e_type = ET_EXEC; }, "is not a shared object");
  expect([](Elf64_Ehdr& h) { h.e_type = ET_REL; }, "is not a shared object");
  expect([](Elf64_Ehdr& h) { h.e_phoff = ~uint64_t{0} - 8; }, "past the end of the file");
  expect([](Elf64_Ehdr& h) { h.e_phnum = 0; }, "no usable program headers");
  expect([](Elf64_Ehdr& h) { h.e_phnum = 0x7fff; }, "past the end of the file");
  expect([](Elf64_Ehdr& h) { h.e_phentsize = 8; }, "no usable program headers");
}

TEST(ElfImage, names_what_is_wrong_with_a_segment) {
  const auto refused = [](uint32_t type, auto edit, const std::string& reason) {
    expect_refused(with_segment(type, edit), reason);
  };
  refused(
      PT_LOAD, [](Elf64_Phdr& s) { s.p_filesz = ~uint64_t{0}; }, "past the end of the file");
  refused(
      PT_LOAD, [](Elf64_Phdr& s) { s.p_offset = ~uint64_t{0} - 1; }, "past the end");
  refused(
      PT_LOAD, [](Elf64_Phdr& s) { s.p_memsz = s.p_filesz - 1; }, "larger in the file");
  refused(
      PT_LOAD, [](Elf64_Phdr& s) { s.p_memsz = ~uint64_t{0}; }, "4 GiB");
  refused(
      PT_LOAD, [](Elf64_Phdr& s) { s.p_vaddr = uint64_t{1} << 31; }, "overlap");
  refused(
      PT_LOAD, [](Elf64_Phdr& s) { s.p_align = 3; }, "aligned");
  refused(
      PT_LOAD, [](Elf64_Phdr& s) { s.p_vaddr += 8; }, "aligned");
  refused(
      PT_DYNAMIC, [](Elf64_Phdr& s) { s.p_type = PT_NULL; }, "no dynamic section");
  refused(
      PT_DYNAMIC, [](Elf64_Phdr& s) { s.p_vaddr = uint64_t{1} << 40; }, "dynamic section");
  refused(
      PT_DYNAMIC, [](Elf64_Phdr& s) { s.p_filesz = 32; }, "without an end mark");
}

/// The loader would take the code's right to run, or what it writes itself.
TEST(ElfImage, protects_data_alone) {
  const Bytes whole = image("kernel_one");
  const auto protects = [&](uint64_t address, uint64_t bytes) {
    return with_segment(
        PT_GNU_RELRO, [=](Elf64_Phdr& s) { s.p_vaddr = address, s.p_memsz = bytes; }, whole);
  };
  const std::string reason = "protects a range outside its data";
  expect_refused(protects(dynamic_value(whole, DT_INIT), 8), reason);
  expect_refused(protects(dynamic_value(whole, DT_SYMTAB), 8), reason);
  expect_refused(protects(uint64_t{1} << 40, 4096), reason);
  expect_refused(protects(dynamic_value(whole, DT_INIT_ARRAY), uint64_t{1} << 30), reason);
  EXPECT_NO_THROW(ElfImage(protects(uint64_t{1} << 40, 0), "nothing.so"));
}

/// What the loader reads of notes and of the table of segments is in memory.
TEST(ElfImage, names_what_is_wrong_with_a_segment_that_is_read) {
  const Bytes whole = image("kernel_one");
  const uint64_t bytes = read<Elf64_Ehdr>(whole, 0).e_phnum * sizeof(Elf64_Phdr);
  const auto instead_of_notes = [&](Elf64_Phdr other) {
    return with_segment(
        PT_NOTE, [=](Elf64_Phdr& s) { s = other; }, whole);
  };
  const Elf64_Nhdr note = {4, 16, NT_GNU_PROPERTY_TYPE_0};
  const uint64_t strings = dynamic_value(whole, DT_STRTAB);  // room for a note
  for (const uint32_t type : {PT_NOTE, PT_GNU_PROPERTY}) {
    Elf64_Phdr notes = {type, PF_R, offset_of(whole, strings), strings, strings, 32, 32, 8};
    const auto noted = [&](Elf64_Nhdr header) {
      Bytes edited = instead_of_notes(notes);
      write(edited, notes.p_offset, header);
      write(edited, notes.p_offset + sizeof header, std::array{'G', 'N', 'U', '\0'});
      return edited;
    };
    notes.p_memsz = uint64_t{1} << 40;
    expect_refused(noted(note), "a note lies outside");
    notes.p_memsz = 32;
    expect_refused(noted({4, 0x7ffffff8, NT_GNU_PROPERTY_TYPE_0}), "past the end of its notes");
    expect_refused(noted({0x7ffffff8, 16, NT_GNU_PROPERTY_TYPE_0}), "past the end of its notes");
  }
  const auto table = [&](uint64_t offset, uint64_t size) {
    return instead_of_notes({PT_PHDR, PF_R, offset, offset, offset, size, size, 8});
  };
  expect_refused(table(whole.size() / 2, 0), "table of segments");
  expect_refused(table(sizeof(Elf64_Ehdr) + 8, bytes), "table of segments");
  EXPECT_NO_THROW(ElfImage(table(sizeof(Elf64_Ehdr), bytes), "table.so"));
}

TEST(ElfImage, names_what_is_wrong_with_a_table) {
  const auto refused = [](int64_t tag, auto edit, const std::string& reason) {
    expect_refused(with_dynamic_entry(tag, edit), reason);
  };
  const auto far = [](Elf64_Dyn& d) { d.d_un.d_val = uint64_t{1} << 40; };
  const auto drop = [](Elf64_Dyn& d) { d.d_tag = DT_DEBUG; };
  refused(DT_STRTAB, far, "the string table lies outside");
  refused(DT_STRTAB, drop, "only one of the dynamic entries 5 and 10");
  refused(DT_RELAENT, drop, "only one of the dynamic entries 7 and 9");
  refused(DT_VERSYM, drop, "no version indices");
  refused(DT_RELACOUNT, far, "fewer relocations than it says");
  refused(
      DT_RELACOUNT, [](Elf64_Dyn& d) { ++d.d_un.d_val; }, "out of order");
  refused(DT_STRSZ, far, "the string table lies outside");
  refused(
      DT_STRSZ, [](Elf64_Dyn& d) { d.d_un.d_val = 2; }, "string table");
  refused(DT_SYMTAB, far, "the symbol table lies outside");
  refused(DT_SYMENT, far, "unknown size");
  refused(DT_GNU_HASH, far, "the symbol hash table lies outside");
  refused(DT_GNU_HASH, drop, "no symbol hash table");
  refused(DT_RELA, far, "a relocation table lies outside");
  refused(DT_RELASZ, far, "a relocation table lies outside");
  refused(DT_RELAENT, far, "unknown size");
  refused(DT_INIT, far, "an initialiser lies outside");
  refused(DT_INIT_ARRAY, far, "an initialiser array lies outside");
  refused(DT_NEEDED, far, "string outside");
  for (const int64_t tag : {DT_AUXILIARY, DT_FILTER}) {
    const auto filter = [tag](Elf64_Dyn& d) { d.d_tag = tag; };
    refused(DT_RELACOUNT, filter, "stands in for another library");
  }
  const auto half_an_entry_more = [](Elf64_Dyn& d) { d.d_un.d_val += 4; };
  for (const int64_t tag : {DT_RELASZ, DT_INIT_ARRAYSZ, DT_FINI_ARRAYSZ}) {
    refused(tag, half_an_entry_more, "in the middle of an entry");
  }
}

/// The loader follows the chains to their ends, and looks at no count.
TEST(ElfImage, names_what_is_wrong_with_its_versions) {
  const Bytes whole = image("kernel_one");
  const uint64_t needed = offset_of(whole, dynamic_value(whole, DT_VERNEED));
  const auto refused = [&](uint64_t count, auto edit, const std::string& reason) {
    Bytes bytes = whole;
    edit_dynamic_entry(bytes, DT_VERNEEDNUM, [=](Elf64_Dyn& d) { d.d_un.d_val = count; });
    edit(bytes);
    expect_refused(bytes, reason);
  };
  const auto far = [](int64_t tag) {
    return [=](Bytes& bytes) {
      edit_dynamic_entry(bytes, DT_VERNEEDNUM, [=](Elf64_Dyn& d) { d.d_tag += tag - DT_VERNEED; });
      edit_dynamic_entry(bytes, DT_VERNEED, [=](Elf64_Dyn& d) { d = {tag, {uint64_t{1} << 40}}; });
    };
  };
  for (const uint64_t count : {0, 1}) {
    refused(count, far(DT_VERNEED), "a needed version lies outside");
    refused(count, far(DT_VERDEF), "a defined version lies outside");
  }
  const auto as_it_is = [](Bytes&) {};
  for (const uint64_t count : {0, 100}) refused(count, as_it_is, "chain of needed versions");
  const auto of_library = [&](auto edit) {
    return [=](Bytes& bytes) {
      auto library = read<Elf64_Verneed>(bytes, needed);
      edit(library);
      write(bytes, needed, library);
    };
  };
  const uint64_t count = dynamic_value(whole, DT_VERNEEDNUM);
  refused(count, of_library([](Elf64_Verneed& v) { v.vn_cnt = 0; }), "chain of needed versions");
  const auto far_and_none = [](Elf64_Verneed& v) { v.vn_cnt = 0, v.vn_aux = 0x7fffffff; };
  refused(count, of_library(far_and_none), "a needed version lies outside");
}

/// kernel_one, with the version index `edit(i)` for each i.
template <class Edit>
Bytes with_version_indices(Edit edit) {
  Bytes bytes = image("kernel_one");
  const uint64_t begin = offset_of(bytes, dynamic_value(bytes, DT_VERSYM));
  uint64_t end = offset_of(bytes, dynamic_value(bytes, DT_VERNEED));
  if (const uint64_t defined = dynamic_value(bytes, DT_VERDEF); defined != 0) {
    end = std::min(end, offset_of(bytes, defined));
  }
  for (uint64_t at = begin; at + sizeof(uint16_t) <= end; at += sizeof(uint16_t)) {
    write(bytes, at, static_cast<uint16_t>(edit(read<uint16_t>(bytes, at))));
  }
  return bytes;
}

/// Without a table of versions the loader reads what even the index of all global symbols names.
TEST(ElfImage, needs_versions_for_indices) {
  const auto with_indices = [](uint16_t index) {
    Bytes bytes = with_version_indices([=](uint16_t) { return index; });
    for (const int64_t tag : {DT_VERNEED, DT_VERNEEDNUM, DT_VERDEF, DT_VERDEFNUM}) {
      edit_dynamic_entry(bytes, tag, [](Elf64_Dyn& d) { d.d_tag = DT_DEBUG; });
    }
    return bytes;
  };
  expect_refused(with_indices(1), "a symbol of an unknown version");
  EXPECT_NO_THROW(ElfImage(with_indices(0), "local.so"));
  EXPECT_TRUE(survives_loading({with_indices(0), with_indices(1)}));
}

/// The loader looks for another symbol of the name then, in libraries too.
TEST(ElfImage, exports_no_version_that_is_hidden) {
  const auto exports = [](uint16_t bit) {
    const Bytes bytes = with_version_indices([=](uint16_t index) { return index | bit; });
    return ElfImage(bytes, "versions.so").exports("kernel_entry");
  };
  EXPECT_TRUE(exports(0));
  EXPECT_FALSE(exports(0x8000));
}

/// What the loader calls is what it has relocated.
TEST(ElfImage, names_what_is_wrong_with_an_initialiser) {
  const Bytes whole = image("kernel_one");
  for (const int64_t tag : {DT_INIT_ARRAY, DT_FINI_ARRAY}) {
    const uint64_t array = dynamic_value(whole, tag);
    const auto refused = [&](auto edit, const std::string& reason) {
      expect_refused(with_relocation("kernel_one", is_at(array), edit), reason);
    };
    refused(to_type(R_X86_64_NONE), "an initialiser that is not relocated");
    refused(to_type(R_X86_64_GLOB_DAT), "type 6 for an initialiser");
    refused(to_type(R_X86_64_IRELATIVE), "type 37 for an initialiser");
    refused(to_type(R_X86_64_64), "an initialiser that is not defined");
    refused([](Elf64_Rela& r) { r.r_addend = 1 << 20; }, "an initialiser lies outside the code");
    refused([](Elf64_Rela& r) { r.r_offset += 4; }, "relocated twice, or in part");
    expect_refused(with_relocation("kernel_one", is_of_type(R_X86_64_GLOB_DAT),
                                   [&](Elf64_Rela& r) {
                                     r = {array, ELF64_R_INFO(0, R_X86_64_RELATIVE), 1 << 20};
                                   }),
                   "an initialiser");
  }
}

TEST(ElfImage, names_what_is_wrong_with_a_relocation) {
  const auto refused = [](uint32_t from, auto edit, const std::string& reason) {
    expect_refused(with_relocation("kernel_one", is_of_type(from), edit), reason);
  };
  for (const uint32_t type :
       {R_X86_64_DTPMOD64, R_X86_64_DTPOFF64, R_X86_64_TPOFF64, R_X86_64_TLSDESC}) {
    refused(R_X86_64_GLOB_DAT, to_type(type), "of a symbol that is not thread-local");
    refused(
        R_X86_64_GLOB_DAT, [=](Elf64_Rela& r) { r.r_info = ELF64_R_INFO(0, type); },
        "no thread-local segment");
  }
  for (const uint32_t type : {R_X86_64_RELATIVE, R_X86_64_IRELATIVE}) {
    refused(R_X86_64_GLOB_DAT, to_type(type), "names a symbol");
  }
  for (const uint32_t type : {R_X86_64_COPY, R_X86_64_PC32, 200}) {
    refused(R_X86_64_GLOB_DAT, to_type(type), "which shared objects do not have");
  }
}

TEST(ElfImage, accepts_what_compilers_link) {
  for (const char* name : {"features", "features_packed", "once"}) {
    const Bytes whole = image(name);
    EXPECT_TRUE(ElfImage(whole, name).exports("kernel_entry")) << name;
    EXPECT_TRUE(survives_loading({whole})) << name;
  }
}

TEST(ElfImage, needs_the_segment_of_its_thread_locals) {
  const Bytes whole = image("features");
  const auto edited = [&](auto edit) { return with_segment(PT_TLS, edit, whole); };
  const std::string lost = "no thread-local segment";
  expect_refused(edited([](Elf64_Phdr& s) { s.p_type = PT_NULL; }), lost);
  expect_refused(edited([](Elf64_Phdr& s) { s.p_memsz = s.p_filesz = 0; }), lost);
  for (const uint64_t align : {uint64_t{0}, uint64_t{24}, uint64_t{1} << 40}) {
    expect_refused(edited([=](Elf64_Phdr& s) { s.p_align = align; }), "damaged thread-local");
  }
}

/// kernel_one with `count` symbols without a name, all of one chain, which every bucket begins
/// with.
Bytes with_one_chain(uint32_t count) {
  const Bytes whole = image("kernel_one");
  constexpr uint64_t address = 1 << 20;
  const uint64_t hash_bytes = 16 + 8 + 8 * uint64_t{count};
  const uint64_t symbols_bytes = sizeof(Elf64_Sym) * (uint64_t{count} + 1);
  const uint64_t bytes = hash_bytes + symbols_bytes + 2 * (uint64_t{count} + 1);
  const uint64_t offset = (whole.size() + 4095) & ~uint64_t{4095};
  Bytes long_one = with_segment(PT_GNU_STACK, [=](Elf64_Phdr& s) {
    s = {PT_LOAD, PF_R, offset, address, address, bytes, bytes, 4096};
  });
  long_one.resize(offset + bytes);
  std::vector<uint32_t> words = {count, 1, 1, 0, 0, 0};  // buckets, first symbol, bloom filter
  words.resize(words.size() + count, 1);
  words.resize(words.size() + count, 0);
  words.back() = 1;  // the end of the chain
  std::memcpy(long_one.data() + offset, words.data(), hash_bytes);
  const auto move = [&](int64_t tag, uint64_t to) {
    edit_dynamic_entry(long_one, tag, [=](Elf64_Dyn& d) { d.d_un.d_val = address + to; });
  };
  move(DT_GNU_HASH, 0);
  move(DT_SYMTAB, hash_bytes);
  move(DT_VERSYM, hash_bytes + symbols_bytes);
  return long_one;
}

/// Its time grows with the file, not with the square of it.
TEST(ElfImage, checks_a_chain_of_many_buckets_once) {
  const Bytes bytes = with_one_chain(50'000);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(ElfImage(bytes, "chain.so").exports("kernel_entry"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

/// The loader would follow it for ever.
TEST(ElfImage, refuses_chains_of_the_older_hash_table_that_do_not_end) {
  const Bytes whole = image("kernel_hashed");
  EXPECT_TRUE(ElfImage(whole, "hashed.so").exports("kernel_entry"));
  const uint64_t table = offset_of(whole, dynamic_value(whole, DT_HASH));
  const auto buckets = read<uint32_t>(whole, table), chains = read<uint32_t>(whole, table + 4);
  ASSERT_GT(buckets, 1U);
  const auto set_word = [&](Bytes& bytes, uint64_t number, uint32_t symbol) {
    write(bytes, table + 8 + 4 * number, symbol);
  };
  Bytes bytes = whole;
  for (uint32_t s = 0; s < chains; ++s) set_word(bytes, uint64_t{buckets} + s, 1);
  expect_refused(bytes, "chains do not end");
  bytes = whole;
  set_word(bytes, 0, 1);
  set_word(bytes, uint64_t{buckets} + 1, 1);
  expect_refused(bytes, "chains do not end");
  // They end, but each has all symbols: that takes the square of the time.
  for (uint32_t b = 0; b < buckets; ++b) set_word(bytes, b, chains - 1);
  for (uint32_t s = 1; s < chains; ++s) set_word(bytes, uint64_t{buckets} + s, s - 1);
  expect_refused(bytes, "chains do not end");
}

/// The word of a packed relocation is in the file.
TEST(ElfImage, names_what_is_wrong_with_packed_relocations) {
  const Bytes whole = image("features_packed");
  const uint64_t table = dynamic_value(whole, DT_RELR);
  if (table == 0) GTEST_SKIP() << "the linker does not pack relocations";
  Bytes bytes = whole;
  const uint64_t array = dynamic_value(whole, DT_FINI_ARRAY);
  write(bytes, offset_of(whole, array), uint64_t{1} << 20);
  expect_refused(bytes, "an initialiser lies outside the code");
  bytes = whole;
  write(bytes, offset_of(whole, table), uint64_t{3});
  expect_refused(bytes, "relative relocations without an address");
  bytes = whole;
  edit_dynamic_entry(bytes, DT_RELRSZ, [](Elf64_Dyn& d) { d.d_un.d_val += 4; });
  expect_refused(bytes, "in the middle of an entry");
}

TEST(ElfImage, refuses_garbage) {
  std::mt19937_64 random(1);
  for (const size_t size : {1, 3, 63, 64, 65, 4096, 100000}) {
    std::vector<std::byte> bytes(size);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random()); });
    EXPECT_THROW(ElfImage(bytes, "garbage.so"), LoadError) << size;
    std::memcpy(bytes.data(), ELFMAG, std::min<size_t>(size, SELFMAG));
    EXPECT_THROW(ElfImage(bytes, "garbage.so"), LoadError) << size;
  }
}

TEST(ElfImage, damaged_bytes_are_refused_or_harmless_to_check) {
  const auto whole = image("kernel_one");
  std::mt19937_64 random(2);
  size_t refused = 0;
  for (int i = 0; i < 20000; ++i) {
    auto bytes = whole;
    bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    bytes[random() % 0x800] = static_cast<std::byte>(random());
    try {
      ElfImage(bytes, "damaged.so").exports("kernel_entry");
    } catch (const LoadError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(ElfImage, damaged_headers_do_not_crash_the_dynamic_loader) {
  const auto whole = image("kernel_one");
  const auto header = read<Elf64_Ehdr>(whole, 0);
  const uint64_t end = header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
  const auto damaged_at = [&](uint64_t at) {
    Images images;
    for (const unsigned flip : {0x01u, 0x80u}) {
      images.push_back(whole);
      images.back()[at] ^= static_cast<std::byte>(flip);
    }
    return images;
  };
  // A process takes long to copy, under ASan above all: one for many bytes, or each if it fails.
  constexpr uint64_t together = 32;
  for (uint64_t begin = 0; begin < end; begin += together) {
    Images images;
    for (uint64_t at = begin; at < std::min(begin + together, end); ++at) {
      std::ranges::move(damaged_at(at), std::back_inserter(images));
    }
    if (survives_loading(images)) continue;
    ADD_FAILURE() << "a damaged header among bytes " << begin << " to " << begin + together - 1;
    for (uint64_t at = begin; at < std::min(begin + together, end); ++at) {
      EXPECT_TRUE(survives_loading(damaged_at(at))) << "byte " << at;
    }
  }
}

}  // namespace
}  // namespace pto2

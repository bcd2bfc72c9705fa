#include "runtime/loader/elf_versions.hpp"

#include <algorithm>

namespace pto2 {
namespace {

constexpr uint16_t index_mask = 0x7fff;  // the top bit hides a symbol

void check_name(const ElfReader& reader, const ElfVersionTables& tables, uint64_t name) {
  if (name >= tables.strings_bytes) reader.fail("has a version name outside its string table");
}

/// The loader asserts that versions are needed from needed libraries only.
void check_library(const ElfReader& reader, const ElfVersionTables& tables, uint64_t name) {
  check_name(reader, tables, name);
  const auto text = [&](uint64_t at) { return reader.string_at(tables.strings_offset + at); };
  for (const uint64_t library : tables.libraries) {
    if (text(library) == text(name)) return;
  }
  reader.fail("needs a version of a library that it does not need");
}

/// Largest index among the needed versions.
uint16_t check_needed(const ElfReader& reader, const ElfVersionTables& tables) {
  uint16_t largest = 0;
  uint64_t address = *tables.needed;
  for (uint64_t i = 0; i < tables.needed_count.value_or(0); ++i) {
    const auto file = reader.at_address<Elf64_Verneed>(address, "a needed version");
    check_library(reader, tables, file.vn_file);
    uint64_t auxiliary = address + file.vn_aux;
    for (uint16_t j = 0; j < file.vn_cnt; ++j) {
      const auto version = reader.at_address<Elf64_Vernaux>(auxiliary, "a needed version");
      check_name(reader, tables, version.vna_name);
      largest = std::max<uint16_t>(largest, version.vna_other & index_mask);
      if ((version.vna_next == 0) != (j + 1 == file.vn_cnt)) {
        reader.fail("has a damaged chain of needed versions");
      }
      auxiliary += version.vna_next;
    }
    if ((file.vn_next == 0) != (i + 1 == *tables.needed_count)) {
      reader.fail("has a damaged chain of needed versions");
    }
    address += file.vn_next;
  }
  return largest;
}

/// Largest index among the defined versions.
uint16_t check_defined(const ElfReader& reader, const ElfVersionTables& tables) {
  uint16_t largest = 0;
  uint64_t address = *tables.defined;
  for (uint64_t i = 0; i < tables.defined_count.value_or(0); ++i) {
    const auto version = reader.at_address<Elf64_Verdef>(address, "a defined version");
    const auto name =
        reader.at_address<Elf64_Verdaux>(address + version.vd_aux, "a defined version");
    check_name(reader, tables, name.vda_name);
    largest = std::max<uint16_t>(largest, version.vd_ndx & index_mask);
    if ((version.vd_next == 0) != (i + 1 == *tables.defined_count)) {
      reader.fail("has a damaged chain of defined versions");
    }
    address += version.vd_next;
  }
  return largest;
}

}  // namespace

void check_versions(const ElfReader& reader, const ElfVersionTables& tables) {
  uint16_t largest = 1;  // 0 is local and 1 global; neither has a record
  if (tables.needed) largest = std::max(largest, check_needed(reader, tables));
  if (tables.defined) largest = std::max(largest, check_defined(reader, tables));
  if (!tables.indices) return;
  for (uint64_t i = 0; i < tables.symbol_count; ++i) {
    const auto index = reader.at_address<uint16_t>(*tables.indices + 2 * i, "a version index");
    if ((index & index_mask) > largest) reader.fail("has a symbol of an unknown version");
  }
}

}  // namespace pto2

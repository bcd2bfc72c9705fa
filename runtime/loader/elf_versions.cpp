#include "runtime/loader/elf_versions.hpp"

#include <algorithm>

namespace pto2 {
namespace {

constexpr uint16_t index_mask = 0x7fff;  // the top bit hides a symbol
constexpr const char* damaged_needed = "has a damaged chain of needed versions";

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

/// The loader goes from record to record until one names no next; it looks at no count. `number`:
/// of the record, from 1.
bool is_last(const ElfReader& reader, uint32_t next, uint64_t number, uint64_t count,
             const char* problem) {
  if ((next == 0) != (number == count)) reader.fail(problem);
  return next == 0;
}

/// Largest index among the versions that are needed of one library.
uint16_t check_needed_of(const ElfReader& reader, const ElfVersionTables& tables, uint64_t address,
                         uint16_t count) {
  uint16_t largest = 0;
  for (uint64_t number = 1;; ++number) {
    const auto version = reader.at_address<Elf64_Vernaux>(address, "a needed version");
    check_name(reader, tables, version.vna_name);
    largest = std::max<uint16_t>(largest, version.vna_other & index_mask);
    if (is_last(reader, version.vna_next, number, count, damaged_needed)) return largest;
    address += version.vna_next;
  }
}

/// Largest index among the needed versions.
uint16_t check_needed(const ElfReader& reader, const ElfVersionTables& tables) {
  uint16_t largest = 0;
  uint64_t address = *tables.needed;
  for (uint64_t number = 1;; ++number) {
    const auto file = reader.at_address<Elf64_Verneed>(address, "a needed version");
    check_library(reader, tables, file.vn_file);
    largest =
        std::max(largest, check_needed_of(reader, tables, address + file.vn_aux, file.vn_cnt));
    if (is_last(reader, file.vn_next, number, *tables.needed_count, damaged_needed)) return largest;
    address += file.vn_next;
  }
}

/// Largest index among the defined versions.
uint16_t check_defined(const ElfReader& reader, const ElfVersionTables& tables) {
  uint16_t largest = 0;
  uint64_t address = *tables.defined;
  for (uint64_t number = 1;; ++number) {
    const auto version = reader.at_address<Elf64_Verdef>(address, "a defined version");
    const auto name =
        reader.at_address<Elf64_Verdaux>(address + version.vd_aux, "a defined version");
    check_name(reader, tables, name.vda_name);
    largest = std::max<uint16_t>(largest, version.vd_ndx & index_mask);
    if (is_last(reader, version.vd_next, number, *tables.defined_count,
                "has a damaged chain of defined versions")) {
      return largest;
    }
    address += version.vd_next;
  }
}

}  // namespace

void check_versions(const ElfReader& reader, const ElfVersionTables& tables) {
  // There are no records of 0, local, and 1, global. Without any record the loader has no table: it
  // passes over 0 alone then.
  uint16_t largest = 0;
  if (tables.needed) largest = std::max(largest, check_needed(reader, tables));
  if (tables.defined) largest = std::max(largest, check_defined(reader, tables));
  if (!tables.indices) return;
  for (uint64_t i = 0; i < tables.symbol_count; ++i) {
    const auto index = reader.at_address<uint16_t>(*tables.indices + 2 * i, "a version index");
    if ((index & index_mask) > largest) reader.fail("has a symbol of an unknown version");
  }
}

}  // namespace pto2

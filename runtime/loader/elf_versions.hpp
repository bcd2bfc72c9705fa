#pragma once

#include <optional>

#include "runtime/loader/elf_reader.hpp"

namespace pto2 {

/// Where an image keeps its symbol versions, as its dynamic section says.
struct ElfVersionTables {
  std::optional<uint64_t> indices;  ///< DT_VERSYM, an address
  std::optional<uint64_t> needed;   ///< DT_VERNEED, an address
  std::optional<uint64_t> needed_count;
  std::optional<uint64_t> defined;  ///< DT_VERDEF, an address
  std::optional<uint64_t> defined_count;
  uint64_t symbol_count = 0;        ///< symbols that need an index
  uint64_t strings_offset = 0;      ///< file offset of the string table that names lie in
  uint64_t strings_bytes = 0;       ///< its size
  std::vector<uint64_t> libraries;  ///< names of the needed libraries, in the string table
};

/// Checks the version tables (Linux Standard Base, "Symbol Versioning"): every record lies in the
/// segments, every name in the string table, and every index names a record. Throws LoadError.
void check_versions(const ElfReader& reader, const ElfVersionTables& tables);

}  // namespace pto2

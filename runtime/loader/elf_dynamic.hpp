#pragma once

#include <optional>

#include "runtime/loader/elf_reader.hpp"

namespace pto2 {

/// The dynamic symbols of an image, by file offset, and where others are looked for. Each name is
/// known to end inside the string table.
struct ElfSymbols {
  uint64_t table_offset = 0;
  uint64_t first_hashed = 0;  ///< first symbol that can be looked up
  uint64_t count = 0;         ///< one past the last symbol that can be looked up
  uint64_t strings_offset = 0;
  std::optional<uint64_t> versions_offset;  ///< of their version indices
  bool is_beside_libraries = false;  ///< by $ORIGIN, where those that it needs are looked for
};

/// Checks the dynamic section `dynamic` and every table that it names. `has_thread_locals`: there
/// is a thread-local segment. Throws LoadError.
ElfSymbols check_dynamic_section(const ElfReader& reader, const Elf64_Phdr& dynamic,
                                 bool has_thread_locals);

}  // namespace pto2

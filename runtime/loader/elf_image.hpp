#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pto2 {

/// Bytes that have been found to be a well-formed ELF64 shared object for this machine.
///
/// The dynamic loader trusts the file it maps: a segment past the end of the file is a SIGBUS, a
/// table outside the segments a SIGSEGV. The constructor checks what the loader follows before it
/// runs code of the image: the headers, the file range and order of the segments, the dynamic
/// section, the string, symbol, hash, version and relocation tables, and that whatever it calls
/// lies in the code. It does not judge the code, nor what relocations give to it.
class ElfImage {
 public:
  /// Throws LoadError. `bytes` must outlive the image; `path` is only for messages.
  ElfImage(std::span<const std::byte> bytes, const std::string& path);

  /// True when the dynamic symbol table defines a function of this name for others, in the code.
  bool exports(std::string_view function) const;

  /// True when the libraries that it needs are looked for in a folder beside it, by $ORIGIN.
  bool is_beside_libraries() const { return is_beside_libraries_; }

 private:
  bool is_hidden(uint64_t symbol) const;
  bool is_in_code(const Elf64_Sym& symbol) const;

  std::span<const std::byte> bytes_;
  uint64_t symbols_offset_ = 0;       ///< file offset of the dynamic symbol table
  uint64_t first_hashed_symbol_ = 0;  ///< symbols before it are not defined here
  uint64_t symbol_count_ = 0;
  uint64_t strings_offset_ = 0;
  std::optional<uint64_t> versions_offset_;  ///< file offset of the version indices of the symbols
  bool is_beside_libraries_ = false;
  std::vector<Elf64_Phdr> code_;  ///< executable segments
};

}  // namespace pto2

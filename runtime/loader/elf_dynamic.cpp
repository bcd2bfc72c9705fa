#include "runtime/loader/elf_dynamic.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/loader/elf_versions.hpp"

namespace pto2 {
namespace {

/// Checks the tables of one image. Table formats: System V ABI, chapter 5 "Dynamic Linking"; the
/// GNU hash table as written by GNU ld.
class DynamicTables {
 public:
  DynamicTables(const ElfReader& reader, const Elf64_Phdr& dynamic, bool has_thread_locals)
      : reader_(reader), has_thread_locals_(has_thread_locals) {
    read_entries(dynamic);
    check_companions();
    check_strings();
    symbols_address_ = required(DT_SYMTAB, "symbol table");
    check_entry_size(DT_SYMENT, sizeof(Elf64_Sym));
    count_symbols();
    symbols_.table_offset = reader_.file_offset(
        symbols_address_, symbols_.count * sizeof(Elf64_Sym), "the symbol table");
    if (const auto indices = entry(DT_VERSYM)) {
      symbols_.versions_offset = reader_.file_offset(
          *indices, symbols_.count * sizeof(Elf64_Versym), "the table of version indices");
    }
    for (uint64_t i = 0; i < symbols_.count; ++i) check_symbol(i);
    find_initialisers();
    check_relocations();
    check_relative_relocations();
    check_initialisers();
    check_versions(reader_,
                   ElfVersionTables{entry(DT_VERSYM), entry(DT_VERNEED), entry(DT_VERNEEDNUM),
                                    entry(DT_VERDEF), entry(DT_VERDEFNUM), symbols_seen_,
                                    symbols_.strings_offset, strings_bytes_, needed_});
  }

  const ElfSymbols& symbols() const { return symbols_; }

 private:
  std::optional<uint64_t> entry(int64_t tag) const {
    const auto it = entries_.find(tag);
    return it == entries_.end() ? std::nullopt : std::optional(it->second);
  }

  uint64_t required(int64_t tag, const char* what) const {
    const auto value = entry(tag);
    if (!value) reader_.fail(std::string("has no dynamic ") + what);
    return *value;
  }

  void check_entry_size(int64_t tag, uint64_t size) const {
    if (entry(tag).value_or(size) != size) reader_.fail("has table entries of an unknown size");
  }

  void read_entries(const Elf64_Phdr& dynamic) {
    const Elf64_Phdr* segment = reader_.find_segment(dynamic.p_vaddr, dynamic.p_filesz);
    // The loader relocates the entries in place and reads until the end mark, whatever the size.
    if (segment == nullptr || (segment->p_flags & PF_W) == 0) {
      reader_.fail("has its dynamic section outside the writable segments");
    }
    const uint64_t offset =
        reader_.file_offset(dynamic.p_vaddr, dynamic.p_filesz, "the dynamic section");
    for (uint64_t i = 0; i < dynamic.p_filesz / sizeof(Elf64_Dyn); ++i) {
      const auto d = reader_.at<Elf64_Dyn>(offset + i * sizeof(Elf64_Dyn), "the dynamic section");
      if (d.d_tag == DT_NULL) return;
      if (d.d_tag == DT_NEEDED) needed_.push_back(d.d_un.d_val);
      if (d.d_tag == DT_AUXILIARY || d.d_tag == DT_FILTER) {
        reader_.fail("stands in for another library", "link it without the options -f and -F");
      }
      entries_[d.d_tag] = d.d_un.d_val;
    }
    reader_.fail("has a dynamic section without an end mark");
  }

  /// The loader takes the presence of one of these as proof of the other.
  void check_companions() const {
    constexpr std::pair<int64_t, int64_t> pairs[] = {{DT_RELA, DT_RELASZ},
                                                     {DT_RELA, DT_RELAENT},
                                                     {DT_JMPREL, DT_PLTRELSZ},
                                                     {DT_JMPREL, DT_PLTREL},
                                                     {DT_RELR, DT_RELRSZ},
                                                     {DT_RELR, DT_RELRENT},
                                                     {DT_SYMTAB, DT_SYMENT},
                                                     {DT_STRTAB, DT_STRSZ},
                                                     {DT_VERNEED, DT_VERNEEDNUM},
                                                     {DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                                                     {DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
                                                     {DT_VERDEF, DT_VERDEFNUM}};
    for (const auto& [table, companion] : pairs) {
      if (entry(table).has_value() != entry(companion).has_value()) {
        reader_.fail("has only one of the dynamic entries " + std::to_string(table) + " and " +
                     std::to_string(companion));
      }
    }
    if ((entry(DT_VERNEED) || entry(DT_VERDEF)) && !entry(DT_VERSYM)) {
      reader_.fail("has versions but no version indices");
    }
  }

  void check_strings() {
    const uint64_t address = required(DT_STRTAB, "string table");
    strings_bytes_ = required(DT_STRSZ, "string table size");
    if (strings_bytes_ == 0) reader_.fail("has an empty dynamic string table");
    symbols_.strings_offset = reader_.file_offset(address, strings_bytes_, "the string table");
    if (reader_.byte_at(symbols_.strings_offset + strings_bytes_ - 1) != std::byte{0}) {
      reader_.fail("has a dynamic string table that does not end");
    }
    for (const int64_t tag : {DT_SONAME, DT_RPATH, DT_RUNPATH}) {
      if (const auto reference = entry(tag)) check_string(*reference);
    }
    for (const uint64_t reference : needed_) check_string(reference);
    for (const int64_t tag : {DT_RPATH, DT_RUNPATH}) {
      const auto folders = entry(tag);
      if (!folders) continue;
      const std::string_view text = reader_.string_at(symbols_.strings_offset + *folders);
      for (const char* here : {"$ORIGIN", "${ORIGIN}"}) {
        symbols_.is_beside_libraries |= text.find(here) != text.npos;
      }
    }
  }

  void check_string(uint64_t reference) const {
    if (reference >= strings_bytes_) reader_.fail("names a string outside its string table");
  }

  Elf64_Sym check_symbol(uint64_t index) {
    const uint64_t offset = index * sizeof(Elf64_Sym);
    const auto symbol =
        reader_.at_address<Elf64_Sym>(symbols_address_ + offset, "a dynamic symbol");
    check_string(symbol.st_name);
    symbols_seen_ = std::max(symbols_seen_, index + 1);
    // The loader would take a hidden one for defined here, at address 0.
    if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_VISIBILITY(symbol.st_other) != STV_DEFAULT) {
      reader_.fail("has a hidden symbol that is not defined");
    }
    // An indirect function is called while the image is relocated.
    if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC && symbol.st_shndx != SHN_UNDEF) {
      if (symbol.st_shndx == SHN_ABS) reader_.fail("has an indirect function at a fixed address");
      check_code(symbol.st_value, "an indirect function");
    }
    return symbol;
  }

  void count_symbols() {
    if (const auto table = entry(DT_GNU_HASH)) {
      count_gnu_hash(*table);
    } else if (const auto plain = entry(DT_HASH)) {
      count_hash(*plain);
    } else {
      reader_.fail("has no symbol hash table");
    }
  }

  uint32_t word(uint64_t address) const {
    return reader_.at_address<uint32_t>(address, "the symbol hash table");
  }

  void count_hash(uint64_t table) {
    const uint64_t buckets = word(table);
    const uint64_t chains = word(table + 4);
    if (buckets == 0) reader_.fail("has a symbol hash table without buckets");
    reader_.file_offset(table, 8 + 4 * (buckets + chains), "the symbol hash table");
    for (uint64_t i = 0; i < buckets + chains; ++i) {
      if (word(table + 8 + 4 * i) >= chains) reader_.fail("has a damaged symbol hash table");
    }
    check_chains(table + 8, buckets, chains);
    symbols_.count = chains;
  }

  /// The loader follows a chain until it ends. A symbol is in one of them at most.
  void check_chains(uint64_t bucket_table, uint64_t buckets, uint64_t chains) const {
    uint64_t followed = 0;
    for (uint64_t b = 0; b < buckets; ++b) {
      uint64_t symbol = word(bucket_table + 4 * b);
      for (; symbol != STN_UNDEF; symbol = word(bucket_table + 4 * (buckets + symbol))) {
        if (++followed >= chains) reader_.fail("has a symbol hash table whose chains do not end");
      }
    }
  }

  void count_gnu_hash(uint64_t table) {
    const uint64_t buckets = word(table);
    const uint64_t first = word(table + 4);
    const uint64_t bloom_words = word(table + 8);
    // The loader divides by the bucket count and asserts the power of two.
    if (buckets == 0 || !std::has_single_bit(bloom_words) || word(table + 12) >= 64) {
      reader_.fail("has a damaged symbol hash table");
    }
    const uint64_t bucket_table = table + 16 + 8 * bloom_words;
    const uint64_t chain_table = bucket_table + 4 * buckets;
    reader_.file_offset(table, chain_table - table, "the symbol hash table");
    uint64_t last = 0;
    for (uint64_t b = 0; b < buckets; ++b) {
      const uint64_t symbol = word(bucket_table + 4 * b);
      if (symbol == 0) continue;
      if (symbol < first) reader_.fail("has a damaged symbol hash table");
      last = std::max(last, symbol);
    }
    // With no symbol hashed, the first index says nothing about how many there are.
    if (last == 0) return;
    // A chain goes on until it is marked, so that none ends behind that of the last bucket.
    while ((word(chain_table + 4 * (last - first)) & 1) == 0) ++last;
    symbols_.first_hashed = first;
    symbols_.count = last + 1;
    reader_.file_offset(chain_table, 4 * (symbols_.count - first), "the symbol hash table");
  }

  void check_relocations() {
    if (entry(DT_REL)) reader_.fail("has relocations without addends");
    check_entry_size(DT_RELAENT, sizeof(Elf64_Rela));
    if (const auto table = entry(DT_RELA)) {
      check_relocation_table(*table, required(DT_RELASZ, "relocation table size"),
                             entry(DT_RELACOUNT).value_or(0));
    }
    if (const auto table = entry(DT_JMPREL)) {
      if (required(DT_PLTREL, "relocation kind") != DT_RELA) {
        reader_.fail("has relocations without addends");
      }
      check_relocation_table(*table, required(DT_PLTRELSZ, "relocation table size"), 0);
    }
  }

  /// How many entries a table has. The loader reads one that only begins inside, too.
  uint64_t entries_in(uint64_t bytes, uint64_t entry_bytes) const {
    if (bytes % entry_bytes != 0) reader_.fail("has a table that ends in the middle of an entry");
    return bytes / entry_bytes;
  }

  /// The loader asserts that the first `relative_count` only add the load address.
  void check_relocation_table(uint64_t address, uint64_t bytes, uint64_t relative_count) {
    const uint64_t offset = reader_.file_offset(address, bytes, "a relocation table");
    const uint64_t count = entries_in(bytes, sizeof(Elf64_Rela));
    if (relative_count > count) reader_.fail("has fewer relocations than it says");
    for (uint64_t i = 0; i < count; ++i) {
      const auto r = reader_.at<Elf64_Rela>(offset + i * sizeof(Elf64_Rela), "a relocation");
      if (i < relative_count && ELF64_R_TYPE(r.r_info) != R_X86_64_RELATIVE) {
        reader_.fail("has relocations out of order");
      }
      check_relocation(r);
    }
  }

  void check_relocation(const Elf64_Rela& r) {
    const auto type = ELF64_R_TYPE(r.r_info);
    if (type == R_X86_64_NONE) return;
    // A thread-local descriptor is two words.
    const uint64_t bytes = type == R_X86_64_TLSDESC ? 16 : 8;
    check_writable(r.r_offset, bytes);
    const uint64_t index = ELF64_R_SYM(r.r_info);
    const Elf64_Sym symbol = check_symbol(index);
    switch (type) {
      case R_X86_64_64:
      case R_X86_64_GLOB_DAT:
      case R_X86_64_JUMP_SLOT:
        break;
      case R_X86_64_RELATIVE:
      case R_X86_64_IRELATIVE:
        if (index != 0) reader_.fail("has a relocation of an address that names a symbol");
        break;
      case R_X86_64_DTPMOD64:
      case R_X86_64_DTPOFF64:
      case R_X86_64_TPOFF64:
      case R_X86_64_TLSDESC:
        check_thread_local(symbol);
        break;
      default:
        reader_.fail("has a relocation of type " + std::to_string(type) +
                     ", which shared objects do not have");
    }
    if (type == R_X86_64_IRELATIVE) {
      check_code(static_cast<uint64_t>(r.r_addend), "an indirect function");
    }
    if (meets_initialisers(r.r_offset, bytes)) check_initialiser(r, symbol);
  }

  /// The loader divides by the alignment of the segment that a variable is in. A symbol that is not
  /// local may be of another image, libstdc++'s for one.
  void check_thread_local(const Elf64_Sym& symbol) const {
    const bool is_local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
    if (!is_local && ELF64_ST_TYPE(symbol.st_info) != STT_TLS) {
      reader_.fail("has a thread-local relocation of a symbol that is not thread-local");
    }
    const bool is_elsewhere = !is_local && symbol.st_shndx == SHN_UNDEF;
    if (!is_elsewhere && !has_thread_locals_) {
      reader_.fail("has a thread-local relocation but no thread-local segment");
    }
  }

  /// What the loader calls without a look: each word of the two arrays is written, once, by a
  /// relocation whose value is in the code.
  void check_initialiser(const Elf64_Rela& r, const Elf64_Sym& symbol) {
    uint64_t value = static_cast<uint64_t>(r.r_addend);
    const auto type = ELF64_R_TYPE(r.r_info);
    if (type == R_X86_64_64) {
      const bool is_here = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS;
      if (!is_here) reader_.fail("has an initialiser that is not defined");
      value += symbol.st_value;
    } else if (type != R_X86_64_RELATIVE) {
      reader_.fail("has a relocation of type " + std::to_string(type) + " for an initialiser");
    }
    take_initialiser(r.r_offset, value);
  }

  void take_initialiser(uint64_t slot, uint64_t value) {
    check_code(value, "an initialiser");
    if (initialisers_.erase(slot) == 0) {
      reader_.fail("has an initialiser that is relocated twice, or in part");
    }
  }

  bool meets_initialisers(uint64_t address, uint64_t bytes) const {
    return std::ranges::any_of(initialiser_arrays_, [&](const Range& array) {
      return address < array.end && array.begin < address + bytes;
    });
  }

  /// DT_RELR: an even word names an address, an odd one marks which of the 63 words behind it.
  void check_relative_relocations() {
    const auto table = entry(DT_RELR);
    if (!table) return;
    check_entry_size(DT_RELRENT, 8);
    const uint64_t bytes = required(DT_RELRSZ, "relative relocation table size");
    const uint64_t words = entries_in(bytes, 8);
    reader_.file_offset(*table, bytes, "the relative relocation table");
    uint64_t next = 0;
    for (uint64_t i = 0; i < words; ++i) {
      const auto value = reader_.at_address<uint64_t>(*table + 8 * i, "a relative relocation");
      if ((value & 1) == 0) {
        check_relative_relocation(value);
        next = value + 8;
        continue;
      }
      if (i == 0) reader_.fail("has relative relocations without an address");
      for (uint64_t bit = 1; bit < 64; ++bit) {
        if ((value >> bit & 1) != 0) check_relative_relocation(next + 8 * (bit - 1));
      }
      next += 63 * 8;
    }
  }

  /// The load address is added to what the file has there.
  void check_relative_relocation(uint64_t address) {
    check_writable(address, 8);
    if (!meets_initialisers(address, 8)) return;
    take_initialiser(address, reader_.at_address<uint64_t>(address, "an initialiser"));
  }

  void check_writable(uint64_t address, uint64_t bytes) const {
    const Elf64_Phdr* segment = reader_.find_segment(address, bytes);
    if (segment == nullptr) reader_.fail("has a relocation outside its segments");
    if ((segment->p_flags & PF_W) == 0) {
      reader_.fail("has a relocation in read-only memory", "compile it with -fPIC");
    }
  }

  void check_code(uint64_t address, const char* what) const {
    const Elf64_Phdr* segment = reader_.find_segment(address, 1);
    if (segment == nullptr || (segment->p_flags & PF_X) == 0) {
      reader_.fail(std::string(what) + " lies outside the code");
    }
  }

  void find_initialisers() {
    for (const int64_t tag : {DT_INIT, DT_FINI}) {
      if (const auto address = entry(tag)) check_code(*address, "an initialiser");
    }
    find_array(DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
    find_array(DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
  }

  void find_array(int64_t table_tag, int64_t size_tag) {
    const auto table = entry(table_tag);
    if (!table) return;
    const uint64_t bytes = required(size_tag, "initialiser count");
    reader_.file_offset(*table, bytes, "an initialiser array");
    const uint64_t count = entries_in(bytes, 8);
    for (uint64_t i = 0; i < count; ++i) initialisers_.insert(*table + 8 * i);
    initialiser_arrays_.push_back({*table, *table + bytes});
  }

  void check_initialisers() const {
    if (!initialisers_.empty()) reader_.fail("has an initialiser that is not relocated");
  }

  struct Range {
    uint64_t begin;
    uint64_t end;
  };

  const ElfReader& reader_;
  const bool has_thread_locals_;
  std::map<int64_t, uint64_t> entries_;
  std::vector<uint64_t> needed_;  ///< names of libraries, in the string table
  std::vector<Range> initialiser_arrays_;
  std::set<uint64_t> initialisers_;  ///< their words that nothing has relocated yet
  uint64_t symbols_address_ = 0;
  uint64_t strings_bytes_ = 0;
  uint64_t symbols_seen_ = 0;  ///< one past the largest symbol index that is used
  ElfSymbols symbols_;
};

}  // namespace

ElfSymbols check_dynamic_section(const ElfReader& reader, const Elf64_Phdr& dynamic,
                                 bool has_thread_locals) {
  return DynamicTables(reader, dynamic, has_thread_locals).symbols();
}

}  // namespace pto2

#include "runtime/loader/elf_image.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "runtime/loader/elf_dynamic.hpp"
#include "runtime/loader/elf_reader.hpp"

namespace pto2 {
namespace {

constexpr uint64_t page_bytes = 4096;
// Far above any real image, far below what would exhaust the address space.
constexpr uint64_t max_image_span = uint64_t{1} << 32;

uint64_t page_end(const Elf64_Phdr& s) {
  return (s.p_vaddr + s.p_memsz + page_bytes - 1) & ~(page_bytes - 1);
}

#if defined(__x86_64__)
constexpr uint16_t host_machine = EM_X86_64;
constexpr const char* host_machine_name = "x86-64";
#else
#error "the relocation checks know x86-64 only"
#endif

Elf64_Ehdr check_header(const ElfReader& reader) {
  if (reader.size() < sizeof(Elf64_Ehdr)) {
    reader.fail("has " + std::to_string(reader.size()) + " bytes, too few for an ELF header");
  }
  const auto header = reader.at<Elf64_Ehdr>(0, "the ELF header");
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    reader.fail("is not an ELF file", "name a shared object, not a source or an archive");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    reader.fail("is not a 64-bit little-endian ELF file", "build it for this machine");
  }
  if (header.e_machine != host_machine) {
    reader.fail("is built for machine type " + std::to_string(header.e_machine) + ", not " +
                    host_machine_name,
                "build it for this machine; device binaries do not run on simulated cores");
  }
  if (header.e_type != ET_DYN) {
    reader.fail("is not a shared object (ELF type " + std::to_string(header.e_type) + ")",
                "link it with -shared");
  }
  const unsigned char abi = header.e_ident[EI_OSABI];
  if (header.e_ident[EI_VERSION] != EV_CURRENT || header.e_version != EV_CURRENT ||
      (abi != ELFOSABI_SYSV && abi != ELFOSABI_GNU) || header.e_ehsize != sizeof(Elf64_Ehdr)) {
    reader.fail("has an ELF header of an unknown version or system");
  }
  if (header.e_phnum == 0 || header.e_phnum == PN_XNUM ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    reader.fail("has no usable program headers");
  }
  reader.require_file_range(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr),
                            "the program header table");
  // Nothing here reads it, but linkers put it last: a file that was cut lacks some of it.
  if (header.e_shoff != 0) {
    reader.require_file_range(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr),
                              "the section header table");
  }
  return header;
}

/// Loadable segments must ascend without sharing a page: the loader maps them at fixed addresses.
void check_loadable(const ElfReader& reader, const Elf64_Phdr& s) {
  if (s.p_memsz < s.p_filesz) reader.fail("has a segment larger in the file than in memory");
  if (s.p_vaddr > max_image_span || s.p_memsz > max_image_span - s.p_vaddr) {
    reader.fail("has a segment past 4 GiB of address space");
  }
  // The loader would clear the rest of the last page, code or constants included.
  if ((s.p_flags & PF_W) == 0 && s.p_memsz != s.p_filesz) {
    reader.fail("has a read-only segment that is cut short");
  }
  const uint64_t align = s.p_align;
  if (!std::has_single_bit(align) || align < page_bytes ||
      ((s.p_vaddr - s.p_offset) & (align - 1)) != 0) {
    reader.fail("has a segment whose address and file offset are not aligned alike");
  }
  if (reader.segments().empty()) return;
  const Elf64_Phdr& before = reader.segments().back();
  if ((s.p_vaddr & ~(page_bytes - 1)) < page_end(before)) {
    reader.fail("has loadable segments that overlap or are out of order");
  }
}

/// Collects the loadable segments and returns the dynamic one.
Elf64_Phdr check_segments(ElfReader& reader, const Elf64_Ehdr& header) {
  Elf64_Phdr dynamic{};
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    const auto segment =
        reader.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr), "a program header");
    if (segment.p_type == PT_NULL) continue;
    reader.require_file_range(segment.p_offset, segment.p_filesz, "a segment");
    // Without memory, too: the loader maps what the file has of it, and reserves up to the last.
    if (segment.p_type == PT_LOAD) {
      check_loadable(reader, segment);
      reader.add_segment(segment);
    }
    if (segment.p_type == PT_DYNAMIC) dynamic = segment;
  }
  if (reader.segments().empty()) reader.fail("has no loadable segment");
  if (dynamic.p_type != PT_DYNAMIC) {
    reader.fail("has no dynamic section", "link it with -shared, not -static");
  }
  return dynamic;
}

/// The loader makes this range read-only; past its segment that would be memory of others, and code
/// would not run any more.
void check_read_only_range(const ElfReader& reader, const Elf64_Phdr& range) {
  if (range.p_memsz == 0) return;
  const Elf64_Phdr* s = reader.find_segment(range.p_vaddr, 1);
  if (s == nullptr || (s->p_flags & (PF_W | PF_X)) != PF_W ||
      range.p_memsz > page_end(*s) - range.p_vaddr) {
    reader.fail("protects a range outside its data");
  }
}

/// The loader passes over one without bytes. By the alignment of others it divides, and it
/// allocates as much.
void check_thread_locals(const ElfReader& reader, const Elf64_Phdr& s) {
  constexpr uint64_t max_align = uint64_t{1} << 21;
  const bool is_aligned =
      s.p_memsz == 0 || (std::has_single_bit(s.p_align) && s.p_align <= max_align);
  if (!is_aligned || s.p_memsz > max_image_span || s.p_memsz < s.p_filesz ||
      reader.find_segment(s.p_vaddr, s.p_filesz) == nullptr) {
    reader.fail("has a damaged thread-local segment");
  }
}

uint64_t in_words(uint64_t bytes) {
  return (bytes + 7) & ~uint64_t{7};
}

/// The loader looks for properties in notes that are aligned so, and does not look whether one ends
/// with its segment.
void check_notes(const ElfReader& reader, const Elf64_Phdr& s) {
  const uint64_t offset = reader.file_offset(s.p_vaddr, s.p_memsz, "a note");
  if (s.p_align != 8) return;
  for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) < s.p_memsz;) {
    const auto note = reader.at<Elf64_Nhdr>(offset + at, "a note");
    const uint64_t end = at + in_words(sizeof note + note.n_namesz) + note.n_descsz;
    if (end > s.p_memsz) reader.fail("has a note past the end of its notes");
    at = in_words(end);
  }
}

/// The loader goes by the table in the file, and leaves this one to unwinders.
void check_table_of_segments(const ElfReader& reader, const Elf64_Ehdr& header,
                             const Elf64_Phdr& s) {
  const uint64_t bytes = uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (reader.file_offset(s.p_vaddr, bytes, "its table of segments") != header.e_phoff) {
    reader.fail("has another table of segments in memory");
  }
}

/// Segments that the loader reads or protects in memory must lie in the loaded range.
void check_memory_of_others(const ElfReader& reader, const Elf64_Ehdr& header) {
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    const auto s =
        reader.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr), "a program header");
    if (s.p_type == PT_NOTE || s.p_type == PT_GNU_PROPERTY) check_notes(reader, s);
    if (s.p_type == PT_PHDR) check_table_of_segments(reader, header, s);
    if (s.p_type == PT_GNU_RELRO) check_read_only_range(reader, s);
    if (s.p_type == PT_TLS) check_thread_locals(reader, s);
  }
}

std::vector<Elf64_Phdr> code_of(const ElfReader& reader) {
  std::vector<Elf64_Phdr> code;
  std::ranges::copy_if(reader.segments(), std::back_inserter(code),
                       [](const Elf64_Phdr& s) { return (s.p_flags & PF_X) != 0; });
  return code;
}

bool has_thread_locals(const ElfReader& reader, const Elf64_Ehdr& header) {
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    const auto s =
        reader.at<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr), "a program header");
    if (s.p_type == PT_TLS && s.p_memsz != 0) return true;
  }
  return false;
}

/// Whether it is a function that other images may call. An indirect one says at run time which; one
/// in assembly is a label without a type, unless its author says more.
bool is_function_for_others(const Elf64_Sym& symbol) {
  if (symbol.st_shndx == SHN_UNDEF) return false;
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) return false;
  const unsigned bind = ELF64_ST_BIND(symbol.st_info);
  if (bind != STB_GLOBAL && bind != STB_WEAK && bind != STB_GNU_UNIQUE) return false;
  const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  return visibility == STV_DEFAULT || visibility == STV_PROTECTED;
}

}  // namespace

ElfImage::ElfImage(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes) {
  ElfReader reader(bytes, path);
  const Elf64_Ehdr header = check_header(reader);
  const Elf64_Phdr dynamic = check_segments(reader, header);
  check_memory_of_others(reader, header);
  const ElfSymbols symbols =
      check_dynamic_section(reader, dynamic, has_thread_locals(reader, header));
  symbols_offset_ = symbols.table_offset;
  first_hashed_symbol_ = symbols.first_hashed;
  symbol_count_ = symbols.count;
  strings_offset_ = symbols.strings_offset;
  versions_offset_ = symbols.versions_offset;
  is_beside_libraries_ = symbols.is_beside_libraries;
  code_ = code_of(reader);
}

bool ElfImage::exports(std::string_view function) const {
  for (uint64_t i = first_hashed_symbol_; i < symbol_count_; ++i) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, bytes_.data() + symbols_offset_ + i * sizeof symbol, sizeof symbol);
    if (!is_function_for_others(symbol) || is_hidden(i) || !is_in_code(symbol)) continue;
    const char* name =
        reinterpret_cast<const char*>(bytes_.data()) + strings_offset_ + symbol.st_name;
    // Names may be long, and share their ends.
    const bool begins = std::strncmp(name, function.data(), function.size()) == 0;
    if (begins && name[function.size()] == '\0') return true;
  }
  return false;
}

/// Not data, nor an absolute address, to which the loader adds nothing.
bool ElfImage::is_in_code(const Elf64_Sym& symbol) const {
  return symbol.st_shndx != SHN_ABS && std::ranges::any_of(code_, [&](const Elf64_Phdr& s) {
           return symbol.st_value >= s.p_vaddr && symbol.st_value - s.p_vaddr < s.p_memsz;
         });
}

/// A version that is only for images that were linked when it was the newest.
bool ElfImage::is_hidden(uint64_t symbol) const {
  if (!versions_offset_) return false;
  Elf64_Versym index;
  std::memcpy(&index, bytes_.data() + *versions_offset_ + symbol * sizeof index, sizeof index);
  return (index & 0x8000) != 0;
}

}  // namespace pto2

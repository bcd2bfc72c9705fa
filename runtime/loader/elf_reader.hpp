#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/loader/load_error.hpp"

namespace pto2 {

/// Bounds-checked access to the bytes of an ELF file, by file offset and, once the loadable
/// segments are known, by virtual address. Every access outside throws LoadError.
class ElfReader {
 public:
  /// `bytes` must outlive the reader; `path` is only for messages.
  ElfReader(std::span<const std::byte> bytes, std::string path)
      : bytes_(bytes), path_(std::move(path)) {}

  uint64_t size() const { return bytes_.size(); }

  /// Says that the file is damaged: `problem` is what was found.
  [[noreturn]] void fail(const std::string& problem,
                         const std::string& hint =
                             "build it again as a shared object (-fPIC "
                             "-shared); a copy may have been cut off") const {
    throw LoadError(path_, problem, hint);
  }

  /// Throws unless [offset, offset + length) lies in the file.
  void require_file_range(uint64_t offset, uint64_t length, const char* what) const {
    if (offset > size() || length > size() - offset) {
      fail(std::string(what) + " at byte " + std::to_string(offset) + " with " +
           std::to_string(length) + " bytes reaches past the end of the file (" +
           std::to_string(size()) + " bytes)");
    }
  }

  /// The structure at a file offset.
  template <class T>
  T at(uint64_t offset, const char* what) const {
    require_file_range(offset, sizeof(T), what);
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  /// The structure at a virtual address.
  template <class T>
  T at_address(uint64_t address, const char* what) const {
    return at<T>(file_offset(address, sizeof(T), what), what);
  }

  /// Records a loadable segment; its file range must have been checked.
  void add_segment(const Elf64_Phdr& segment) { segments_.push_back(segment); }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

  /// The segment whose memory holds [address, address + length), or nullptr.
  const Elf64_Phdr* find_segment(uint64_t address, uint64_t length) const {
    for (const Elf64_Phdr& s : segments_) {
      if (address >= s.p_vaddr && address - s.p_vaddr <= s.p_memsz &&
          length <= s.p_memsz - (address - s.p_vaddr)) {
        return &s;
      }
    }
    return nullptr;
  }

  /// The file offset of [address, address + length), which must be backed by the file.
  uint64_t file_offset(uint64_t address, uint64_t length, const char* what) const {
    const Elf64_Phdr* s = find_segment(address, length);
    if (s == nullptr || address - s->p_vaddr > s->p_filesz ||
        length > s->p_filesz - (address - s->p_vaddr)) {
      fail(std::string(what) + " lies outside the loadable segments");
    }
    return s->p_offset + (address - s->p_vaddr);
  }

  /// The NUL-terminated string at a file offset; the caller has checked that it ends.
  std::string_view string_at(uint64_t offset) const {
    return reinterpret_cast<const char*>(bytes_.data()) + offset;
  }

  std::byte byte_at(uint64_t offset) const { return bytes_[offset]; }

 private:
  std::span<const std::byte> bytes_;
  std::string path_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace pto2

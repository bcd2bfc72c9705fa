/// Shared objects with an edit that damages them.
#pragma once

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "runtime/loader/elf_image.hpp"
#include "runtime/loader/shared_object.hpp"
#include "tests/runtime/loader/test_images.hpp"

namespace pto2::test {

using Bytes = std::vector<std::byte>;
using Images = std::vector<Bytes>;

template <class T>
T read(const Bytes& bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
void write(Bytes& bytes, uint64_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// Applies `edit` to the first program header of `type`.
template <class Edit>
Bytes with_segment(uint32_t type, Edit edit, Bytes bytes = image("kernel_one")) {
  const auto header = read<Elf64_Ehdr>(bytes, 0);
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    const uint64_t offset = header.e_phoff + i * sizeof(Elf64_Phdr);
    auto segment = read<Elf64_Phdr>(bytes, offset);
    if (segment.p_type != type) continue;
    edit(segment);
    write(bytes, offset, segment);
    return bytes;
  }
  ADD_FAILURE() << "no segment of type " << type;
  return bytes;
}

/// Applies `edit` to the dynamic entry `tag`; false if there is none.
template <class Edit>
bool edit_dynamic_entry(Bytes& bytes, int64_t tag, Edit edit) {
  const auto header = read<Elf64_Ehdr>(bytes, 0);
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = read<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_DYNAMIC) continue;
    for (uint64_t at = segment.p_offset; at < segment.p_offset + segment.p_filesz;
         at += sizeof(Elf64_Dyn)) {
      auto entry = read<Elf64_Dyn>(bytes, at);
      if (entry.d_tag != tag) continue;
      edit(entry);
      write(bytes, at, entry);
      return true;
    }
  }
  return false;
}

template <class Edit>
Bytes with_dynamic_entry(int64_t tag, Edit edit) {
  Bytes bytes = image("kernel_one");
  EXPECT_TRUE(edit_dynamic_entry(bytes, tag, edit)) << "no dynamic entry " << tag;
  return bytes;
}

/// The value of the dynamic entry `tag`; 0 if there is none.
inline uint64_t dynamic_value(Bytes bytes, int64_t tag) {
  uint64_t value = 0;
  edit_dynamic_entry(bytes, tag, [&](const Elf64_Dyn& d) { value = d.d_un.d_val; });
  return value;
}

inline uint64_t offset_of(const Bytes& bytes, uint64_t address) {
  const auto header = read<Elf64_Ehdr>(bytes, 0);
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    const auto s = read<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (s.p_type != PT_LOAD || address < s.p_vaddr || address - s.p_vaddr >= s.p_filesz) continue;
    return s.p_offset + (address - s.p_vaddr);
  }
  ADD_FAILURE() << "address " << address << " is not in the file";
  return 0;
}

inline void expect_refused(const Bytes& bytes, const std::string& reason) {
  const std::string message = load_error([&] { ElfImage(bytes, "cut.so"); });
  EXPECT_NE(message.find(reason), std::string::npos) << message << "\nwithout: " << reason;
  EXPECT_TRUE(message.starts_with("cut.so: ")) << message;
}

/// True when a child process that validates and loads each of `images` ends by itself.
inline bool survives_loading(const Images& images) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const auto& bytes : images) {
      try {
        const SharedObject object = SharedObject::from_bytes(bytes, "damaged.so");
      } catch (const LoadError&) {
      }
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace pto2::test

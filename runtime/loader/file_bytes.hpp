#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pto2 {

/// Largest file that read_file_bytes() accepts, 1 GiB.
constexpr uint64_t max_image_bytes = uint64_t{1} << 30;

/// The whole content of a regular file of 1..max_image_bytes bytes. Throws LoadError for anything
/// else: a missing or unreadable file, a directory, a pipe or device, an empty or oversized file.
std::vector<std::byte> read_file_bytes(const std::string& path);

}  // namespace pto2

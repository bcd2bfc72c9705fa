#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pto2::workloads {

/// 64 bits that tell whether memory was changed: they differ for certain when one word of 8 bytes
/// does, and nearly so when several do. Reads as fast as memory does, for caches of 100 MiB and
/// more.
uint64_t digest(std::span<const std::byte> bytes);

}  // namespace pto2::workloads

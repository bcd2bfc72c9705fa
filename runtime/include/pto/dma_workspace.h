/// The memory that a DMA engine needs for its own ends: none here, since transfers are over when
/// their instruction returns. Kernels ask for it to see whether there is an engine.
#pragma once

#include <cstdint>

enum DmaWorkspace : uint32_t { DMA_WORKSPACE_SDMA };

inline uint8_t* get_dma_workspace(const int64_t*, DmaWorkspace) {
  static uint8_t unused[64];
  return unused;
}

/// Of transfers that go on beside the core. Here they are over when the instruction returns.
#pragma once

#include <cstdint>

namespace pto::comm {

enum class DmaEngine : uint8_t { SDMA, URMA, RDMA };

/// What transfers of one engine belong to: there is nothing to keep of it.
struct AsyncSession {
  bool valid = false;
};

/// A transfer.
struct AsyncEvent {
  uint64_t handle = 0;  ///< 0: there was none
  DmaEngine engine = DmaEngine::SDMA;

  [[nodiscard]] bool valid() const { return handle != 0; }
  /// Whether it is over, with all before it.
  bool Wait(const AsyncSession&) const { return valid(); }
  bool Test(const AsyncSession&) const { return valid(); }
};

namespace sdma {

inline constexpr int UB_ALIGN_SIZE = 256;
inline constexpr uint64_t kDefaultSdmaBlockBytes = 1 << 20;
inline constexpr uint32_t kAutoChannelGroupIdx = ~uint32_t{0};

/// How a transfer is cut up, which nobody sees here.
struct SdmaBaseConfig {
  uint64_t block_bytes = kDefaultSdmaBlockBytes;
  uint64_t comm_block_offset = 0;
  uint32_t queue_num = 1;
};

}  // namespace sdma

}  // namespace pto::comm

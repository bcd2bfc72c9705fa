/// Transfers that a task is not complete without. They are over when they are sent.
#pragma once

#include "pto/pto_async_kernel_api.h"

inline constexpr int SDMA_SCRATCH_ALIGNMENT = pto::comm::sdma::UB_ALIGN_SIZE;

/// dst = src, where src is another rank's.
template <class Dst, class Src>
struct SdmaGet {
  Dst dst;
  Src src;
};
template <class Dst, class Src, class ScratchTile>
SdmaGet<Dst, Src> SdmaTget(const Dst& dst, const Src& src, const ScratchTile&, uint8_t*) {
  return {dst, src};
}

template <class Dst, class Src>
void send_request_entry(const AsyncCtx&, const SdmaGet<Dst, Src>& get,
                        pto::detail::Site site = pto::detail::Site::here()) {
  if (!pto::comm::TGET_ASYNC(get.dst, get.src, {}, site).valid())
    pto::detail::fail(
        {"SdmaTget", PIPE_S, site},
        "transfers rows of contiguous elements: give both views the shape (1, 1, 1, 1, n) "
        "and a stride of 1");
}

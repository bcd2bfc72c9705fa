/// TPUT_ASYNC, TGET_ASYNC and TPREFETCH_ASYNC: what a DMA engine does beside the core. Here the
/// instruction has done it when it returns, so that no later wait is too early.
#pragma once

#include "pto/comm/put_get.hpp"

namespace pto {
namespace comm {
namespace detail {

/// Copies one contiguous row, or nothing. What is neither is not copied, and there is no event.
template <DmaEngine engine, class Dst, class Src>
AsyncEvent copy_row(const Use& use, const Dst& dst, const Src& src) {
  static_assert(std::is_same<typename Dst::RawDType, typename Src::RawDType>::value &&
                    Dst::layout == Src::layout,
                "both tensors have the same elements and layout");
  if (has_nothing(dst) && has_nothing(src)) return {1, engine};
  const View<Dst> to(dst);
  const View<Src> from(src);
  const int64_t size = from.cols.size();
  if (from.rows.size() != 1 || to.rows.size() != 1 || size != to.cols.size() ||
      !from.cols.is_contiguous() || !to.cols.is_contiguous())
    return {0, engine};
  pto::detail::check_view(use, "src", src);
  pto::detail::check_view(use, "dst", dst);
  if constexpr (pto::detail::checks_bounds) {
    if (to.data == nullptr || from.data == nullptr)
      pto::detail::fail(use, "a tensor has no address: give it one");
    pto::detail::check_tensor(use, "src", from.data, size - 1);
    pto::detail::check_tensor(use, "dst", to.data, size - 1);
  }
  pto::detail::Accesses accesses(use);
  accesses.reads_view(from, 1, pto::detail::as_size(size));
  accesses.writes_view(to, 1, pto::detail::as_size(size));
  std::memmove(to.data, from.data, static_cast<std::size_t>(size) * sizeof *to.data);
  return {1, engine};
}

}  // namespace detail

/// False: there is no workspace, which the host gives where it has the engine.
template <DmaEngine engine = DmaEngine::SDMA, class ScratchTile, class... Configuration>
bool BuildAsyncSession(ScratchTile&, uint8_t* workspace, AsyncSession& session, Configuration...) {
  session.valid = workspace != nullptr;
  return session.valid;
}

template <DmaEngine engine = DmaEngine::SDMA, class Dst, class Src>
AsyncEvent TPUT_ASYNC(const Dst& dst, const Src& src, const AsyncSession&,
                      detail::Site site = detail::Site::here()) {
  return detail::copy_row<engine>({"TPUT_ASYNC", PIPE_S, site, true}, dst, src);
}
template <DmaEngine engine = DmaEngine::SDMA, class Dst, class Src>
AsyncEvent TGET_ASYNC(const Dst& dst, const Src& src, const AsyncSession&,
                      detail::Site site = detail::Site::here()) {
  return detail::copy_row<engine>({"TGET_ASYNC", PIPE_S, site, true}, dst, src);
}

}  // namespace comm

/// Of TPREFETCH_ASYNC.
struct PrefetchAsyncContext {
  explicit PrefetchAsyncContext(uint8_t* workspace) { session.valid = workspace != nullptr; }
  comm::AsyncSession session;
};
/// Brings a tensor nearer to the core, which changes nothing here.
template <class Global>
comm::AsyncEvent TPREFETCH_ASYNC(const Global&, const PrefetchAsyncContext& context) {
  return {context.session.valid ? uint64_t{1} : 0, comm::DmaEngine::SDMA};
}

}  // namespace pto

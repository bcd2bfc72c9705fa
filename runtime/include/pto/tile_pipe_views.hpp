/// The slots of a TPipe as views: TALLOC, TPUSH, TPOP and TFREE of a GlobalTensor.
#pragma once

#include "pto/tile_pipe.hpp"

namespace pto {
namespace detail {

/// The FIFO that the core pushes to, or pops from.
template <bool Pushes, class Pipe>
auto& fifo_of_core(Pipe& pipe, const Use& use) {
  if constexpr (Pipe::direction == DIR_BOTH) {
    const bool is_cube = place_in_cluster(use).type == cube_core;
    return is_cube == Pushes ? pipe.template fifo<DIR_C2V>(use) : pipe.template fifo<DIR_V2C>(use);
  } else {
    return fifo_of_end<static_cast<Direction>(Pipe::direction), Pushes>(pipe, use);
  }
}

/// Where the core's part of an entry begins in its slot, in which the view has room.
template <TileSplitAxis Split, class Fifo, class Global>
int64_t part_offset(const Use& use, const Fifo& fifo, const PipeEnd& end, const Global& view) {
  constexpr int64_t element = sizeof(typename Global::RawDType);
  check_view(use, "the view", view);
  int64_t elements = 0;
  if (Split == TileSplitAxis::TILE_UP_DOWN)
    elements = int64_t{view.GetShape(3)} * view.GetStride(3);
  if (Split == TileSplitAxis::TILE_LEFT_RIGHT) elements = view.GetShape(4);
  const int64_t offset = end.offset_or(fifo.own() * elements * element);
  if constexpr (checks_bounds) {
    int64_t last = 0;
    for (int dim = 0; dim < 5; ++dim) last += (view.GetShape(dim) - 1) * view.GetStride(dim);
    check_in_slot(offset, (last + 1) * element, fifo.slot_bytes,
                  [&use](const std::string& what) { fail(use, "the view " + what); });
  }
  return offset;
}

template <class Global>
inline constexpr bool is_view = !is_tile_data_v<Global>;

}  // namespace detail

/// The next slot that is free; its content is written, and then pushed.
template <class Pipe, class Global, TileSplitAxis Split>
RecordEvent TALLOC(Pipe& pipe, Global& slot, detail::Site site = detail::Site::here()) {
  const detail::Use use{"TALLOC", PIPE_S, site};
  auto& fifo = detail::fifo_of_core<true>(pipe, use);
  const int64_t offset = detail::part_offset<Split>(use, fifo, pipe.prod, slot);
  std::byte* const begin = detail::wait_for_slot<Pipe::slot_count>(use, fifo, pipe.prod);
  slot.SetAddr(reinterpret_cast<typename Global::DType*>(begin + offset));
  ++pipe.prod.held;
  return {};
}
template <class Pipe, class Global, TileSplitAxis Split,
          std::enable_if_t<detail::is_view<Global>, long> = 0>
RecordEvent TPUSH(Pipe& pipe, Global&, detail::Site site = detail::Site::here()) {
  const detail::Use use{"TPUSH", PIPE_S, site};
  auto& fifo = detail::fifo_of_core<true>(pipe, use);
  if (pipe.prod.held == 0) detail::fail(use, "no slot is allocated: TALLOC one, and write it");
  --pipe.prod.held;
  pipe.prod.count();
  detail::count_one(fifo.counts.pushed[fifo.own()]);
  return {};
}

/// The next entry, which keeps its slot until TFREE.
template <class Pipe, class Global, TileSplitAxis Split,
          std::enable_if_t<detail::is_view<Global>, long> = 0>
RecordEvent TPOP(Pipe& pipe, Global& slot, detail::Site site = detail::Site::here()) {
  const detail::Use use{"TPOP", PIPE_S, site};
  auto& fifo = detail::fifo_of_core<false>(pipe, use);
  const int64_t offset = detail::part_offset<Split>(use, fifo, pipe.cons, slot);
  std::byte* const begin = detail::wait_for_entry(use, fifo, pipe.cons);
  slot.SetAddr(reinterpret_cast<typename Global::DType*>(begin + offset));
  ++pipe.cons.held;
  pipe.cons.count();
  return {};
}
template <class Pipe, class Global, TileSplitAxis Split,
          std::enable_if_t<detail::is_view<Global>, long> = 0>
RecordEvent TFREE(Pipe& pipe, Global&, detail::Site site = detail::Site::here()) {
  const detail::Use use{"TFREE", PIPE_S, site};
  auto& fifo = detail::fifo_of_core<false>(pipe, use);
  if (pipe.cons.held == 0) detail::fail(use, "no entry is popped that is not free: TPOP it first");
  --pipe.cons.held;
  detail::count_one(fifo.counts.popped[fifo.own()]);
  return {};
}

}  // namespace pto

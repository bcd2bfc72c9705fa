/// TPipe: a FIFO of tiles from the cube of a cluster to its vector cores, or from them to it, whose
/// kernels run at the same time. TPUSH, TPOP, TALLOC and TFREE.
///
/// Its entries lie in slots of global memory that the kernels are given, or that the runtime has if
/// they are given none. How many were pushed and popped is kept by the runtime, for each cluster,
/// flag and kind of pipe, so kernels that follow each other on a cluster go on where the former
/// ones have stopped. An entry is a matrix, row by row. All vector cores of the cluster take part:
/// of an entry from the cube each pops its part, or all of it, before its slot is free; an entry to
/// the cube is there once each has pushed.
#pragma once

#include "pto/pipes.hpp"
#include "pto/transfer.hpp"
#include "pto/waits.hpp"

// In C++17 who calls TPUSH<..>(pipe, tile) without a namespace finds that of the operands only if
// some template has the name; that of pto_kernel_api.h is none.
template <class>
void TPUSH() = delete;
template <class>
void TPOP() = delete;
template <class>
void TFREE() = delete;

namespace pto {

/// From the cube to the vector cores, from them to it, or two FIFOs. Whether the slots are in
/// global memory is said by their address.
enum Direction : uint8_t {
  DIR_C2V = 1,
  DIR_V2C = 2,
  DIR_BOTH = 3,
  DIR_C2V_GM = DIR_C2V,
  DIR_V2C_GM = DIR_V2C
};

/// What each of the two vector cores has of an entry.
enum class TileSplitAxis { TILE_NO_SPLIT, TILE_UP_DOWN, TILE_LEFT_RIGHT };

namespace detail {

/// The counters of a FIFO: of entries pushed and popped, by the vector cores on one side, and the
/// cube on the other, which has the first. In memory that the cores of a cluster share.
struct FifoCounts {
  uint64_t* pushed;
  uint64_t* popped;
  int pushers, poppers;

  static uint64_t least(const uint64_t* counts, int n) {
    uint64_t result = ~uint64_t{0};
    for (int i = 0; i < n; ++i) {
      const uint64_t count = __atomic_load_n(&counts[i], __ATOMIC_ACQUIRE);
      result = count < result ? count : result;
    }
    return result;
  }
  [[nodiscard]] uint64_t all_pushed() const { return least(pushed, pushers); }
  [[nodiscard]] uint64_t all_popped() const { return least(popped, poppers); }
};

/// One end of a pipe, as a kernel has it.
class PipeEnd {
 public:
  /// Where in its entries this core's part begins, in bytes, whatever the split says.
  void setEntryOffset(int64_t bytes) {
    offset_ = bytes;
    has_offset_ = true;
  }
  /// Entries that the kernel has pushed, or popped.
  [[nodiscard]] int getTileId() const { return count_; }

  [[nodiscard]] int64_t offset_or(int64_t otherwise) const {
    return has_offset_ ? offset_ : otherwise;
  }
  void count() { ++count_; }
  /// Entries that are allocated and not pushed, or popped and not freed.
  int held = 0;

 private:
  int64_t offset_ = 0;
  bool has_offset_ = false;
  int count_ = 0;
};

/// Where a kernel of a pipe runs.
inline PTOPlace place_in_cluster(const Use& use) {
  const int64_t* const args = running_args();
  const PTOPlace place = args == nullptr ? PTOPlace{-1, 0, 0, 0} : pto_place(args);
  if (place.cluster < 0)
    fail(use,
         "the kernel runs on no core of a cluster: submit it to a cluster, with those that it "
         "exchanges tiles with");
  return place;
}

inline constexpr int cube_core = 0;  // PTO2_WORKER_CUBE

}  // namespace detail

template <uint8_t FlagID, uint8_t DirType, uint32_t SlotSize, uint32_t SlotNum,
          uint32_t LocalSlotNum = 2, bool IsNoSplit = false, bool EnUnitFlag = false>
class TPipe {
 public:
  static_assert(SlotNum >= 1 && SlotNum < 65536 && LocalSlotNum >= 1, "a pipe has slots");
  static_assert(DirType == DIR_C2V || DirType == DIR_V2C || DirType == DIR_BOTH,
                "a pipe goes from cube to vector cores, from them to it, or both ways");

  /// `slots`: in global memory, those to the vector cores first; null: the runtime's. Popped tiles
  /// are put at `to_vector` in UB, or at `to_cube` in L1, and LocalSlotNum slots from there on.
  TPipe(void* slots, int64_t to_vector, int64_t to_cube)
      : slots_(static_cast<std::byte*>(slots)), buffers_{to_vector, to_cube} {}

  detail::PipeEnd prod, cons;

  static constexpr uint8_t direction = DirType;
  static constexpr uint32_t slot_count = SlotNum;

  /// One of its FIFOs, from the core that asks. What the cores share of it is looked up once.
  struct Fifo {
    detail::FifoCounts counts;
    std::byte* slots;
    int64_t slot_bytes;
    PTOPlace place;

    [[nodiscard]] int own() const { return place.type == detail::cube_core ? 0 : place.index; }
    [[nodiscard]] std::byte* slot(uint64_t entry) const {
      return slots + static_cast<int64_t>(entry % SlotNum) * slot_bytes;
    }
  };
  template <Direction Dir>
  Fifo& fifo(const detail::Use& use) {
    static_assert((DirType & Dir) != 0, "the pipe does not go that way");
    Fifo& fifo = fifos_[Dir == DIR_V2C];
    if (fifo.slots == nullptr) open<Dir>(use, fifo);
    return fifo;
  }
  /// Where the next tile that is popped is put.
  template <Direction Dir>
  [[nodiscard]] int64_t next_buffer() const {
    return buffers_[Dir == DIR_V2C] +
           int64_t{cons.getTileId() % static_cast<int>(LocalSlotNum)} * SlotSize;
  }

 private:
  template <Direction Dir>
  void open(const detail::Use& use, Fifo& fifo) {
    const PTOPlace place = detail::place_in_cluster(use);
    const int vectors = place.vectors;
    constexpr uint64_t key =
        FlagID | uint64_t{Dir} << 8 | uint64_t{SlotNum} << 16 | uint64_t{SlotSize} << 32;
    // Slots of the runtime hold the parts of all vector cores.
    const int64_t own_slot = int64_t{SlotSize} * vectors;
    const int64_t counters = (1 + vectors) * static_cast<int64_t>(sizeof(uint64_t)) / 64 * 64 + 64;
    const int64_t bytes = counters + (slots_ == nullptr ? own_slot * SlotNum : 0);
    auto* const shared = static_cast<std::byte*>(
        pto_share(detail::running_args(), place.cluster, key, static_cast<uint64_t>(bytes)));
    if (shared == nullptr) detail::fail(use, "there is no memory for the pipe");
    auto* const counts = reinterpret_cast<uint64_t*>(shared);
    fifo.counts = Dir == DIR_C2V ? detail::FifoCounts{counts, counts + 1, 1, vectors}
                                 : detail::FifoCounts{counts + 1, counts, vectors, 1};
    const bool is_second = Dir == DIR_V2C && DirType == DIR_BOTH;
    fifo.slot_bytes = slots_ == nullptr ? own_slot : int64_t{SlotSize};
    fifo.slots = slots_ == nullptr ? shared + counters
                                   : slots_ + (is_second ? int64_t{SlotSize} * SlotNum : 0);
    fifo.place = place;
    if (slots_ == nullptr) {
      const auto begin = reinterpret_cast<uintptr_t>(fifo.slots);
      detail::call_tensors.add_other({begin, begin + static_cast<uintptr_t>(own_slot) * SlotNum});
    }
  }

  std::byte* slots_;
  int64_t buffers_[2];
  Fifo fifos_[2] = {};
};

namespace detail {

inline std::string to_string(const FifoCounts& counts) {
  return std::to_string(counts.all_pushed()) + " were pushed and " +
         std::to_string(counts.all_popped()) + " popped by all";
}

/// Waits until the core may push its next entry, behind those that it holds, and returns its slot.
template <uint32_t SlotNum, class Fifo>
std::byte* wait_for_slot(const Use& use, const Fifo& fifo, const PipeEnd& end) {
  const FifoCounts& counts = fifo.counts;
  const uint64_t entry = counts.pushed[fifo.own()] + static_cast<uint64_t>(end.held);
  wait_until(
      use, [&counts, entry] { return entry - counts.all_popped() < SlotNum; },
      [&] {
        return "all " + std::to_string(SlotNum) + " slots of the pipe are in use; " +
               to_string(counts);
      });
  return fifo.slot(entry);
}
/// The same for the entry to be popped.
template <class Fifo>
std::byte* wait_for_entry(const Use& use, const Fifo& fifo, const PipeEnd& end) {
  const FifoCounts& counts = fifo.counts;
  const uint64_t entry = counts.popped[fifo.own()] + static_cast<uint64_t>(end.held);
  wait_until(
      use, [&counts, entry] { return entry < counts.all_pushed(); },
      [&] { return "no entry of the pipe is there; " + to_string(counts); });
  return fifo.slot(entry);
}
inline void count_one(uint64_t& counter) {
  __atomic_store_n(&counter, counter + 1, __ATOMIC_RELEASE);
  announce();
}

/// The part of an entry that a core has: a view of the tile's valid elements.
template <class Element>
using EntryPart =
    GlobalTensor<Element, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;

/// That a core's part of an entry is in its slot; tell(what is wrong) otherwise.
template <class Tell>
void check_in_slot(int64_t offset, int64_t bytes, int64_t slot_bytes, Tell tell) {
  if (offset >= 0 && offset <= slot_bytes - bytes) return;
  int64_t end = 0;
  if (__builtin_add_overflow(offset, bytes, &end)) end = INT64_MAX;
  tell("takes bytes " + std::to_string(offset) + " to " + std::to_string(end) +
       " of a slot that has " + std::to_string(slot_bytes) +
       ": give the pipe larger slots, or the part another offset");
}

template <class T, TileSplitAxis Split, class Fifo>
EntryPart<typename T::DType> part_of(const Use& use, const Fifo& fifo, std::byte* slot,
                                     const PipeEnd& end, const T& tile) {
  using Element = typename T::DType;
  constexpr bool is_vector = T::Loc == TileType::Vec;
  constexpr bool has_halves = is_vector && Split == TileSplitAxis::TILE_LEFT_RIGHT;
  constexpr bool has_rows = is_vector && Split == TileSplitAxis::TILE_UP_DOWN;
  const int64_t row = int64_t{T::Cols} * (has_halves ? fifo.place.vectors : 1);
  const int64_t first = !is_vector   ? 0
                        : has_rows   ? fifo.own() * int64_t{T::Rows} * row
                        : has_halves ? fifo.own() * int64_t{T::Cols}
                                     : 0;
  const int64_t offset = end.offset_or(first * static_cast<int64_t>(sizeof(Element)));
  if constexpr (checks_bounds) {
    const int64_t elements = (tile.GetValidRow() - 1) * row + tile.GetValidCol();
    check_in_slot(offset, elements * static_cast<int64_t>(sizeof(Element)), fifo.slot_bytes,
                  [&](const std::string& what) { fail(use, "tile", facts_of(tile), what); });
  }
  return EntryPart<Element>(reinterpret_cast<Element*>(slot + offset),
                            {tile.GetValidRow(), tile.GetValidCol()}, {row});
}

/// One of the pipe's FIFOs, to which this core pushes, or from which it pops.
template <Direction Dir, bool Pushes, class Pipe>
auto& fifo_of_end(Pipe& pipe, const Use& use) {
  auto& fifo = pipe.template fifo<Dir>(use);
  const bool is_cube = fifo.place.type == cube_core;
  if (is_cube == (Pushes == (Dir == DIR_C2V))) return fifo;
  if constexpr (Pipe::direction == DIR_BOTH) {
    fail(use, is_cube ? "the cube pushes tiles of TileType::Acc, and pops those of TileType::Mat"
                      : "a vector core pushes and pops tiles of TileType::Vec");
  } else {
    fail(use, Pushes ? "this core pops from the pipe" : "this core pushes to the pipe");
  }
}

template <class T, TileSplitAxis Split, class Pipe>
void push(Pipe& pipe, T& tile, Site site) {
  static_assert(T::Loc == TileType::Acc || T::Loc == TileType::Vec,
                "tiles of TileType::Acc and Vec are pushed");
  constexpr Direction dir = T::Loc == TileType::Acc ? DIR_C2V : DIR_V2C;
  const Use use{"TPUSH", T::Loc == TileType::Acc ? PIPE_FIX : PIPE_MTE3, site};
  auto& fifo = fifo_of_end<dir, true>(pipe, use);
  if (pipe.prod.held != 0)
    fail(use, "a slot is allocated and not pushed: TPUSH its view before a tile");
  std::byte* const slot = wait_for_slot<Pipe::slot_count>(use, fifo, pipe.prod);
  // An entry that is whole comes from the first core.
  const bool is_first = T::Loc == TileType::Acc || fifo.own() == 0;
  if (!tile.has_nothing() && (Split != TileSplitAxis::TILE_NO_SPLIT || is_first))
    store<AtomicType::AtomicNone>(use, part_of<T, Split>(use, fifo, slot, pipe.prod, tile), tile,
                                  "tile");
  pipe.prod.count();
  count_one(fifo.counts.pushed[fifo.own()]);
}

template <class T, TileSplitAxis Split, class Pipe>
void pop(Pipe& pipe, T& tile, Site site) {
  static_assert(T::Loc == TileType::Mat || T::Loc == TileType::Vec,
                "tiles of TileType::Mat and Vec are popped");
  constexpr Direction dir = T::Loc == TileType::Mat ? DIR_V2C : DIR_C2V;
  const Use use{"TPOP", PIPE_MTE2, site};
  auto& fifo = fifo_of_end<dir, false>(pipe, use);
  if (pipe.cons.held != 0)
    fail(use, "an entry is popped and not free: TFREE its view before you pop a tile");
  tile.assign(pipe.template next_buffer<dir>());
  if constexpr (checks_bounds) check_place(use, facts_of(tile));
  std::byte* const slot = wait_for_entry(use, fifo, pipe.cons);
  // Its place is free: whoever has used the tile that was there is done.
  order_pipes(T::Loc == TileType::Mat ? PIPE_MTE1 : PIPE_V, PIPE_MTE2);
  if (!tile.has_nothing())
    load(use, tile, part_of<T, Split>(use, fifo, slot, pipe.cons, tile), "tile");
  pipe.cons.count();
  count_one(fifo.counts.popped[fifo.own()]);
}

}  // namespace detail

template <class Pipe, class T, TileSplitAxis Split, std::enable_if_t<is_tile_data_v<T>, int> = 0>
RecordEvent TPUSH(Pipe& pipe, T& tile, detail::Site site = detail::Site::here()) {
  detail::push<T, Split>(pipe, tile, site);
  return {};
}
template <class T, class Pipe, std::enable_if_t<is_tile_data_v<T>, int> = 0>
RecordEvent TPUSH(T& tile, Pipe& pipe, detail::Site site = detail::Site::here()) {
  detail::push<T, TileSplitAxis::TILE_NO_SPLIT>(pipe, tile, site);
  return {};
}

template <class Pipe, class T, TileSplitAxis Split, std::enable_if_t<is_tile_data_v<T>, int> = 0>
RecordEvent TPOP(Pipe& pipe, T& tile, detail::Site site = detail::Site::here()) {
  detail::pop<T, Split>(pipe, tile, site);
  return {};
}

/// What is popped into a tile is free at once.
template <class Pipe, TileSplitAxis Split>
RecordEvent TFREE(Pipe&) {
  return {};
}

}  // namespace pto

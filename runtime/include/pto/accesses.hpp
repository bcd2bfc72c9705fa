/// The one place through which instructions say what they read and write, for the checks of level
/// 2: races between pipes, and reads of bytes that nobody has written or that another tile has
/// overwritten (checks/access_log.hpp). Nothing on other levels.
#pragma once

#include <utility>

#include "pto/instruction.hpp"

#if PTO2_KERNEL_CHECKS >= 2
#include "pto/checks/access_log.hpp"
#endif

namespace pto::detail {

/// Of an instruction without a tile for what it keeps meanwhile.
struct NoScratch {};

#if PTO2_KERNEL_CHECKS >= 2

static_assert(static_cast<int>(PIPE_V) == static_cast<int>(checks::Pipe::V) &&
              static_cast<int>(PIPE_FIX) == static_cast<int>(checks::Pipe::FIX));
static_assert(static_cast<int>(TileType::Vec) == static_cast<int>(checks::Space::UB) &&
              static_cast<int>(TileType::Acc) == static_cast<int>(checks::Space::L0C));

/// Of the kernel that this thread runs.
[[gnu::visibility("hidden")]] inline thread_local checks::AccessLog access_log;

inline uint64_t issued_instructions() {
  return access_log.time();
}

inline checks::Pipe checked(pipe_t pipe) {
  return static_cast<checks::Pipe>(pipe);
}

/// What one instruction does: all that it reads, then all that it writes.
class Accesses {
 public:
  explicit Accesses(const Use& use) {
    access_log.begin(checked(use.pipe), {use.instruction, use.site.file, use.site.line});
  }

  /// rows x cols elements, the first ones or those from another place on.
  template <class T>
  void reads(const T& tile, int rows, int cols, int row = 0, int col = 0) {
    for_each_range(tile, {row, col, rows, cols},
                   [](auto space, uint64_t begin, uint64_t end, auto content) {
                     access_log.read(space, begin, end, content);
                   });
  }
  template <class T>
  void writes(const T& tile, int rows, int cols, int row = 0, int col = 0) {
    for_each_range(tile, {row, col, rows, cols},
                   [](auto space, uint64_t begin, uint64_t end, auto content) {
                     access_log.write(space, begin, end, content);
                   });
  }
  template <class T>
  void reads(const T& tile) {
    reads(tile, tile.GetValidRow(), tile.GetValidCol());
  }
  template <class T>
  void writes(const T& tile) {
    writes(tile, tile.GetValidRow(), tile.GetValidCol());
  }
  /// A tile in which the instruction leaves anything; one without an address it cannot use.
  template <class T>
  void scratch(const T& tile) {
    if (tile.address() >= 0) writes(tile);
  }
  void scratch(const NoScratch&) {}
  /// One element, by its place.
  template <class T>
  void reads_element(const T& tile, int64_t offset) {
    const uint64_t begin = static_cast<uint64_t>(tile.address()) + offset * element_bytes<T>;
    access_log.read(space_of<T>, begin, begin + element_bytes<T>, content_of(tile));
  }
  template <class T>
  void writes_element(const T& tile, int64_t offset) {
    const uint64_t begin = static_cast<uint64_t>(tile.address()) + offset * element_bytes<T>;
    access_log.write(space_of<T>, begin, begin + element_bytes<T>, content_of(tile));
  }

  /// The elements of a view (transfer.hpp) that rows x cols of a tile are.
  template <class View>
  void reads_view(const View& view, int rows, int cols) {
    view.for_each_range(rows, cols, [](uint64_t begin, uint64_t end) {
      access_log.read(checks::Space::GM, begin, end);
    });
  }
  template <class View>
  void writes_view(const View& view, int rows, int cols) {
    view.for_each_range(rows, cols, [](uint64_t begin, uint64_t end) {
      access_log.write(checks::Space::GM, begin, end);
    });
  }

 private:
  template <class T>
  static constexpr uint64_t element_bytes = sizeof(typename T::DType);
  template <class T>
  static constexpr checks::Space space_of = static_cast<checks::Space>(T::Loc);
  template <class T>
  static checks::TileBytes content_of(const T& tile) {
    return {static_cast<uint64_t>(tile.address()), static_cast<uint64_t>(T::bytes), tile.bound()};
  }

  struct Part {
    int row, col, rows, cols;
  };

  /// The bytes of the elements: each line of them, all if they have no gaps. Bias and Scaling tiles
  /// are not looked at.
  template <class T, class Each>
  static void for_each_range(const T& tile, const Part& part, Each each) {
    if constexpr (T::Loc <= TileType::Acc) {
      const checks::TileBytes content = content_of(tile);
      const auto give = [&](int64_t first, int64_t elements) {
        if (elements == 0) return;
        const uint64_t begin = content.begin + first * element_bytes<T>;
        each(space_of<T>, begin, begin + elements * element_bytes<T>, content);
      };
      using L = typename T::TileLayout;
      const bool by_rows = L::is_row_major;
      const int lines = by_rows ? part.rows : part.cols, length = by_rows ? part.cols : part.rows;
      const int line = by_rows ? T::Cols : T::Rows;
      const int64_t first = L::offset(part.row, part.col);
      if (L::is_boxed) return give(0, T::Numel);
      if (length == line) return give(first, int64_t{lines} * line);
      for (int i = 0; i < lines; ++i) give(first + int64_t{i} * line, length);
    }
  }
};

inline void begin_accesses() {
  access_log.clear();
}

/// The log of a kernel while it waits and others run on its thread.
class KeptAccesses {
 public:
  KeptAccesses() : log_(std::exchange(access_log, checks::AccessLog())) {}
  ~KeptAccesses() { access_log = std::move(log_); }
  KeptAccesses(const KeptAccesses&) = delete;
  KeptAccesses& operator=(const KeptAccesses&) = delete;

 private:
  checks::AccessLog log_;
};

#else

struct Accesses {
  explicit Accesses(const Use&) {}
  template <class T>
  void reads(const T&, int = 0, int = 0, int = 0, int = 0) {}
  template <class T>
  void writes(const T&, int = 0, int = 0, int = 0, int = 0) {}
  template <class T>
  void scratch(const T&) {}
  template <class T>
  void reads_element(const T&, int64_t) {}
  template <class T>
  void writes_element(const T&, int64_t) {}
  template <class View>
  void reads_view(const View&, int, int) {}
  template <class View>
  void writes_view(const View&, int, int) {}
};

inline void begin_accesses() {}
struct KeptAccesses {
  KeptAccesses() {}
};

#endif

/// All sources are vector tiles, valid as the destination is.
template <class Tmp, class Dst, class... Src>
void begin_with_scratch(const Use& use, const Tmp& tmp, const Dst& dst, const Src&... src) {
  static_assert(Dst::Loc == TileType::Vec && ((Src::Loc == TileType::Vec) && ...),
                "the operands of this instruction are tiles of TileType::Vec");
  if constexpr (checks_bounds) {
    check_tile(use, "dst", facts_of(dst));
    int number = 0;
    const auto check_one = [&](const TileFacts& tile) {
      const char* const names[] = {"src0", "src1", "src2"};
      const char* const name = sizeof...(Src) == 1 ? "src" : names[number++];
      check_tile(use, name, tile);
      check_operand(use, name, tile, dst.GetValidRow(), dst.GetValidCol());
    };
    (check_one(facts_of(src)), ...);
  }
  Accesses accesses(use);
  (accesses.reads(src), ...);
  accesses.scratch(tmp);
  accesses.writes(dst);
}
template <class Dst, class... Src>
void begin_elementwise(const Use& use, const Dst& dst, const Src&... src) {
  begin_with_scratch(use, NoScratch(), dst, src...);
}

/// By Tile::GetValue and SetValue.
template <class T>
void check_element(const T& tile, int64_t offset, bool writes, Site site) {
  const Use use{writes ? "SetValue" : "GetValue", PIPE_S, site};
  if constexpr (checks_bounds) {
    const TileFacts facts = facts_of(tile);
    if (facts.address < 0) fail(use, "tile", facts, "has no address: TASSIGN it first");
    if (offset < 0 || offset >= T::Numel)
      fail(use, "tile", facts,
           "has no element " + std::to_string(offset) + ": it has " + std::to_string(T::Numel));
  }
  Accesses accesses(use);
  if (writes) {
    accesses.writes_element(tile, offset);
  } else {
    accesses.reads_element(tile, offset);
  }
}

}  // namespace pto::detail

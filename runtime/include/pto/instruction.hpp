/// What is checked while a kernel runs, as PTO2_KERNEL_CHECKS says when it is compiled: 0 nothing,
/// 1 (the default) bounds: tiles and views in their memory, valid regions, what the instruction's
/// operands must be. A finding is an exception that leaves the kernel.
#pragma once

#include <cstdio>
#include <string>

#include "pto/checks/finding.hpp"
#include "pto/tile.hpp"
#include "pto/types.hpp"

#ifndef PTO2_KERNEL_CHECKS
#define PTO2_KERNEL_CHECKS 1
#endif

namespace pto::detail {

inline constexpr bool checks_bounds = PTO2_KERNEL_CHECKS >= 1;
inline constexpr bool checks_all = PTO2_KERNEL_CHECKS >= 2;

/// An instruction of the kernel.
struct Use {
  const char* instruction;
  pipe_t pipe;
  Site site;
  bool reaches_peers = false;  ///< global memory may be that of another rank
};

/// What is known of an operand that is a tile.
struct TileFacts {
  TileType location;
  const char* type;
  int rows, cols, valid_rows, valid_cols;
  bool row_major;
  bool has_nothing;
  int64_t address, bytes;
};

template <class T>
TileFacts facts_of(const T& tile) {
  return {T::Loc,
          type_name<typename T::DType>(),
          T::Rows,
          T::Cols,
          tile.GetValidRow(),
          tile.GetValidCol(),
          T::TileLayout::is_row_major,
          tile.has_nothing(),
          tile.address(),
          T::bytes};
}

inline std::string hex(int64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

inline std::string sizes(int64_t rows, int64_t cols) {
  return std::to_string(rows) + "x" + std::to_string(cols);
}

inline std::string to_string(const TileFacts& tile) {
  static const char* const names[] = {"Vec", "Mat", "Left", "Right", "Acc", "Bias", "Scaling"};
  return std::string(names[static_cast<int>(tile.location)]) + " " + tile.type + " " +
         sizes(tile.rows, tile.cols) + (tile.row_major ? "" : " ColMajor") + " valid " +
         sizes(tile.valid_rows, tile.valid_cols) + " at " +
         (tile.address < 0 ? "no address"
                           : buffer_of(tile.location).name + (" " + hex(tile.address)));
}

[[noreturn, gnu::noinline, gnu::cold, gnu::visibility("hidden")]] inline void fail(
    const Use& use, const std::string& what) {
  throw checks::Finding(checks::text_of({use.instruction, use.site.file, use.site.line}) + ": " +
                        what);
}

[[noreturn, gnu::noinline, gnu::cold, gnu::visibility("hidden")]] inline void fail(
    const Use& use, const char* operand, const TileFacts& tile, const std::string& what) {
  fail(use, std::string(operand) + " (" + to_string(tile) + ") " + what);
}

/// That the tile has an address, and elements that are valid, unless it was given none: a core that
/// has no part of what the other does goes through the same instructions.
inline void check_tile(const Use& use, const char* operand, const TileFacts& tile) {
  if (tile.address < 0) fail(use, operand, tile, "has no address: TASSIGN it first");
  if (!tile.has_nothing && (tile.valid_rows < 1 || tile.valid_cols < 1))
    fail(use, operand, tile, "has no valid element: give it a valid region, or skip the call");
  if (tile.valid_rows > tile.rows || tile.valid_cols > tile.cols)
    fail(use, operand, tile, "is valid beyond its shape: give it a smaller valid region");
}

/// The same of one that is read, and that it was not given none where the result has elements.
inline void check_source(const Use& use, const char* operand, const TileFacts& tile,
                         bool result_has_nothing) {
  check_tile(use, operand, tile);
  if (tile.has_nothing && !result_has_nothing)
    fail(use, operand, tile, "must be valid, as the result is: SetValidShape one of them");
}

/// That its valid region is `rows` x `cols`.
inline void check_valid(const Use& use, const char* operand, const TileFacts& tile, int rows,
                        int cols) {
  if (tile.valid_rows != rows || tile.valid_cols != cols)
    fail(use, operand, tile,
         "must be valid " + sizes(rows, cols) + ", as the other operands are: SetValidShape it");
}

/// That the operand has room for rows x cols elements.
inline void check_operand_room(const Use& use, const char* operand, const TileFacts& tile, int rows,
                               int cols) {
  if (tile.rows < rows || tile.cols < cols)
    fail(use, operand, tile,
         "is smaller than the " + sizes(rows, cols) +
             " elements that the instruction goes over: make the valid region of the others "
             "smaller");
}

/// That the operand has rows x cols elements; with all checks, that these are what is valid of it.
/// Compilers let instructions read what is not, where nobody uses what comes of it. One that is
/// given nothing is no operand unless there is nothing to do.
inline void check_operand(const Use& use, const char* operand, const TileFacts& tile, int rows,
                          int cols) {
  const bool is_idle = rows == 0 || cols == 0;
  if (tile.has_nothing ? !is_idle : checks_all) check_valid(use, operand, tile, rows, cols);
  check_operand_room(use, operand, tile, rows, cols);
}

/// By TASSIGN: that the buffer has room for the tile there.
inline void check_place(const Use& use, const TileFacts& tile) {
  const Buffer& buffer = buffer_of(tile.location);
  if (tile.address < 0 || tile.address > buffer.bytes - tile.bytes)
    fail(use, "tile", tile,
         "takes " + std::to_string(tile.bytes) + " bytes and leaves " + buffer.name +
             ", which has " + std::to_string(buffer.bytes) +
             ": assign a lower address, or a smaller tile");
  if (tile.address % TileConfig::alignedSize != 0)
    fail(use, "tile", tile, "is not aligned: assign a multiple of 32");
}

}  // namespace pto::detail

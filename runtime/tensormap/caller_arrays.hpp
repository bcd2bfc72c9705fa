/// The memory that an orchestration was given, as far as its caller has said how much that is.
///
/// A tensor that begins in an array must end in it, or in another one that it begins in, too:
/// arrays may overlap, and be given twice. What begins elsewhere is the orchestration's own affair:
/// memory that it has from somebody else, or arrays of which the caller has said nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pto2 {

/// An array of the caller's, `bytes` bytes at `address`.
struct CallerArray {
  std::string name;  ///< in errors: "argument 2", "x"
  uint64_t address = 0;
  uint64_t bytes = 0;
  friend bool operator==(const CallerArray&, const CallerArray&) = default;
};

/// Looked at for each tensor of the caller's memory that is made.
class CallerArrays {
 public:
  CallerArrays() = default;
  /// One whose address is 0 is none.
  explicit CallerArrays(std::span<const CallerArray> arrays);

  [[nodiscard]] bool empty() const { return arrays_.empty(); }
  /// The array that `bytes` bytes at `address`, which end at 2^64 - 1 at the latest, begin in and
  /// leave at its end; null: they lie in one, or begin in none.
  [[nodiscard]] const CallerArray* left_by(uint64_t address, uint64_t bytes) const;

 private:
  struct Entry {
    CallerArray array;
    std::size_t widest;  ///< which of the entries up to this one ends last
  };
  std::vector<Entry> arrays_;  ///< by address
};

}  // namespace pto2

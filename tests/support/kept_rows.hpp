/// What a test measured, row by row, against what was kept of it in a file of the tree: for what
/// nobody wants to change by accident, and would not see if it changed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace pto2::test {

/// Numbers and texts in 32 bits: FNV-1a of 64 bits (Fowler, Noll, Vo), folded.
class Digest {
 public:
  void add(uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash_ = (hash_ ^ ((number >> shift) & 0xff)) * 0x100000001b3U;
    }
  }
  void add(const std::string& text) {
    add(text.size());
    for (const char c : text) add(static_cast<uint64_t>(c));
  }
  [[nodiscard]] uint32_t value() const { return static_cast<uint32_t>(hash_ ^ hash_ >> 32); }

 private:
  uint64_t hash_ = 0xcbf29ce484222325U;
};

/// Fails for each row that the file lacks, and for each that it has and is not among these. If the
/// difference is meant: PTO2_UPDATE_EXPECTED=1 before the test's program writes the file, and git
/// shows what has changed.
inline void expect_kept(const std::string& file, std::vector<std::string> rows) {
  std::sort(rows.begin(), rows.end());
  if (std::getenv("PTO2_UPDATE_EXPECTED") != nullptr) {
    std::ofstream stream(file);
    for (const std::string& row : rows) stream << row << '\n';
  }
  std::vector<std::string> kept;
  std::ifstream stream(file);
  for (std::string row; std::getline(stream, row);) kept.push_back(row);
  std::vector<std::string> gone;
  std::vector<std::string> come;
  std::set_difference(kept.begin(), kept.end(), rows.begin(), rows.end(), std::back_inserter(gone));
  std::set_difference(rows.begin(), rows.end(), kept.begin(), kept.end(), std::back_inserter(come));
  constexpr std::size_t most_shown = 20;
  for (std::size_t i = 0; i < std::min(gone.size(), most_shown); ++i) {
    ADD_FAILURE() << "no more: " << gone[i];
  }
  for (std::size_t i = 0; i < std::min(come.size(), most_shown); ++i) {
    ADD_FAILURE() << "but now: " << come[i];
  }
  EXPECT_EQ(gone.size() + come.size(), 0U) << "rows of " << file << " differ";
}

}  // namespace pto2::test

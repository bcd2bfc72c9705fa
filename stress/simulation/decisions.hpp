/// Yes and no, in the order in which they were decided, as a part of a token.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pto2::simulations {

class Decisions {
 public:
  Decisions() = default;
  /// From text(). Throws std::invalid_argument.
  explicit Decisions(const std::string& text);

  /// Remembers a decision, and returns it.
  bool note(bool decision) {
    decisions_.push_back(decision);
    return decision;
  }
  /// The next of those that were noted; no, when all have been taken.
  [[nodiscard]] bool next() { return taken_ < decisions_.size() && decisions_[taken_++]; }
  /// Lengths of runs of no and of yes, in turn: "3.1.12".
  [[nodiscard]] std::string text() const;

 private:
  std::vector<bool> decisions_;
  std::size_t taken_ = 0;
};

}  // namespace pto2::simulations

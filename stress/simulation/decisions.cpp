#include "stress/simulation/decisions.hpp"

#include <stdexcept>

#include "runtime/output/numbers.hpp"

namespace pto2::simulations {

Decisions::Decisions(const std::string& text) {
  constexpr std::size_t most = 1 << 20;
  bool decision = false;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty(); decision = !decision) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    const uint64_t length = cli::parse_number(text.substr(begin, end - begin));
    if (length > most - decisions_.size()) throw std::invalid_argument("too many decisions");
    decisions_.insert(decisions_.end(), length, decision);
    begin = end + 1;
  }
}

std::string Decisions::text() const {
  std::string text;
  bool decision = false;
  for (std::size_t i = 0; i < decisions_.size(); decision = !decision) {
    const std::size_t begin = i;
    while (i < decisions_.size() && decisions_[i] == decision) ++i;
    if (!text.empty()) text += '.';
    text += std::to_string(i - begin);
  }
  return text;
}

}  // namespace pto2::simulations

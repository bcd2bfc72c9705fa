#include "stress/simulation/decisions.hpp"

#include <charconv>
#include <stdexcept>

namespace pto2::simulations {

uint64_t parse_number(const std::string& text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) {
    throw std::invalid_argument("'" + text + "' is no number");
  }
  return number;
}

Decisions::Decisions(const std::string& text) {
  constexpr std::size_t most = 1 << 20;
  bool decision = false;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty(); decision = !decision) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    const uint64_t length = parse_number(text.substr(begin, end - begin));
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

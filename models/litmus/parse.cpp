#include <charconv>
#include <stdexcept>
#include <string>

#include "models/litmus/program.hpp"

namespace pto2::model::litmus {

namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw std::invalid_argument("litmus program: cannot read \"" + std::string(text) + "\"");
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The text up to `separator`, which is taken off together with it.
std::string_view cut(std::string_view& text, char separator) {
  const auto at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return part;
}

int number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(text);
  return value;
}

std::memory_order order(std::string_view text) {
  if (text == "rlx") return std::memory_order_relaxed;
  if (text == "acq") return std::memory_order_acquire;
  if (text == "rel") return std::memory_order_release;
  if (text == "ar") return std::memory_order_acq_rel;
  if (text == "sc") return std::memory_order_seq_cst;
  refuse(text);
}

Instruction instruction(const std::string_view whole) {
  std::string_view orders = whole;
  std::string_view what = cut(orders, '.');
  if (what.empty() || orders.empty()) refuse(whole);
  Instruction i;
  const std::string_view first = cut(orders, '.');
  i.order = order(first);
  i.failure = orders.empty() ? i.order : order(orders);
  if (what == "f") return i;
  if (what.front() < 'x' || what.front() > 'z') refuse(whole);
  i.location = what.front() - 'x';
  what.remove_prefix(1);
  i.operation = Operation::load;
  if (what.empty()) return i;
  const char kind = what.front();
  what.remove_prefix(1);
  if (kind == '?') {
    i.operation = Operation::compare_exchange;
    i.expected = number(cut(what, '>'));
  } else if (kind == '=') {
    i.operation = Operation::store;
  } else if (kind == '+') {
    i.operation = Operation::add;
  } else if (kind == '<') {
    i.operation = Operation::exchange;
  } else {
    refuse(whole);
  }
  i.operand = number(what);
  return i;
}

}  // namespace

Program Program::parse(std::string_view text) {
  Program program;
  while (!text.empty()) {
    std::string_view thread = cut(text, '|');
    program.threads.emplace_back();
    while (!trim(thread).empty()) {
      program.threads.back().push_back(instruction(trim(cut(thread, ';'))));
      program.locations = std::max(program.locations, program.threads.back().back().location + 1);
    }
  }
  return program;
}

}  // namespace pto2::model::litmus

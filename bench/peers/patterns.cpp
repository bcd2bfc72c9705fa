#include "bench/peers/patterns.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace pto2::bench {
namespace {

Predecessors stencil(uint32_t task) {
  Predecessors result;
  if (task < row_tasks) return result;
  const uint32_t point = task % row_tasks;
  const uint32_t row_before = task - point - row_tasks;
  for (const uint32_t step : {row_tasks - 1, 0u, 1u}) {
    result.add(row_before + (point + step) % row_tasks);
  }
  return result;
}

/// Per hub: the hub, then scores, weights, values and update of each block.
Predecessors attention(uint32_t task) {
  constexpr uint32_t block_tasks = 4;
  constexpr uint32_t hub_tasks = 1 + 3 * block_tasks;
  Predecessors result;
  const uint32_t place = task % hub_tasks;
  if (place == 0) return result;
  const uint32_t step = (place - 1) % block_tasks;
  if (step != 0) result.add(task - 1);
  if (step != block_tasks - 1) return result;
  result.add(task - 2);
  result.add(place == block_tasks ? task - place : task - block_tasks);
  return result;
}

Predecessors fft(uint32_t task) {
  constexpr uint32_t stages = std::bit_width(row_tasks) - 1;
  Predecessors result;
  if (task < row_tasks) return result;
  const uint32_t point = task % row_tasks;
  const uint32_t row = task / row_tasks;
  const uint32_t row_before = (row - 1) * row_tasks;
  result.add(row_before + point);
  result.add(row_before + (point ^ 1u << (row - 1) % stages));
  return result;
}

/// Trees are numbered in post-order: the second of two that are reduced is the task before.
Predecessors tree(uint32_t task) {
  Predecessors result;
  const uint32_t inputs = inputs_below(task);
  if (inputs == 1) return result;
  result.add(task - inputs);
  result.add(task - 1);
  return result;
}

/// SplitMix64's output function.
uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

Predecessors random(uint32_t task) {
  constexpr uint64_t seed = 0x9e3779b97f4a7c15;
  Predecessors result;
  uint64_t bits = mixed(seed * (uint64_t{task} + 1));
  const auto wanted = static_cast<uint32_t>(bits % 4);
  for (uint32_t i = 0; i < wanted; ++i) {
    bits = mixed(bits + seed);
    const auto back = static_cast<uint32_t>(1 + bits % 100);
    const bool known = std::ranges::find(result, task - back) != result.end();
    if (back <= task && !known) result.add(task - back);
  }
  return result;
}

}  // namespace

const char* name_of(Pattern pattern) {
  static constexpr const char* names[] = {"independent", "chain", "stencil", "paged_attention",
                                          "fft",         "tree",  "random"};
  static_assert(std::size(names) == std::size(patterns));
  return names[static_cast<int>(pattern)];
}

Pattern pattern_of(const char* name) {
  for (const Pattern pattern : patterns) {
    if (std::string(name) == name_of(pattern)) return pattern;
  }
  throw std::invalid_argument(std::string("no graph ") + name);
}

uint32_t inputs_below(uint32_t task) {
  // A tree of n tasks is two of n / 2 and their root.
  uint32_t place = task % tree_tasks;
  for (uint32_t tasks = tree_tasks; tasks > 1; tasks /= 2) {
    if (place == tasks - 1) return (tasks + 1) / 2;
    if (place >= tasks / 2) place -= tasks / 2;
  }
  return 1;
}

Predecessors predecessors(Pattern pattern, uint32_t task) {
  Predecessors result;
  switch (pattern) {
    case Pattern::independent:
      break;
    case Pattern::chain:
      if (task != 0) result.add(task - 1);
      break;
    case Pattern::stencil:
      return stencil(task);
    case Pattern::paged_attention:
      return attention(task);
    case Pattern::fft:
      return fft(task);
    case Pattern::tree:
      return tree(task);
    case Pattern::random:
      return random(task);
  }
  return result;
}

}  // namespace pto2::bench

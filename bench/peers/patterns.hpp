/// The task graphs that our runtime and its peers run, as dependences alone: each task writes one
/// buffer and reads those of its predecessors. A pattern is a function of the number of a task, so
/// that no runtime has a graph in memory before it starts.
#pragma once

#include <cstdint>

namespace pto2::bench {

enum class Pattern {
  independent,      ///< no edges
  chain,            ///< one chain
  stencil,          ///< rows of 64 tasks, each reads three neighbours of the row before
  paged_attention,  ///< a hub and three blocks of four tasks, which update one accumulator in turn
  fft,              ///< rows of 64 tasks, each reads the two of a butterfly; six rows a transform
  tree,             ///< reductions of 512 inputs, two at a time, each before the next
  random,           ///< each task reads up to three of the 100 before it
};

inline constexpr Pattern patterns[] = {Pattern::independent,     Pattern::chain, Pattern::stencil,
                                       Pattern::paged_attention, Pattern::fft,   Pattern::tree,
                                       Pattern::random};

[[nodiscard]] const char* name_of(Pattern pattern);
/// Throws std::invalid_argument if no pattern has the name.
[[nodiscard]] Pattern pattern_of(const char* name);

/// Tasks of a row of stencil and fft.
inline constexpr uint32_t row_tasks = 64;
/// Tasks of a whole tree: 512 inputs and what reduces them.
inline constexpr uint32_t tree_tasks = 1023;
/// A predecessor is at most so many tasks back.
inline constexpr uint32_t furthest = 512;
/// Buffers that tasks write in turn, so many that what is read has not been overwritten.
inline constexpr uint32_t buffers = 1024;
static_assert(buffers > furthest);

/// Tasks that a task reads, all with smaller numbers, each once.
struct Predecessors {
  uint32_t count = 0;
  uint32_t task[3] = {};

  void add(uint32_t predecessor) { task[count++] = predecessor; }
  [[nodiscard]] const uint32_t* begin() const { return task; }
  [[nodiscard]] const uint32_t* end() const { return task + count; }
};

[[nodiscard]] Predecessors predecessors(Pattern pattern, uint32_t task);

/// Inputs below a task of a tree: 1 for an input, 2 for a task that reduces two, ..
[[nodiscard]] uint32_t inputs_below(uint32_t task);

}  // namespace pto2::bench

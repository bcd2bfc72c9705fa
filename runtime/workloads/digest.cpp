#include "runtime/workloads/digest.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "runtime/workloads/random_fill.hpp"

namespace pto2::workloads {

uint64_t digest(std::span<const std::byte> bytes) {
  // One state would wait for each of its products.
  using Words = std::array<uint64_t, 4>;
  Words states = {1, 2, 3, 4};
  const auto take = [&](std::span<const std::byte> from) {
    Words words = {};
    std::memcpy(words.data(), from.data(), from.size());
    for (size_t i = 0; i < words.size(); ++i) {
      // The round of xxHash64: one-to-one in the word and in the state, so that equal words behind
      // a change do not hide it, and the words that would have no pattern.
      states[i] = std::rotl(states[i] + words[i] * 0xc2b2ae3d27d4eb4fu, 31) * 0x9e3779b185ebca87u;
    }
  };
  for (; bytes.size() > sizeof(Words); bytes = bytes.subspan(sizeof(Words))) {
    take(bytes.first(sizeof(Words)));
  }
  take(bytes);
  uint64_t all = 0;
  for (const uint64_t state : states) all = splitmix64(all ^ state, 0);
  return all;
}

}  // namespace pto2::workloads

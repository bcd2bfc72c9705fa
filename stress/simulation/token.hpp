/// One run in one line: `pto2 replay TOKEN` repeats it.
#pragma once

#include <cstdint>
#include <string>

#include "stress/simulation/subject.hpp"

namespace pto2::simulations {

/// How every token begins.
inline constexpr const char* token_prefix = "simulate/";

struct Token {
  Options options;
  uint64_t seed = 0;
  std::string shrunk;  ///< Shrunk::token; empty: the run as the seed has it
};

/// "simulate/WHAT/STRATEGY[+ORDER]/SEED[/SHRUNK]", WHAT being WORKLOAD:CASE[:stub] or
/// graphs:plain|clustered[:mistaken], and ORDER a memory order that is weakened.
[[nodiscard]] std::string to_string(const Token& token);
/// Throws std::invalid_argument with what is wrong.
[[nodiscard]] Token parse_token(const std::string& text);

}  // namespace pto2::simulations

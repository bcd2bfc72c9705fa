/// One run in one line: `pto2 replay TOKEN` repeats it.
#pragma once

#include <cstdint>
#include <string>

#include "stress/simulation/subject.hpp"

namespace pto2::simulations {

struct Token {
  Options options;
  uint64_t seed = 0;
  std::string shrunk;  ///< Shrunk::token; empty: the run as the seed has it
};

/// As runtime/output/replay_token.hpp says: the subject is WORKLOAD:CASE[:stub][:faults=LIST] or
/// graphs:plain|clustered[:mistaken][:faults=LIST], the weakening the name of a memory order, and
/// the payload STRATEGY:SEED[:SHRUNK].
[[nodiscard]] std::string to_string(const Token& token);
/// The command that repeats the run: beside the token it has a deadline in whole seconds, unless
/// that is the usual one.
[[nodiscard]] std::string replay_command(const Token& token);
/// Throws cli::TokenError.
[[nodiscard]] Token parse_token(const std::string& text);

}  // namespace pto2::simulations

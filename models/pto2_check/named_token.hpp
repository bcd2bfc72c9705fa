/// Replay tokens (runtime/output/replay_token.hpp) of executions on the model checker: the subject
/// is a scenario, the weakening SITE[:FILE:LINE:COLUMN]=ORDER, with the use if only one is
/// weakened, and the payload the checker's own token.
#pragma once

#include <string>

#include "models/pto2_check/checking.hpp"

namespace pto2::scenarios {

/// With the weakening that is in force. "" without a token of the checker: what is said of all
/// executions, such as that none of them met a case, has none to replay.
std::string named_token(const std::string& scenario, const std::string& token);

/// Replays the execution that `text` names. Throws cli::TokenError.
model::Report replay_named(const std::vector<Entry>& entries, const std::string& text);

}  // namespace pto2::scenarios

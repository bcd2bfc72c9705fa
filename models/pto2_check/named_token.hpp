/// Replay tokens that also name the program: SCENARIO[+SITE[:FILE:LINE:COLUMN]=ORDER]@TOKEN, where
/// TOKEN is the checker's, the outer brackets hold a weakening that the violation needs, and the
/// inner ones the use, if only one is weakened.
#pragma once

#include <string>

#include "models/pto2_check/checking.hpp"

namespace pto2::scenarios {

/// With the weakening that is in force.
std::string named_token(const std::string& scenario, const std::string& token);

/// Replays the execution that `token` names. Throws std::invalid_argument, which says what is
/// wrong with it.
model::Report replay_named(const std::vector<Entry>& entries, const std::string& token);

}  // namespace pto2::scenarios

/// Replay tokens that also name the program: SCENARIO[+SITE=ORDER]@TOKEN, where TOKEN is the
/// checker's and the part in brackets a weakening that the violation needs.
#pragma once

#include <string>

#include "models/check/checking.hpp"

namespace pto2::scenarios {

/// With the weakening that is in force.
std::string named_token(const std::string& scenario, const std::string& token);

/// Replays the execution that `token` names. Throws std::invalid_argument, which says what is
/// wrong with it.
model::Report replay_named(const std::vector<Entry>& entries, const std::string& token);

}  // namespace pto2::scenarios

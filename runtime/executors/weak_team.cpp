#include "runtime/executors/weak_team.hpp"

#include <boost/core/demangle.hpp>
#include <utility>

namespace pto2::executors {

void WeakTeam::tell(const PlainRace& race, const char* access, const char* type) {
  std::string text = std::string("data race: it ") + access + " a " + boost::core::demangle(type) +
                     " that " + name_of(race.other) + (race.other_wrote ? " wrote" : " read") +
                     ", and nothing orders the two";
  give_up(std::move(text));
}

}  // namespace pto2::executors

#include "runtime/executors/weak_team.hpp"

#include <boost/core/demangle.hpp>

namespace pto2::executors {

void WeakTeam::tell(const PlainRace& race, const char* access, const char* type) {
  give_up(std::string("data race: it ") + access + " a " + boost::core::demangle(type) + " that " +
          name_of(race.other) + (race.other_wrote ? " wrote" : " read") +
          ", and nothing orders the two");
}

}  // namespace pto2::executors

#include "runtime/executors/running_teams.hpp"

#include <mutex>
#include <vector>

#include "runtime/executors/fork_locks.hpp"
#include "runtime/executors/team.hpp"

namespace pto2::executors {

namespace {

struct List {
  std::mutex mutex;
  std::vector<const Team*> teams;
};

/// Never destroyed: a run may still go on at the end of the process.
List& list() {
  static auto* const the_list = [] {
    auto* const all = new List;
    keep_from_forks(all->mutex, [] { list().teams.clear(); });
    return all;
  }();
  return *the_list;
}

[[maybe_unused]] const List& list_made_at_start = list();

}  // namespace

RunningTeam::RunningTeam(const Team& team) : team_(&team) {
  const std::lock_guard lock(list().mutex);
  list().teams.push_back(team_);
}

RunningTeam::~RunningTeam() {
  const std::lock_guard lock(list().mutex);
  std::erase(list().teams, team_);
}

std::string describe_running_teams() {
  const std::lock_guard lock(list().mutex);
  std::string text;
  for (const Team* team : list().teams) text += to_string(team->state());
  return text.empty() ? "no team runs\n" : text;
}

}  // namespace pto2::executors

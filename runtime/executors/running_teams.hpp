/// The teams of this process that run now, so that a watchdog can report what hangs without being
/// handed every team that a test or a program starts.
#pragma once

#include <string>

namespace pto2::executors {

class Team;

/// Lists a team for as long as this lives.
class RunningTeam {
 public:
  explicit RunningTeam(const Team& team);
  ~RunningTeam();
  RunningTeam(const RunningTeam&) = delete;
  RunningTeam& operator=(const RunningTeam&) = delete;

 private:
  const Team* team_;
};

/// What the threads of every team that runs are doing, as to_string(TeamState) says it. From any
/// OS thread; no team is stopped for it.
[[nodiscard]] std::string describe_running_teams();

}  // namespace pto2::executors

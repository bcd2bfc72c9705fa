#include "runtime/validate/validate.hpp"

#include "runtime/validate/rules.hpp"

namespace pto2::validation {

Verdict judge(const Trace& trace, bool races) {
  History history(trace);
  Findings findings(trace, history);
  const Case it{trace, history, findings};
  check_counts(it);
  history.find_needs();
  check_threads(it);
  check_order(it);
  check_cores(it);
  check_groups(it);
  check_memory(it);
  check_references(it);
  check_scopes(it);
  check_waits(it);
  check_pipes(it);
  if (races) check_races(it);
  return findings.take();
}

}  // namespace pto2::validation

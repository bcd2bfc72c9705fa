/// The generated part of docs/PROTOCOLS.md: invariants, memory orders and scenarios.
#pragma once

#include <string>
#include <vector>

#include "models/pto2_check/checking.hpp"
#include "models/pto2_check/weak_points.hpp"

namespace pto2::scenarios {

/// The table of the memory orders of `points`: each is weakened to name its witness, beside what
/// other tools saw of it on the same scenario, as the file `measured` has it. Throws CliError if
/// one survives (it failed) or a search was not finished (inconclusive), and std::runtime_error if
/// the file cannot be read. Empty once a stop is requested.
std::string order_table(const std::string& measured, const std::vector<WeakPoint>& points,
                        const CheckSettings& settings);

/// The tables as they should be, from the sources below `root` and the scenarios. Throws as
/// order_table() does, and std::runtime_error if `root` is not the source tree, an invariant is
/// cited by no scenario, or a use of a memory order is met by none. Worth nothing once a stop is
/// requested.
std::string protocol_index(const std::string& root, const std::vector<Entry>& entries,
                           const CheckSettings& settings);

/// False: what the part of `file` between the lines that mark it says of invariants or scenarios,
/// for which nothing has to be searched, is not what the sources below `root` say. Throws as the
/// others do.
bool index_may_be_current(const std::string& file, const std::string& root,
                          const std::vector<Entry>& entries);

/// Whether the part of `file` between the lines that mark it equals `index`; with `update`, makes
/// it so. Throws std::runtime_error if the file cannot be read or written, or has no such part.
bool index_is_current(const std::string& file, const std::string& index, bool update);

}  // namespace pto2::scenarios

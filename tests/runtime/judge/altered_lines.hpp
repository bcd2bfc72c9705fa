/// All the ways in which one thing of a trace can be wrong: a number off by one, a name that is
/// another one, an array that lacks an item, an event that is missing or that changes places.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pto2::test {

using Json = nlohmann::ordered_json;

/// The lines of a trace, each as JSON.
using TraceLines = std::vector<Json>;

/// One thing is changed, in place.
using Alteration = std::function<void(TraceLines&)>;

/// By what is changed and how, "submit.params.extent + 1": the changes of that kind, in the order
/// of the lines. The kinds depend on the fields that the trace has, and on their types alone.
[[nodiscard]] std::map<std::string, std::vector<Alteration>> alterations_of(
    const TraceLines& lines);

}  // namespace pto2::test

/// What a search that is measured must have done.
#pragma once

#include <cstdint>
#include <pto2/checker.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace pto2::bench {

/// Throws unless the search came to its end, found nothing, and counted `executions`.
inline model::Report expect(model::Report report, std::uint64_t executions) {
  if (report.ok() && report.complete && report.executions == executions) return report;
  throw std::runtime_error("expected " + std::to_string(executions) + " executions of " +
                           report.to_text());
}

}  // namespace pto2::bench

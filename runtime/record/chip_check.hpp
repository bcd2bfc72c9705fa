/// Whether the two descriptions of the chip in a trace's header agree.
#pragma once

#include "runtime/record/json_line.hpp"
#include "runtime/record/record.hpp"

namespace pto2 {

/// `chip` says how many cores of which type each block has, `cores` names each of them. The name of
/// the chip says nothing: the numbers of a known chip may have been replaced. Throws TraceError if
/// the cores of `trace` are not those of the header's chip.
void check_chip(const JsonLine& header, const Record& record);

}  // namespace pto2

/// The instructions between chips: docs/TILES.md.
#pragma once

#include "pto/comm/async.hpp"
#include "pto/comm/comm_types.hpp"
#include "pto/comm/put_get.hpp"
#include "pto/comm/signals.hpp"
#include "pto/not_there.hpp"

namespace pto::comm {

PTO2_NOT_THERE(TBROADCAST);
PTO2_NOT_THERE(TGATHER);
PTO2_NOT_THERE(TREDUCE);
PTO2_NOT_THERE(TSCATTER);

}  // namespace pto::comm

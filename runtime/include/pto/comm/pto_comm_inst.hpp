/// Of instructions between chips: not there.
#pragma once

#error "pto/comm/pto_comm_inst.hpp is not there: see docs/TILES.md"

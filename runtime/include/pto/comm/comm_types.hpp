/// Of instructions between chips: not there.
#pragma once

#error "pto/comm/comm_types.hpp is not there: see docs/TILES.md"

/// Of pipes between cores (TPUSH, TPOP): not there.
#pragma once

#error "pto/common/fifo.hpp is not there: see docs/TILES.md"

/// Of types of 4 and 8 bits for the cube: not there.
#pragma once

#error "pto/npu/a5/utils.hpp is not there: see docs/TILES.md"

/// The tile instructions, for kernels that include <pto/pto-inst.hpp>: docs/TILES.md.
#pragma once

#include "pto/convert.hpp"
#include "pto/core_memory.hpp"
#include "pto/elementwise.hpp"
#include "pto/expand.hpp"
#include "pto/global_tensor.hpp"
#include "pto/matmul.hpp"
#include "pto/move.hpp"
#include "pto/not_there.hpp"
#include "pto/pipes.hpp"
#include "pto/rearrange.hpp"
#include "pto/reduce.hpp"
#include "pto/sort.hpp"
#include "pto/tile.hpp"
#include "pto/transfer.hpp"
#include "pto/types.hpp"

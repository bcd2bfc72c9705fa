/// For kernels that include it by this name.
#pragma once

#include "pto/tile_pipe.hpp"
#include "pto/tile_pipe_views.hpp"

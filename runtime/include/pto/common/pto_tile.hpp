/// For kernels that include it by this name.
#pragma once

#include "pto/global_tensor.hpp"
#include "pto/tile.hpp"

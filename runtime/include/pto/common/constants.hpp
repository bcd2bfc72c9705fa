/// For kernels that include it by this name.
#pragma once

#include "pto/types.hpp"

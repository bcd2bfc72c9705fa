/// Of memory of peers by an RDMA engine: not there.
#pragma once

#error "backend/urma/urma_completion_kernel.h is not there: see docs/TILES.md"

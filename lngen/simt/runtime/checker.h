// Watches every access to memory of an instrumented module, and the order that barriers give them.
#pragma once
#include "state.h"

namespace simt {

void begin_checks();
void end_checks();
// Lanes of a warp have met in __syncwarp: what one did before, the others may rely on.
void order_lanes(Warp& warp, unsigned lanes);

}  // namespace simt

// Watches every access to memory of an instrumented module, and the order that barriers give them.
#pragma once
#include "copies.h"
#include "state.h"

namespace simt {

void begin_checks();
void begin_block_checks();
// The last thread of the current block has exited, and its shared memory is gone.
void check_end_of_block();
void end_checks();
// Lanes of a warp have met in __syncwarp: what one did before, the others may rely on.
void order_lanes(Warp& warp, unsigned lanes);
// The current thread's copy reads and writes at some time between its start and its arrival.
void check_start(const Copy& copy);
void check_arrival(const Copy& copy);

}  // namespace simt

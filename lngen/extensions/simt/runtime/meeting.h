// Meeting points of threads: the barriers of a block, the operations of a warp.
#pragma once
#include "state.h"

namespace simt {

// A thread has exited: nobody waits for it any more.
void lane_exits(const Thread& thread);
void barrier_may_open();

}  // namespace simt

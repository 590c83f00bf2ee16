// Choice of the thread of a cluster that runs next.
#pragma once
#include "state.h"

namespace simt {

// Runs the blocks whose indices are set until their threads have exited, none can go on, or the launch has ended.
void run_cluster();
// The current thread, whose status and line say what it waits for, waits until someone makes it ready.
void wait();
void make_ready(Thread& thread);
// After all threads of a block became ready at once: a random schedule draws a new order.
void reorder();
// The current thread goes no further, and the block with it.
[[noreturn]] void abandon();

}  // namespace simt

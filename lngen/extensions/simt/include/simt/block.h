// Place of a thread, and the barrier of its block.
#pragma once
#include "calls.h"

#define threadIdx (simt_current->index)
#define blockIdx (simt_running_block.index)
#define blockDim (simt_running_block.size)
#define gridDim (simt_running_block.grid)
#define warpSize 32

#define __syncthreads() simt_barrier(SIMT_LINE)

#define simt_shared_memory() (simt_running_block.shared)

// Place of a thread, and the barrier of its block.
#pragma once
#include "calls.h"

#define threadIdx (simt_current->index)
#define blockIdx (simt_running_block.index)
#define blockDim (simt_running_block.size)
#define gridDim (simt_running_block.grid)
#define warpSize 32

#define __syncthreads() ((void)simt_barrier(0, 0, SIMT_LINE))
#define __syncthreads_count(predicate) (int(simt_barrier(1, !!(predicate), SIMT_LINE)))
#define __syncthreads_and(predicate) (int(simt_barrier(2, !(predicate), SIMT_LINE) == 0))
#define __syncthreads_or(predicate) (int(simt_barrier(3, !!(predicate), SIMT_LINE) != 0))

#define simt_shared_memory() (simt_running_block.shared)

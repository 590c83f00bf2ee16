// Calls of a kernel to the runtime. The runtime is compiled apart from it, without instrumentation.
#pragma once
#include "abi.h"

// A line as "file:number": a source may include others.
#define SIMT_LINE __FILE__ ":" SIMT_TEXT(__LINE__)
#define SIMT_TEXT(number) SIMT_TEXT_(number)
#define SIMT_TEXT_(number) #number

#pragma GCC visibility push(hidden)
extern "C" {

// The running thread and its block, read as threadIdx, blockIdx, blockDim and gridDim.
struct simt_thread {
  simt_dim index;
};
struct simt_block {
  simt_dim index, size, grid;
  void* shared;
};
extern struct simt_thread* simt_current;
extern struct simt_block simt_running_block;

// Wait until every thread of the block, or of the cluster, that has not exited arrives.
void simt_barrier(const char* line);
void simt_cluster_barrier();
// Blocks of the running cluster, and where one of them has what is at an address of the running block's shared memory.
unsigned simt_cluster_blocks();
void* simt_in_block(unsigned block, void* shared);

// A copy into shared memory that arrives when the thread awaits its group: all but the last `pending` that it closed.
void simt_start_copy(void* to, const void* from, size_t bytes);
void simt_close_copies();
void simt_await_copies(unsigned pending);

// Threads of a warp meet. An operation names itself: lanes that meet in different ones are an error.
enum simt_warp_operation { SIMT_SYNC, SIMT_SHUFFLE, SIMT_VOTE };
void simt_warp_sync(unsigned mask, const char* line);
void simt_warp_exchange(unsigned mask, void* value, size_t bytes, unsigned source_lane, const char* line);
// Fills `values` with the values of all lanes and gives the mask of those that took part.
unsigned simt_warp_gather(unsigned mask, const void* value, size_t bytes, void* values, const char* line);
unsigned simt_lane();

}  // extern "C"
#pragma GCC visibility pop

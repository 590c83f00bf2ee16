// Interface between a module made of one source and its host (the worker, or a driver that poses as libcuda). Plain C:
// no type here depends on a compiler's library.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define SIMT_ABI 3
#define SIMT_MOST_THREADS 1024
#define SIMT_MOST_BLOCKS 8  // of a cluster
#define SIMT_STACK_BYTES (256 * 1024)
#define SIMT_GUARD_BYTES (64 * 1024)
#define SIMT_EXPORT extern "C" __attribute__((visibility("default")))

extern "C" {

struct simt_dim {
  unsigned x, y, z;
};

// A kernel: `signature` has a word per argument: `f4` a float, `i8` a long long, `*cb2` a pointer to const bf16.
struct simt_kernel {
  const char* name;
  const char* signature;
  unsigned arguments;
  void (*call)(void** arguments);
};

// Memory that a launch may touch. `cell` is the size in bytes of what is tracked as one, an element. `written` has a
// byte per cell, 1 where it holds a value, and is kept up to date; null where all of the region does.
struct simt_region {
  char* start;
  size_t bytes, cell;
  unsigned char* written;
  const char* name;
};

enum simt_schedule { SIMT_FORWARD, SIMT_REVERSE, SIMT_RANDOM };
enum simt_outcome { SIMT_DONE, SIMT_FINDINGS, SIMT_BAD_LAUNCH };

// `first_block` and `blocks` choose a part of the grid, counted along x, then y, then z; 0 blocks are all of them.
struct simt_options {
  unsigned schedule, seed;
  uint64_t first_block, blocks;
  // Blocks of a cluster, which follow each other along x; 0 and 1 are none. `first_block` and `blocks` are of whole ones.
  unsigned cluster;
  const struct simt_region* regions;
  size_t region_count;
  // Stacks of the threads: as many as a cluster has threads, one after the other, of SIMT_STACK_BYTES each. The first
  // SIMT_GUARD_BYTES of each cannot be accessed. All modules of a process use the same stacks.
  char* stacks;
};

}  // extern "C"

// The exported functions of a module.
//
// simt_kernel_at(i): the kernels in order, then null.
// simt_symbol: address and size of a variable that the source defines as extern "C"; 0 if there is none.
// simt_launch: runs per kernel to its end; `arguments` points to each argument's value. A simt_outcome.
// simt_report: a line per finding of the last launch, of tab-separated fields; lngen/extensions/simt/report.py reads them.
// simt_where: block index, then thread index, of the thread that is running; 0 if none is.
// simt_offset: where in the module's file an address of its code is, for addr2line.
SIMT_EXPORT int simt_abi();
SIMT_EXPORT const simt_kernel* simt_kernel_at(size_t index);
SIMT_EXPORT int simt_symbol(const char* name, void** address, size_t* bytes);
SIMT_EXPORT int simt_launch(const char* kernel, const unsigned grid_and_block[6], size_t shared_bytes, void** arguments,
                            const simt_options* options);
SIMT_EXPORT const char* simt_report();
SIMT_EXPORT int simt_where(unsigned block_and_thread[6]);
SIMT_EXPORT size_t simt_offset(const void* code);

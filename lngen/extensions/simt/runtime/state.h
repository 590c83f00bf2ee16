// State of a run: the launch, its running cluster, which is one block or several, their warps and threads.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../include/simt/calls.h"
#include "clocks.h"
#include "fibre.h"

namespace simt {

enum class Status : uint8_t { READY, AT_BARRIER, IN_WARP, EXITED };

struct Thread : simt_thread {
  unsigned linear = 0;  // of the cluster: its blocks have whole warps, if there are several
  unsigned block = 0;   // in the cluster
  Status status = Status::READY;
  const char* line = "";  // of the barrier or warp operation that it waits in
  size_t code = 0;        // instead of a line, at the barrier of the cluster
  bool of_cluster = false;  // the barrier
  void* stack_pointer = nullptr;

  unsigned lane() const { return linear % LANES; }
  unsigned warp() const { return linear / LANES; }
};

// Meeting of the lanes of one mask. Their values are kept for two meetings: a fast lane may be in the next one while a
// slow lane has not read yet.
struct Meeting {
  unsigned mask = 0, arrived = 0, count = 0;
  int operation = 0;
  const char* line = "";
  unsigned present[2] = {0, 0};
  alignas(8) unsigned char values[2][32][8];
};

struct Warp {
  unsigned alive = 0;
  std::vector<Meeting> meetings;
  // When lanes last had their memory accesses ordered: `known[a][b]` is a time before which a knows what b did.
  unsigned time = 1;
  std::vector<unsigned> known;
};

struct Barrier {
  unsigned arrived = 0;
  const char* line = "";
};

// A block of the running cluster.
struct Block {
  Barrier barrier;
  unsigned alive = 0;
  simt_dim index{};
  char* shared = nullptr;
};

struct Launch {
  simt_options options{};
  void (*call)(void**) = nullptr;
  void** arguments = nullptr;
  size_t shared_bytes = 0;
  unsigned block_threads = 0;
  uint64_t cluster_number = 0;
  uint64_t random = 1;
  bool ended = false;  // by a finding after which nothing that follows would mean anything

  unsigned any() {  // xorshift64
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return unsigned(random >> 11);
  }
};

struct State {
  Launch launch;
  std::vector<Block> blocks;  // of the cluster
  Barrier of_cluster;
  Clocks clocks;
  std::vector<Thread> threads;
  std::vector<Warp> warps;

  unsigned warps_of_block() const { return unsigned(warps.size() / blocks.size()); }
  Stacks stacks;
  void* launcher = nullptr;  // the stack pointer of whoever started the block
};

extern State state;

inline Thread& current() { return *static_cast<Thread*>(simt_current); }
inline Block& current_block() { return state.blocks[current().block]; }

}  // namespace simt

#include <cstring>

#include "findings.h"
#include "meeting.h"
#include "scheduler.h"

namespace simt {

static Barrier& barrier_of(bool of_cluster) { return of_cluster ? state.of_cluster : current_block().barrier; }

static void open(bool of_cluster) {
  Barrier& barrier = barrier_of(of_cluster);
  barrier.arrived = 0;
  const unsigned warps = state.warps_of_block();
  if (of_cluster) state.clocks.meet(0, unsigned(state.warps.size()));
  else state.clocks.meet(current().block * warps, warps);
  const size_t count = state.launch.block_threads, first = of_cluster ? 0 : current().block * count;
  const size_t end = of_cluster ? state.threads.size() : first + count;
  for (size_t i = first; i < end; ++i) {
    Thread& thread = state.threads[i];
    if (thread.status == Status::AT_BARRIER && thread.of_cluster == of_cluster) make_ready(thread);
  }
  reorder();
}

static unsigned alive_in_cluster() {
  unsigned alive = 0;
  for (const Block& block : state.blocks) alive += block.alive;
  return alive;
}

static bool complete(bool of_cluster) {
  const unsigned arrived = barrier_of(of_cluster).arrived;
  return arrived && arrived == (of_cluster ? alive_in_cluster() : current_block().alive);
}

void barrier_may_open() {
  for (const bool of_cluster : {false, true})
    if (complete(of_cluster)) open(of_cluster);
}

static void arrive(bool of_cluster, const char* line, size_t code) {
  current().status = Status::AT_BARRIER;
  current().of_cluster = of_cluster;
  current().line = line;
  current().code = code;
  barrier_of(of_cluster).arrived++;
  if (complete(of_cluster)) open(of_cluster);
  wait();
}

}  // namespace simt

extern "C" void simt_barrier(const char* line) {
  using namespace simt;
  Barrier& barrier = barrier_of(false);
  if (barrier.arrived && strcmp(barrier.line, line)) {
    Finding finding{"divergent barrier"};
    finding.line = line;
    finding.other_line = barrier.line;
    finding.text = "other threads of the block wait at the barrier of " + std::string(barrier.line);
    report(finding);
    abandon();
  }
  barrier.line = line;
  arrive(false, line, 0);
}

// Threads may come from different places of the code, as they may on hardware.
extern "C" void simt_cluster_barrier() {
  simt::arrive(true, "", simt::offset_of_call(__builtin_return_address(0)));
}

#include <cstring>

#include "findings.h"
#include "meeting.h"
#include "scheduler.h"

namespace simt {

[[noreturn]] static void refuse_barrier(const char* line, size_t code, const Barrier& other, const std::string& text) {
  Finding finding{"divergent barrier"};
  finding.line = line;
  finding.code = code;
  finding.other_line = other.line;
  finding.other_code = other.code;
  finding.text = text;
  report(finding);
  abandon();
}

static Barrier& barrier_of(int number) { return number == OF_CLUSTER ? state.of_cluster : current_block().barriers[number]; }

static unsigned warp_of_block(const Thread& thread) { return thread.warp() - thread.block * state.warps_of_block(); }

// The threads that wait at a barrier of the running block, or of the cluster.
template <class F> static void each_waiting(int number, F visit) {
  const size_t count = state.launch.block_threads, first = number == OF_CLUSTER ? 0 : current().block * count;
  const size_t end = number == OF_CLUSTER ? state.threads.size() : first + count;
  for (size_t i = first; i < end; ++i)
    if (state.threads[i].status == Status::AT_BARRIER && state.threads[i].barrier == number) visit(state.threads[i]);
}

// Hardware counts warps: one of which a part arrives, or has exited, is counted as a whole.
static void refuse_part_of_a_warp(int number, uint32_t warps) {
  unsigned arrived[MOST_WARPS] = {};
  each_waiting(number, [&](const Thread& thread) { arrived[warp_of_block(thread)]++; });
  for (unsigned warp = 0; warp < MOST_WARPS; ++warp) {
    if (!(warps >> warp & 1) || arrived[warp] == LANES) continue;
    const Barrier& barrier = barrier_of(number);
    refuse_barrier("", current().code, Barrier(),
                   "barrier " + std::to_string(number) + " has its " + std::to_string(barrier.threads) +
                       " threads, and of warp " + std::to_string(warp) + " only " + std::to_string(arrived[warp]) +
                       ": more threads arrive than it waits for, or warps that are not whole");
  }
}

static void open(int number) {
  Barrier& barrier = barrier_of(number);
  // The accesses of exited threads are known too, where all are waited for.
  uint32_t warps = barrier.threads ? 0 : ~0u;
  if (barrier.threads) {
    each_waiting(number, [&](const Thread& thread) { warps |= 1u << warp_of_block(thread); });
    refuse_part_of_a_warp(number, warps);
  }
  const unsigned count = state.warps_of_block(), first = current().block * count;
  barrier.result = barrier.agreed;
  barrier.arrived = barrier.agreed = 0;
  barrier.met = true;
  barrier.met_at = state.clocks.time();
  barrier.met_warp = first + unsigned(__builtin_ctz(warps));
  if (number == OF_CLUSTER) state.clocks.meet_all();
  else state.clocks.meet(first, count, warps);
  each_waiting(number, make_ready);
  reorder();
}

static unsigned alive_in_cluster() {
  unsigned alive = 0;
  for (const Block& block : state.blocks) alive += block.alive;
  return alive;
}

static bool complete(int number) {
  const Barrier& barrier = barrier_of(number);
  if (!barrier.arrived) return false;
  if (number == OF_CLUSTER) return barrier.arrived == alive_in_cluster();
  return barrier.arrived == (barrier.threads ? barrier.threads : current_block().alive);
}

void barrier_may_open() {
  if (!barrier_of(0).threads && complete(0)) open(0);
  if (complete(OF_CLUSTER)) open(OF_CLUSTER);
}

static std::string threads_of(const Barrier& barrier) {
  return barrier.threads ? std::to_string(barrier.threads) + " threads" : "all threads of the block";
}

static unsigned arrive(int number, const Barrier& how, int predicate) {
  Barrier& barrier = barrier_of(number);
  if (barrier.arrived && barrier.threads != how.threads) {
    refuse_barrier(how.line, how.code, barrier,
                   "barrier " + std::to_string(number) + " waits for " + threads_of(how) + " here, and for " +
                       threads_of(barrier) + " where others have arrived");
  }
  if (barrier.met && !state.clocks.knows(current().warp(), barrier.met_warp, barrier.met_at)) {
    refuse_barrier(how.line, how.code, barrier,
                   "warp " + std::to_string(current().warp()) + " arrives at barrier " + std::to_string(number) +
                       ", where warp " + std::to_string(barrier.met_warp) +
                       " has met others, and nothing orders the two: threads of both may take each other's place");
  }
  barrier.threads = how.threads;
  barrier.line = how.line;
  barrier.code = how.code;
  barrier.kind = how.kind;
  barrier.arrived++;
  barrier.agreed += predicate != 0;
  current().status = Status::AT_BARRIER;
  current().barrier = number;
  current().line = how.line;
  current().code = how.code;
  if (complete(number)) open(number);
  wait();
  return barrier.result;
}

}  // namespace simt

extern "C" unsigned simt_barrier(int kind, int predicate, const char* line) {
  using namespace simt;
  const Barrier& barrier = barrier_of(0);
  if (barrier.arrived && !barrier.threads && (strcmp(barrier.line, line) || barrier.kind != kind))
    refuse_barrier(line, 0, barrier, "other threads of the block wait at the barrier of " + std::string(barrier.line));
  Barrier how;
  how.kind = kind;
  how.line = line;
  return arrive(0, how, predicate);
}

// Threads may come from different places of the code, as they may on hardware.
extern "C" void simt_cluster_barrier() {
  using namespace simt;
  Barrier how;
  how.code = offset_of_call(__builtin_return_address(0));
  arrive(OF_CLUSTER, how, 0);
}

extern "C" void simt_numbered_barrier(int number, unsigned threads) {
  using namespace simt;
  Barrier how;
  how.threads = threads;
  how.code = offset_of_call(__builtin_return_address(0));
  if (number < 0 || number >= BARRIERS)
    refuse_barrier("", how.code, Barrier(), "there is no barrier " + std::to_string(number) + ", but those of 0 to 15");
  if (!threads || threads % LANES)
    refuse_barrier("", how.code, Barrier(), "a barrier of " + std::to_string(threads) + " threads, which are no whole warps");
  arrive(number, how, 0);
}

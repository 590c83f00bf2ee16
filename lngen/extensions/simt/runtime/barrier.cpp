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

// Hardware counts warps: one of which a part arrives, or has exited, is counted as a whole.
static void refuse_part_of_a_warp(int number, uint32_t warps) {
  unsigned arrived[MOST_WARPS] = {};
  for (const Thread& thread : state.threads)
    if (thread.status == Status::AT_BARRIER && thread.barrier == number) arrived[thread.warp()]++;
  for (unsigned warp = 0; warp < MOST_WARPS; ++warp) {
    if (!(warps >> warp & 1) || arrived[warp] == LANES) continue;
    const Barrier& barrier = state.barriers[number];
    refuse_barrier("", current().code, Barrier(),
                   "barrier " + std::to_string(number) + " has its " + std::to_string(barrier.threads) +
                       " threads, and of warp " + std::to_string(warp) + " only " + std::to_string(arrived[warp]) +
                       ": more threads arrive than it waits for, or warps that are not whole");
  }
}

static void open(int number) {
  Barrier& barrier = state.barriers[number];
  // The accesses of exited threads are known too, where all are waited for.
  uint32_t warps = barrier.threads ? 0 : ~0u;
  if (barrier.threads) {
    for (const Thread& thread : state.threads)
      if (thread.status == Status::AT_BARRIER && thread.barrier == number) warps |= 1u << thread.warp();
    refuse_part_of_a_warp(number, warps);
  }
  barrier.result = barrier.agreed;
  barrier.arrived = barrier.agreed = 0;
  barrier.met = true;
  barrier.met_at = state.clocks.time();
  barrier.met_warp = unsigned(__builtin_ctz(warps));
  state.clocks.meet(warps);
  for (Thread& thread : state.threads)
    if (thread.status == Status::AT_BARRIER && thread.barrier == number) make_ready(thread);
  reorder();
}

static bool complete(const Barrier& barrier) {
  return barrier.arrived && barrier.arrived == (barrier.threads ? barrier.threads : state.alive);
}

void barrier_may_open() {
  if (!state.barriers[0].threads && complete(state.barriers[0])) open(0);
}

static std::string threads_of(const Barrier& barrier) {
  return barrier.threads ? std::to_string(barrier.threads) + " threads" : "all threads of the block";
}

static unsigned arrive(int number, const Barrier& how, int predicate) {
  Barrier& barrier = state.barriers[number];
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
  if (complete(barrier)) open(number);
  wait();
  return barrier.result;
}

}  // namespace simt

extern "C" unsigned simt_barrier(int kind, int predicate, const char* line) {
  using namespace simt;
  const Barrier& barrier = state.barriers[0];
  if (barrier.arrived && !barrier.threads && (strcmp(barrier.line, line) || barrier.kind != kind))
    refuse_barrier(line, 0, barrier, "other threads of the block wait at the barrier of " + std::string(barrier.line));
  Barrier how;
  how.kind = kind;
  how.line = line;
  return arrive(0, how, predicate);
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

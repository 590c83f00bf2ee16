#include <cstring>

#include "findings.h"
#include "meeting.h"
#include "scheduler.h"

namespace simt {

void barrier_may_open() {
  Barrier& barrier = state.barrier;
  if (!barrier.arrived || barrier.arrived != state.alive) return;
  barrier.result = barrier.agreed;
  barrier.arrived = barrier.agreed = 0;
  barrier.passed++;
  for (Thread& thread : state.threads)
    if (thread.status == Status::AT_BARRIER) make_ready(thread);
  reorder();
}

}  // namespace simt

extern "C" unsigned simt_barrier(int kind, int predicate, const char* line) {
  using namespace simt;
  Barrier& barrier = state.barrier;
  if (barrier.arrived && (strcmp(barrier.line, line) || barrier.kind != kind)) {
    Finding finding{"divergent barrier"};
    finding.line = line;
    finding.other_line = barrier.line;
    finding.text = "other threads of the block wait at the barrier of " + std::string(barrier.line);
    report(finding);
    abandon();
  }
  barrier.line = line;
  barrier.kind = kind;
  barrier.arrived++;
  barrier.agreed += predicate != 0;
  current().status = Status::AT_BARRIER;
  current().line = line;
  barrier_may_open();
  wait();
  return barrier.result;
}

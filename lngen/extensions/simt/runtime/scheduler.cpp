#include "scheduler.h"

#include <algorithm>

#include "checker.h"
#include "copies.h"
#include "findings.h"
#include "meeting.h"

namespace simt {

State state;

// Threads that can go on. Forward takes the one that has waited longest, so that all threads keep step; reverse the one
// that came last, so that a warp runs ahead as far as it can: a barrier that is missing shows in one or the other.
// Random is depth first too, over warps and lanes in a random order, but for a block in four, where each pick is random:
// picks that are all random would keep the warps close together, and hide what a warp that lags reads too late.
static std::vector<unsigned> ready;
static size_t first_ready;
static bool picks_at_random;

void make_ready(Thread& thread) {
  thread.status = Status::READY;
  ready.push_back(thread.linear);
}

void reorder() {
  if (state.launch.options.schedule != SIMT_RANDOM) return;
  const auto begin = ready.begin() + std::ptrdiff_t(first_ready);
  for (size_t i = size_t(ready.end() - begin); i > 1; --i) std::swap(begin[i - 1], begin[state.launch.any() % i]);
  if (picks_at_random) return;
  std::vector<unsigned> place(state.warps.size());
  for (unsigned& warp : place) warp = state.launch.any();
  std::stable_sort(begin, ready.end(), [&](unsigned a, unsigned b) { return place[a / 32] < place[b / 32]; });
}

static Thread* next() {
  if (state.launch.ended || first_ready == ready.size()) return nullptr;
  if (state.launch.options.schedule == SIMT_FORWARD) {
    const unsigned chosen = ready[first_ready++];
    if (first_ready == ready.size()) {
      ready.clear();
      first_ready = 0;
    }
    return &state.threads[chosen];
  }
  if (picks_at_random) std::swap(ready[state.launch.any() % ready.size()], ready.back());
  const unsigned chosen = ready.back();
  ready.pop_back();
  return &state.threads[chosen];
}

// What blockIdx and the shared memory are from here on.
static void enter_block(unsigned block) {
  simt_running_block.index = state.blocks[block].index;
  simt_running_block.shared = state.blocks[block].shared;
}

static void leave(void** stack_pointer) {
  Thread* following = next();
  if (following && following == simt_current) return;
  if (following && state.blocks.size() > 1) enter_block(following->block);
  simt_current = following;
  simt_switch(stack_pointer, following ? following->stack_pointer : state.launcher);
}

void wait() { leave(&current().stack_pointer); }

void abandon() {
  void* never;
  state.launch.ended = true;
  simt_current = nullptr;
  simt_switch(&never, state.launcher);
  __builtin_unreachable();
}

static void thread_start() {
  state.launch.call(state.launch.arguments);
  Thread& thread = current();
  thread.status = Status::EXITED;
  if (!--current_block().alive) check_end_of_block();
  lane_exits(thread);
  barrier_may_open();
  void* never;
  leave(&never);
  __builtin_unreachable();
}

static std::string name_of(const Thread& at_barrier) {
  return std::string("the barrier of ") + (at_barrier.of_cluster ? "the cluster" : at_barrier.line);
}

static void report_deadlock() {
  const Thread *at_barrier = nullptr, *in_warp = nullptr;
  unsigned barriers = 0, warps = 0;
  for (const Thread& thread : state.threads) {
    if (thread.status == Status::AT_BARRIER && !at_barrier) at_barrier = &thread;
    barriers += thread.status == Status::AT_BARRIER && thread.of_cluster == at_barrier->of_cluster;
    if (thread.status == Status::IN_WARP && !warps++) in_warp = &thread;
  }
  std::string text;
  if (at_barrier) {
    text = std::to_string(barriers) + " of " + std::to_string(state.threads.size()) +
           " threads wait at " + name_of(*at_barrier);
  }
  if (in_warp) {
    text += (text.empty() ? "" : " and ") + std::to_string(warps) + " in the warp operation of " + in_warp->line;
  }
  const Thread* first = at_barrier ? at_barrier : in_warp;
  Finding finding{at_barrier ? "divergent barrier" : "divergent warp operation"};
  finding.line = first->line;
  finding.code = first->code;
  finding.other_line = at_barrier && in_warp ? in_warp->line : "";
  finding.thread = first;
  finding.text = text + ", for threads that never come";
  report(finding);
}

void run_cluster() {
  const unsigned count = unsigned(state.threads.size()), of_block = state.launch.block_threads;
  ready.clear();
  first_ready = 0;
  for (Block& block : state.blocks) {
    block.alive = of_block;
    block.barrier = Barrier();
  }
  state.of_cluster = Barrier();
  forget_copies();
  state.warps.assign((count + 31) / 32, Warp());
  state.clocks.start(unsigned(state.warps.size()));
  begin_block_checks();
  enter_block(0);
  const simt_dim size = simt_running_block.size;
  for (unsigned i = 0; i < count; ++i) {
    Thread& thread = state.threads[i];
    const unsigned n = i % of_block;
    thread.index = {n % size.x, n / size.x % size.y, n / (size.x * size.y)};
    thread.linear = i;
    thread.block = i / of_block;
    thread.line = "";
    thread.code = 0;
    thread.stack_pointer = state.stacks.fresh(i, thread_start);
    state.warps[thread.warp()].alive |= 1u << thread.lane();
    make_ready(thread);
  }
  picks_at_random = state.launch.options.schedule == SIMT_RANDOM && state.launch.any() % 4 == 0;
  reorder();
  leave(&state.launcher);
  const auto lives = [](const Block& block) { return block.alive > 0; };
  if (!state.launch.ended && std::any_of(state.blocks.begin(), state.blocks.end(), lives)) {
    report_deadlock();
    state.launch.ended = true;
  }
}

}  // namespace simt

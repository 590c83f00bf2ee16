#include "checker.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "findings.h"
#include "image.h"
#include "scheduler.h"
#include "shadow.h"

// Bytes that the last launch read and wrote of each region, in the order of the options. Reads of a cell by threads of a
// block that nothing orders are one: lanes of an access, or a value that a cache still has.
static constexpr size_t MOST_COUNTED = 64;
extern "C" {
__attribute__((visibility("default"))) uint64_t simt_moved[MOST_COUNTED][2];
}

namespace simt {

static std::vector<Shadow> shadows;  // by address
static Shadow* last_used;
static bool checking;

// Reads of each warp of the running cluster, for cells that several warps have read: one row of the table after the other,
// of which the first is no cell's.
static std::vector<Reads> reads_of_warps;
static Reads* reads_of(const Cell& cell) { return &reads_of_warps[cell.many_warps * state.warps.size()]; }

// The last access of a warp to the shared memory of another block of its cluster.
struct AccessFromOutside {
  bool there = false;
  uint32_t clock = 0, code = 0;
};
static std::vector<AccessFromOutside> from_outside;  // by block and warp
static AccessFromOutside& access_from_outside(unsigned block, unsigned warp) {
  return from_outside[block * state.warps.size() + warp];
}

void begin_checks() {
  shadows.clear();
  last_used = nullptr;
  const simt_options& options = state.launch.options;
  memset(simt_moved, 0, sizeof simt_moved);
  for (size_t i = 0; i < options.region_count; ++i)
    shadows.emplace_back(options.regions[i], false, 0, i < MOST_COUNTED ? simt_moved[i] : nullptr);
  const size_t cell = 2;  // bytes: the smallest type of the kernels
  if (state.launch.shared_bytes) {
    for (unsigned block = 0; block < state.blocks.size(); ++block) {
      const simt_region region{state.blocks[block].shared, state.launch.shared_bytes, cell, nullptr, "shared memory"};
      shadows.emplace_back(region, true, block);
    }
  }
  const Span statics = static_shared();
  if (statics.bytes) shadows.emplace_back(simt_region{statics.start, statics.bytes, 1, nullptr, "static shared memory"}, true);
  std::sort(shadows.begin(), shadows.end(), [](const Shadow& a, const Shadow& b) { return a.start() < b.start(); });
  checking = true;
}

void begin_block_checks() {
  reads_of_warps.resize(state.warps.size());
  from_outside.assign(state.blocks.size() * state.warps.size(), AccessFromOutside());
}

void end_checks() {
  checking = false;
  shadows.clear();
}

void order_lanes(Warp& warp, unsigned lanes) {
  if (!checking) return;
  warp.known.resize(LANES * LANES);
  warp.time++;
  unsigned together[LANES] = {};
  for (unsigned lane = 0; lane < LANES; ++lane)
    if (lanes >> lane & 1)
      for (unsigned other = 0; other < LANES; ++other)
        together[other] = std::max(together[other], warp.known[lane * LANES + other]);
  for (unsigned lane = 0; lane < LANES; ++lane)
    if (lanes >> lane & 1) together[lane] = warp.time;
  for (unsigned lane = 0; lane < LANES; ++lane)
    if (lanes >> lane & 1) std::copy(together, together + LANES, &warp.known[lane * LANES]);
}

// ------------------------------------------------------------------------------------------------------ who knows what

static uint32_t cluster_mark() { return uint32_t(state.launch.cluster_number) + 1; }

static Moment now(const Thread& thread) {
  return {cluster_mark(), state.clocks.time(), state.warps[thread.warp()].time};
}

// Of lanes of a warp that did something at a time of the clocks and of the warp: those of which the thread does not know.
static uint32_t unknown(const Thread& thread, unsigned warp, uint32_t lanes, uint32_t clock, uint32_t time) {
  if (state.clocks.knows(thread.warp(), warp, clock)) return 0;
  if (warp != thread.warp()) return lanes;
  lanes &= ~(1u << thread.lane());
  const Warp& own = state.warps[warp];
  if (!lanes || own.known.empty()) return lanes;
  for (unsigned lane = 0; lane < LANES; ++lane)
    if (own.known[thread.lane() * LANES + lane] > time) lanes &= ~(1u << lane);
  return lanes;
}

static uint32_t unknown(const Thread& thread, unsigned warp, const Reads& reads) {
  return unknown(thread, warp, reads.lanes, reads.clock, reads.time);
}

static bool write_is_unordered(const Cell& cell, const Thread& thread) {
  const Moment& written = cell.written;
  if (written.block != cluster_mark()) return written.block;
  return unknown(thread, cell.writer / LANES, 1u << cell.writer % LANES, written.clock, written.time);
}

// A warp's reads of a cell that the thread does not know of, if there are any; `warp` says whose.
static const Reads* unordered_reads(const Cell& cell, const Thread& thread, unsigned& warp) {
  warp = cell.reader_warp;
  if (cell.read_block != cluster_mark()) return cell.read_block && cell.read.lanes ? &cell.read : nullptr;
  if (!cell.many_warps) return unknown(thread, warp, cell.read) ? &cell.read : nullptr;
  const Reads* reads = reads_of(cell);
  for (warp = 0; warp < state.warps.size(); ++warp)
    if (reads[warp].lanes && unknown(thread, warp, reads[warp])) return &reads[warp];
  return nullptr;
}

static void note_write(Cell& cell, const Thread& thread, uint32_t code) {
  cell.written = now(thread);
  cell.writer = uint16_t(thread.linear);
  cell.writer_code = code;
  // An access after the write comes after everything that the write came after.
  if (cell.many_warps && cell.read_block == cluster_mark()) std::fill_n(reads_of(cell), state.warps.size(), Reads());
  cell.read.lanes = 0;
}

static void note_read(Cell& cell, const Thread& thread, uint32_t code) {
  const unsigned warp = thread.warp();
  if (cell.read_block != cluster_mark()) {
    cell.read_block = cluster_mark();
    cell.read.lanes = cell.many_warps = 0;
  }
  if (!cell.many_warps && cell.reader_warp != warp && unknown(thread, cell.reader_warp, cell.read)) {
    cell.many_warps = uint32_t(reads_of_warps.size() / state.warps.size());
    reads_of_warps.resize(reads_of_warps.size() + state.warps.size());
    reads_of(cell)[cell.reader_warp] = cell.read;
  }
  Reads* reads = &cell.read;
  bool goes_on = cell.reader_warp == warp;
  if (cell.many_warps) {
    reads = &reads_of(cell)[warp];
    goes_on = reads->lanes != 0;
  }
  // Reads that this one follows for certain need no place: who comes after this one comes after them.
  reads->lanes = (goes_on ? unknown(thread, warp, *reads) : 0) | 1u << thread.lane();
  reads->clock = state.clocks.time();
  reads->time = state.warps[warp].time;
  reads->code = code;
  if (cell.many_warps) cell.read = *reads;
  cell.reader_warp = uint16_t(warp);
}

// ------------------------------------------------------------------------------------------------------------ accesses

struct Access {
  const char* address;
  size_t bytes;
  bool writes;
  size_t code;
};

static Finding finding_of(const char* kind, const Access& access, const Shadow* shadow) {
  Finding finding{kind};
  finding.code = access.code;
  finding.bytes = access.bytes;
  finding.text = access.writes ? "write" : "read";
  if (shadow) {
    finding.buffer = shadow->name();
    finding.offset = access.address - shadow->start();
    finding.buffer_bytes = size_t(shadow->end() - shadow->start());
  }
  return finding;
}

static Shadow* shadow_at(const char* address) {
  if (last_used && address >= last_used->start() && address < last_used->end()) return last_used;
  auto after = std::upper_bound(shadows.begin(), shadows.end(), address,
                                [](const char* a, const Shadow& shadow) { return a < shadow.start(); });
  if (after == shadows.begin() || address >= (after - 1)->end()) return nullptr;
  return last_used = &*(after - 1);
}

static const Shadow* nearest(const char* address) {
  const Shadow* best = nullptr;
  ptrdiff_t distance = 1 << 16;
  for (const Shadow& shadow : shadows) {
    const ptrdiff_t away = address < shadow.start() ? shadow.start() - address : address - shadow.end();
    if (away < distance) best = &shadow, distance = away;
  }
  return best;
}

static void report_race(const Access& access, const Shadow& shadow, const char* other, uint32_t cluster, unsigned thread,
                        uint32_t code) {
  Finding finding = finding_of("data race", access, &shadow);
  const unsigned block = thread / state.launch.block_threads;
  finding.other_code = code;
  finding.other_thread = long(thread % state.launch.block_threads);
  finding.text += std::string("\t") + other;
  finding.text += cluster == cluster_mark() && block == current().block
                      ? "\tsame block"
                      : "\tblock " + std::to_string((cluster - 1ull) * state.blocks.size() + block);
  report(finding);
}

// Shared memory of a block is there from when it has begun until it ends; barriers of the cluster say when that is.
static bool refuse_absent(const Access& access, const Shadow& shadow) {
  const Thread& thread = current();
  const unsigned block = shadow.block();
  const char* problem = nullptr;
  if (!state.clocks.knows(thread.warp(), block * state.warps_of_block(), 0)) problem = ", which need not have begun";
  else if (!state.blocks[block].alive) problem = ", which has ended";
  access_from_outside(block, thread.warp()) = {true, state.clocks.time(), uint32_t(access.code)};
  if (!problem) return false;
  Finding finding = finding_of("absent block", access, &shadow);
  finding.text += " in block " + std::to_string(block) + " of the cluster" + problem + ",";
  report(finding);
  return true;
}

void check_end_of_block() {
  if (!checking) return;
  const unsigned block = current().block, first = block * state.warps_of_block(), end = first + state.warps_of_block();
  for (unsigned warp = 0; warp < state.warps.size(); ++warp) {
    const AccessFromOutside& access = access_from_outside(block, warp);
    bool known = !access.there;
    for (unsigned own = first; own < end && !known; ++own) known = state.clocks.knows(own, warp, access.clock);
    if (known) continue;
    Finding finding{"absent block"};
    finding.code = access.code;
    finding.text = "an access to the shared memory of block " + std::to_string(block) +
                   " of the cluster, which ends without a barrier behind it";
    report(finding);
  }
}

static bool races(const Access& access, const Shadow& shadow, const Cell& cell) {
  const Thread& thread = current();
  if (write_is_unordered(cell, thread)) {
    report_race(access, shadow, "write", cell.written.block, cell.writer, cell.writer_code);
    return true;
  }
  if (!access.writes) return false;
  unsigned warp;
  const Reads* reads = unordered_reads(cell, thread, warp);
  if (!reads) return false;
  const uint32_t lanes = cell.read_block == cluster_mark() ? unknown(thread, warp, *reads) : reads->lanes;
  const unsigned other = warp * LANES + unsigned(__builtin_ctz(lanes));
  report_race(access, shadow, "read", cell.read_block, other, reads->code);
  return true;
}

static void report_in_flight(const Access& access, const Shadow& shadow, const Cell& cell) {
  Finding finding = finding_of("copy in flight", access, &shadow);
  finding.other_code = cell.writer_code;
  finding.other_thread = cell.writer;
  report(finding);
}

// Counts what an access moves of a cell of global memory.
static void count(const Access& access, const Shadow& shadow, const Cell& cell) {
  unsigned warp;
  const bool is_first = cell.read_block != cluster_mark() || !unordered_reads(cell, current(), warp);
  if (access.writes || is_first) shadow.moved[access.writes] += shadow.cell_bytes();
}

// A copy is counted where it starts, and checked where it arrives too.
static void check(const Access& access, Shadow& shadow, bool counts) {
  const Thread& thread = current();
  if (shadow.shared() && shadow.block() != thread.block && refuse_absent(access, shadow)) return;
  const size_t first = shadow.cell_of(access.address), last = shadow.cell_of(access.address + access.bytes - 1);
  for (size_t index = first; index <= last; ++index) {
    Cell& cell = shadow.cell(index);
    // Shared memory of a block that has ended is another's memory.
    if (shadow.shared() && cell.written.block != cluster_mark()) {
      cell.written = Moment();
      cell.in_flight = false;
    }
    if (shadow.shared() && cell.read_block != cluster_mark()) cell.read_block = 0;
    if (cell.in_flight) return report_in_flight(access, shadow, cell);
    if (!access.writes) {
      const bool there = shadow.shared() ? cell.written.block == cluster_mark() : shadow.holds_value(index);
      if (!there) {
        report(finding_of("uninitialised read", access, &shadow));
        return;
      }
    }
    if (races(access, shadow, cell)) return;
    if (counts && shadow.moved) count(access, shadow, cell);
    if (access.writes) {
      note_write(cell, thread, uint32_t(access.code));
      shadow.set_written(index);
    } else {
      note_read(cell, thread, uint32_t(access.code));
    }
  }
}

// A thread's own index, which threadIdx reads.
static bool holds_threads(const char* address) {
  const char* first = reinterpret_cast<const char*>(state.threads.data());
  return address >= first && address < first + state.threads.size() * sizeof(Thread);
}

static void see(const Access& access, bool counts = true) {
  if (state.stacks.holds(current().linear, access.address) || holds_threads(access.address)) return;
  Shadow* shadow = shadow_at(access.address);
  if (shadow && access.address + access.bytes <= shadow->end()) return check(access, *shadow, counts);
  // The rest are the module's own variables: constants, and the place of a thread.
  if (!shadow && in_image(access.address)) return;
  report(finding_of("out of bounds", access, shadow ? shadow : nearest(access.address)));
  abandon();
}

static void see(void* address, size_t bytes, bool writes, void* code) {
  if (!checking || !simt_current || !bytes) return;
  see({static_cast<const char*>(address), bytes, writes, offset_of_call(code)});
}

// The cells that a copy writes, which the caller knows to be shared memory.
template <class F> static void each_cell(const Copy& copy, F change) {
  Shadow& shadow = *shadow_at(copy.to);
  const size_t last = shadow.cell_of(copy.to + copy.bytes - 1);
  for (size_t index = shadow.cell_of(copy.to); index <= last; ++index) change(shadow.cell(index));
}

void check_start(const Copy& copy) {
  if (!checking) return;
  see({copy.from, copy.bytes, false, copy.code});
  see({copy.to, copy.bytes, true, copy.code});
  each_cell(copy, [&](Cell& cell) {
    note_write(cell, current(), uint32_t(copy.code));
    cell.in_flight = true;
  });
}

void check_arrival(const Copy& copy) {
  if (!checking) return;
  see({copy.from, copy.bytes, false, copy.code}, false);
  each_cell(copy, [](Cell& cell) { cell.in_flight = false; });
  see({copy.to, copy.bytes, true, copy.code});
}

}  // namespace simt

// ------------------------------------------------------------------------------- what -fsanitize=thread makes g++ call

#define HOOK extern "C" __attribute__((visibility("hidden")))
#define ACCESS(name, bytes, writes) \
  HOOK void name(void* address) { simt::see(address, bytes, writes, __builtin_return_address(0)); }
#define ACCESSES(bytes)                                \
  ACCESS(__tsan_read##bytes, bytes, false)             \
  ACCESS(__tsan_write##bytes, bytes, true)             \
  ACCESS(__tsan_unaligned_read##bytes, bytes, false)   \
  ACCESS(__tsan_unaligned_write##bytes, bytes, true)   \
  ACCESS(__tsan_volatile_read##bytes, bytes, false)    \
  ACCESS(__tsan_volatile_write##bytes, bytes, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
#define RANGE(name, writes) \
  HOOK void name(void* address, size_t bytes) { simt::see(address, bytes, writes, __builtin_return_address(0)); }
RANGE(__tsan_read_range, false)
RANGE(__tsan_write_range, true)
HOOK void __tsan_func_entry(void*) {}
HOOK void __tsan_func_exit(void*) {}
HOOK void __tsan_init() {}
HOOK void __tsan_vptr_update(void**, void*) {}
HOOK void __tsan_vptr_read(void**) {}

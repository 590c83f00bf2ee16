#include "checker.h"

#include <algorithm>
#include <vector>

#include "findings.h"
#include "image.h"
#include "scheduler.h"
#include "shadow.h"

namespace simt {

static std::vector<Shadow> shadows;  // by address
static Shadow* last_used;
static bool checking;

static constexpr unsigned LANES = 32;

void begin_checks() {
  shadows.clear();
  last_used = nullptr;
  const simt_options& options = state.launch.options;
  for (size_t i = 0; i < options.region_count; ++i) shadows.emplace_back(options.regions[i], false);
  const size_t cell = 2;  // bytes: the smallest type of the kernels
  if (state.launch.shared_bytes) {
    char* start = static_cast<char*>(simt_running_block.shared);
    shadows.emplace_back(simt_region{start, state.launch.shared_bytes, cell, nullptr, "shared memory"}, true);
  }
  const Span statics = static_shared();
  if (statics.bytes) shadows.emplace_back(simt_region{statics.start, statics.bytes, 1, nullptr, "static shared memory"}, true);
  std::sort(shadows.begin(), shadows.end(), [](const Shadow& a, const Shadow& b) { return a.start() < b.start(); });
  checking = true;
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

static uint32_t block_mark() { return uint32_t(state.launch.block_number) + 1; }

static Moment now(const Thread& thread) {
  return {block_mark(), state.barrier.passed, state.warps[thread.warp()].time};
}

// Whether the current thread's warp knows that `lane` of it had done by `time` what it did.
static bool knows(const Thread& thread, unsigned lane, uint32_t time) {
  const Warp& warp = state.warps[thread.warp()];
  return lane == thread.lane() || (!warp.known.empty() && warp.known[thread.lane() * LANES + lane] > time);
}

enum class Order { BEFORE, BARRIERS_AGREE, OTHER_BLOCK };

// By blocks and barriers alone: whether something was before now, or could be at the same time.
static Order order(const Moment& moment) {
  if (!moment.block) return Order::BEFORE;
  if (moment.block != block_mark()) return Order::OTHER_BLOCK;
  return moment.barriers == state.barrier.passed ? Order::BARRIERS_AGREE : Order::BEFORE;
}

static bool write_is_unordered(const Cell& cell, const Thread& thread) {
  switch (order(cell.written)) {
    case Order::BEFORE: return false;
    case Order::OTHER_BLOCK: return true;
    case Order::BARRIERS_AGREE: break;
  }
  return cell.writer / LANES != thread.warp() || !knows(thread, cell.writer % LANES, cell.written.time);
}

// The lanes of the cell's reading warp, if it is the thread's own, whose reads the thread does not know of.
static uint32_t unknown_readers(const Cell& cell, const Thread& thread) {
  uint32_t lanes = 0;
  for (unsigned lane = 0; lane < LANES; ++lane)
    if ((cell.readers >> lane & 1) && !knows(thread, lane, cell.read.time)) lanes |= 1u << lane;
  return lanes;
}

static bool reads_are_unordered(const Cell& cell, const Thread& thread) {
  switch (order(cell.read)) {
    case Order::BEFORE: return false;
    case Order::OTHER_BLOCK: return true;
    case Order::BARRIERS_AGREE: break;
  }
  return cell.many_warps_read || cell.reader_warp != thread.warp() || unknown_readers(cell, thread);
}

static void note_write(Cell& cell, const Thread& thread, bool atomic, uint32_t code) {
  cell.written = now(thread);
  cell.writer = uint16_t(thread.linear);
  cell.writer_code = code;
  cell.atomic = atomic;
}

static void note_read(Cell& cell, const Thread& thread, uint32_t code) {
  const bool goes_on = order(cell.read) == Order::BARRIERS_AGREE;
  const bool same_warp = goes_on && cell.reader_warp == thread.warp();
  cell.many_warps_read = goes_on && (cell.many_warps_read || !same_warp);
  // Reads that this one follows for certain need no place: who comes after this one comes after them.
  cell.readers = (same_warp ? unknown_readers(cell, thread) : 0) | 1u << thread.lane();
  cell.read = now(thread);
  cell.reader_warp = uint16_t(thread.warp());
  cell.reader_code = code;
}

// ------------------------------------------------------------------------------------------------------------ accesses

struct Access {
  const char* address;
  size_t bytes;
  bool writes, atomic;
  size_t code;
};

static Finding finding_of(const char* kind, const Access& access, const Shadow* shadow) {
  Finding finding{kind};
  finding.code = access.code;
  finding.bytes = access.bytes;
  finding.text = access.atomic ? "atomic" : access.writes ? "write" : "read";
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

static void report_race(const Access& access, const Shadow& shadow, const Cell& cell, bool with_write) {
  Finding finding = finding_of("data race", access, &shadow);
  finding.other_code = with_write ? cell.writer_code : cell.reader_code;
  if (with_write) {
    finding.other_thread = cell.writer;
  } else {
    const uint32_t unknown = cell.reader_warp == current().warp() ? unknown_readers(cell, current()) : cell.readers;
    finding.other_thread = long(cell.reader_warp * LANES + unsigned(__builtin_ctz(unknown ? unknown : cell.readers)));
  }
  const Moment& other = with_write ? cell.written : cell.read;
  finding.text += with_write ? (cell.atomic ? "\tatomic" : "\twrite") : "\tread";
  finding.text += other.block == block_mark() ? "\tsame block" : "\tblock " + std::to_string(other.block - 1);
  report(finding);
}

static void check(const Access& access, Shadow& shadow) {
  const Thread& thread = current();
  const size_t first = shadow.cell_of(access.address), last = shadow.cell_of(access.address + access.bytes - 1);
  for (size_t index = first; index <= last; ++index) {
    Cell& cell = shadow.cell(index);
    if (!access.writes || access.atomic) {
      const bool there = shadow.shared() ? cell.written.block == block_mark() : shadow.holds_value(index);
      if (!there) {
        report(finding_of("uninitialised read", access, &shadow));
        return;
      }
    }
    // Shared memory of a block that has ended is another's memory.
    if (shadow.shared() && cell.written.block != block_mark()) cell.written = Moment();
    if (shadow.shared() && cell.read.block != block_mark()) cell.read = Moment();
    if (!(access.atomic && cell.atomic) && write_is_unordered(cell, thread)) {
      report_race(access, shadow, cell, true);
      return;
    }
    if (access.writes && reads_are_unordered(cell, thread)) {
      report_race(access, shadow, cell, false);
      return;
    }
    if (access.writes) {
      note_write(cell, thread, access.atomic, uint32_t(access.code));
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

static void see(void* address, size_t bytes, bool writes, bool atomic, void* code) {
  if (!checking || !simt_current || !bytes) return;
  const Access access{static_cast<const char*>(address), bytes, writes, atomic, offset_of_call(code)};
  if (state.stacks.holds(current().linear, address) || holds_threads(access.address)) return;
  Shadow* shadow = shadow_at(access.address);
  if (shadow && access.address + bytes <= shadow->end()) return check(access, *shadow);
  // What is left are the module's own variables: constants, and what says where a thread stands.
  if (!shadow && in_image(address)) return;
  report(finding_of("out of bounds", access, shadow ? shadow : nearest(access.address)));
  abandon();
}

}  // namespace simt

extern "C" void simt_note_atomic(void* address, size_t bytes, void* code) { simt::see(address, bytes, true, true, code); }

// ------------------------------------------------------------------------------- what -fsanitize=thread makes g++ call

#define HOOK extern "C" __attribute__((visibility("hidden")))
#define ACCESS(name, bytes, writes) \
  HOOK void name(void* address) { simt::see(address, bytes, writes, false, __builtin_return_address(0)); }
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
HOOK void __tsan_read_range(void* address, size_t bytes) {
  simt::see(address, bytes, false, false, __builtin_return_address(0));
}
HOOK void __tsan_write_range(void* address, size_t bytes) {
  simt::see(address, bytes, true, false, __builtin_return_address(0));
}
HOOK void __tsan_func_entry(void*) {}
HOOK void __tsan_func_exit(void*) {}
HOOK void __tsan_init() {}
HOOK void __tsan_vptr_update(void**, void*) {}
HOOK void __tsan_vptr_read(void**) {}

// SPDX-License-Identifier: MIT
// How the work on a row is laid out: functions of its length, of what a direction asks and of what a block may take. No
// macro decides here and nothing is CUDA's own, so that a host compiler can go through every row length there is.
#ifndef LNGEN_SHAPES_CUH
#define LNGEN_SHAPES_CUH

namespace lngen {

// Division of work among threads. A row belongs to THREADS_PER_ROW threads, a power of two or all of a block. Each owns the same columns of every row,
// CHUNKS times VECTOR of them, and so its own sums over rows and its own copies ahead. Where blocks share rows as a
// cluster, so many threads of each of them belong to a row: accesses go to the threads of one block, then of the next.
enum Place { IN_REGISTERS, IN_SHARED_MEMORY, IN_WORKSPACE };

// Form of a row that a thread holds between the stages: none, entries as stored, or in the compute type.
enum Held { READ_AGAIN, PACKED, WIDENED };

struct Shape {
  int vector, threads_per_row, chunks, threads;
  Held row;
  bool holds_features;
  Place sums;
  int rows_copied;  // how many rows a thread copies into shared memory before it works on them
  int blocks;  // how many a multiprocessor is to hold; the compiler has the registers for no more
  int blocks_per_row = 1;
  bool of_warps = false;  // a row has whole warps, all of a block
};

// Requirements of a direction on a geometry: sizes of types in bytes, the arrays of each kind that an entry of a row
// meets, and the row scalars and results. The compiler keeps a function's value of one stage for the next, as one more
// row in registers. Of the reductions, the most in a stage and those over rows into Scalars count.
struct Asked {
  int storage, parameter, compute, rows, features, sums, calls, scalars, results, most_sums, scalar_sums;
};

// Limits of kernels, and settings: bytes of shared memory a block, the most entries an access, threads per row (0: the
// fewest that suffice), threads that a multiprocessor should hold (0: as registers allow), percent of the registers in
// which a thread would keep entries, and the most blocks that share a row.
struct Limits {
  int shared, vector, threads_per_row, resident, room;
  int blocks_per_row = 1;
};

// Columns are counted by `int`, a trip of all threads beyond the last one.
constexpr int MOST_FEATURES = 1 << 30;
constexpr int BLOCK = 128;
constexpr int MOST_THREADS = 1024;
constexpr int REREADING_THREADS = 256;
constexpr int MOST_ROWS_COPIED = 8;
constexpr int MOST_READ_TOGETHER = 4;

// Threads of a multiprocessor that are to be resident at the least: few, so that each has the registers for a row and
// its sums. The loads that keep the memory busy are copies into shared memory, which take none.
constexpr int THREADS_AT_A_TIME = 512, REGISTERS = 65536, REGISTERS_BESIDE = 36, MOST_THREADS_AT_A_TIME = 1024;

// Blocks that a multiprocessor is to have where each works on one row: while the threads of one wait for one another, the
// others work. Chunks and entries of a thread in such a layout, at the most.
constexpr int BLOCKS_BESIDE = 3, CHUNKS_BESIDE = 6, ENTRIES_BESIDE = 32;
// Registers of such a thread besides what it keeps: for places, which take more where threads are no power of two; and for
// Features that are on their way.
constexpr int REGISTERS_OF_ONE = 32, REGISTERS_OF_READING = 16, REGISTERS_OF_CHUNK = 2;

// Bytes that a multiprocessor is to have asked for at any time. By Little's law an H200 wants 23 kB: 4.8 TB/s over 132
// of them, for 0.6 us. More of it covers the time in which the threads of a row wait for one another.
constexpr int BYTES_IN_FLIGHT = 65536;

// Bytes of shared memory that the copy of an access takes at the least: that of a narrower one is of a word of memory.
constexpr int LEAST_COPY = 4;

// Bytes of shared memory that are the system's own in each block, and those that a block has for its reductions.
constexpr int RESERVED = 1024, USUAL_SLOTS = 2048;

__host__ __device__ constexpr int ceiling(int a, int b) { return a / b + (a % b != 0); }
__host__ __device__ constexpr int at_least(int a, int b) { return a > b ? a : b; }
__host__ __device__ constexpr int at_most(int a, int b) { return a < b ? a : b; }
__host__ __device__ constexpr long long larger_of(long long a, long long b) { return a > b ? a : b; }

// Chunks of a thread at the most: each has an address and a condition. Those of one entry have one address for all.
__host__ __device__ constexpr int most_chunks(int vector) { return vector == 1 ? 32 : 12; }

// As many entries as an access of 16 bytes holds, where they divide the row.
__host__ __device__ constexpr int widest_vector(int D, int bytes, const Limits& may) {
  int vector = at_most(may.vector, 16 / bytes);
  while (D % vector) vector /= 2;
  return vector;
}

// Threads that a row has at the least: 8, for the accesses of a warp to lie together, but no more than it has accesses.
__host__ __device__ constexpr int fewest_threads(int vectors, const Limits& may) {
  if (may.threads_per_row) return may.threads_per_row;
  int threads = 8;
  while (threads / 2 >= vectors && threads > 1) threads /= 2;
  return threads;
}

// Bytes of registers that a thread has for a row, its Features and its sums, besides what it computes with: what more
// row scalars than eight leave of it, and more results of a stage than two, an access of each.
__host__ __device__ constexpr int registers_for(int threads, int vector, const Asked& n, const Limits& may) {
  const bool wide = n.compute > 4;
  const int all = threads > THREADS_AT_A_TIME ? (wide || n.calls ? 0 : 24) : (wide ? 40 : vector == 1 ? 80 : 72);
  return 4 * all * may.room / 100 - n.compute * at_least(n.scalars - 8, 0) - n.storage * vector * at_least(n.results - 2, 0);
}

// Bytes of registers that an entry takes as it is stored: an access has a register to itself at least.
__host__ __device__ constexpr int bytes_kept(int storage, int vector) { return at_least(storage, ceiling(4, vector)); }

// The same of the entry of all rows, and of all Features.
__host__ __device__ constexpr int bytes_of_row(Held row, int vector, const Asked& n) {
  return n.rows * (row == WIDENED ? n.compute : bytes_kept(n.storage, vector)) + n.calls * n.compute;
}
__host__ __device__ constexpr int bytes_of_features(int vector, const Asked& n) {
  return n.features * bytes_kept(n.parameter, vector);
}

// Blocks that the registers of a multiprocessor are to hold at a time, of threads that keep so many bytes of a row,
// Features and sums. What functions and doubles take besides is not foreseen. Functions want many threads, for a result is
// long in coming; where a compiler has too few registers for them, the launcher takes a layout of fewer (variants.py).
__host__ __device__ constexpr int blocks_at_a_time(int threads, int kept, const Asked& n, const Limits& may) {
  const int of_functions = n.sums ? THREADS_AT_A_TIME : MOST_THREADS_AT_A_TIME;
  const int fit = n.compute > 4 ? THREADS_AT_A_TIME : n.calls ? of_functions : REGISTERS / (kept / 4 + REGISTERS_BESIDE);
  const int least = at_least(may.resident ? may.resident : fit, THREADS_AT_A_TIME);
  return at_least(at_most(least, MOST_THREADS_AT_A_TIME) / threads, 1);
}

// Entries a thread may have: for the sake of the code's size, in which every function is spelled out for each of them.
__host__ __device__ constexpr int most_entries(int calls, bool sums_in_registers) {
  const int most = sums_in_registers ? 24 : 32;
  return calls ? at_most(at_least(128 / calls, 1), most) : most;
}

// Accesses to a row that is read again which a thread has on their way at a time.
__host__ __device__ constexpr int read_together(int vector, const Asked& n, const Limits& may) {
  return at_least(at_most(MOST_READ_TOGETHER * may.room / 100, most_entries(n.calls, false) / vector), 1);
}

// Bytes of shared memory of a block, one part after the other: slots of the reductions, twice; the sums over rows that
// gather there; then the copies, each of a row of every array and every row that the block works on at a time, in whose
// place those rows are added up at the end.
struct Memory {
  long long slots, sums, copy, together;

  __host__ __device__ constexpr long long bytes(int rows_copied) const {
    return slots + sums + larger_of(together, rows_copied * copy);
  }
};

// Slots in entries of the compute type: of all warps of a row, in whichever block.
__host__ __device__ constexpr int slots_of(int threads, int threads_per_row, int blocks_per_row, const Asked& n) {
  const int reductions = threads_per_row * blocks_per_row > 32 ? 2 * n.most_sums * (threads / 32 * blocks_per_row) : 0;
  return ceiling(at_least(reductions, n.scalar_sums * (threads / threads_per_row)), 4) * 4;
}

// Memory of a layout, for rows of D entries. Blocks that share a row have the same memory, of whole trips.
__host__ __device__ constexpr Memory memory_of(const Shape& s, int D, const Asked& n) {
  const int rows = s.threads / s.threads_per_row, chunks = ceiling(D, s.blocks_per_row * s.threads_per_row * s.vector);
  const int columns = s.blocks_per_row == 1 ? D : chunks * s.threads_per_row * s.vector;
  const long long entry = n.compute, sums = (long long)n.sums * columns;
  return Memory{slots_of(s.threads, s.threads_per_row, s.blocks_per_row, n) * entry,
                s.sums == IN_SHARED_MEMORY ? (sums + 3) / 4 * 4 * entry : 0,
                (long long)n.rows * chunks * at_least(s.vector * n.storage, LEAST_COPY) * s.threads,
                n.sums && s.sums == IN_REGISTERS && rows > 1 ? (long long)rows * D * entry : 0};
}

// Tests whether a multiprocessor, with the memory of a block and the reserved part, holds so many blocks.
__host__ __device__ constexpr bool are_held(int blocks, long long bytes, const Limits& may) {
  return blocks * (bytes + RESERVED) <= may.shared + RESERVED;
}

// Returns the number of rows that a block may copy ahead, given the shared memory of a row and of everything else. An
// access has 4 bytes at least.
__host__ __device__ constexpr int most_rows_copied(
    long long bytes, int access, int blocks, long long beside, const Limits& may) {
  if (access < LEAST_COPY || bytes == 0) return 0;
  const long long left = may.shared / blocks - RESERVED - beside;
  if (left < bytes) return 0;
  const long long wanted = (BYTES_IN_FLIGHT + blocks * bytes - 1) / (blocks * bytes), most = left / bytes;
  return at_most(int(wanted < most ? wanted : most), MOST_ROWS_COPIED);
}

// The same layout with the blocks that it asks for, as far as shared memory lets them in, and with the rows that each of
// them can copy ahead. Rather fewer threads than no room for copies.
__host__ __device__ constexpr Shape settled(Shape s, int D, const Asked& n, const Limits& may) {
  const Memory taken = memory_of(s, D, n);
  const long long beside = larger_of(taken.slots, USUAL_SLOTS) + taken.sums;
  const int access = at_least(s.vector * n.storage, LEAST_COPY);
  while (s.blocks > 1 && (!are_held(s.blocks, taken.bytes(0), may) ||
                          (s.rows_copied > 0 && s.blocks * s.threads > THREADS_AT_A_TIME &&
                           !most_rows_copied(taken.copy, access, s.blocks, beside, may))))
    --s.blocks;
  s.rows_copied = at_most(s.rows_copied, most_rows_copied(taken.copy, access, s.blocks, beside, may));
  return s;
}

// The same layout of whole warps, which hold a row in so many chunks; without threads if that is no block.
__host__ __device__ constexpr Shape of_whole_warps(Shape s, int chunks, int vectors) {
  const int threads = ceiling(ceiling(vectors, chunks), 32) * 32;
  s.threads = s.threads_per_row = threads < BLOCK || threads > MOST_THREADS ? 0 : threads;
  s.chunks = chunks;
  s.rows_copied = MOST_ROWS_COPIED;
  s.of_warps = true;
  return s;
}

// Tests whether a multiprocessor has so many registers for each thread of so many blocks. It gives them to whole warps, each
// quarter its own, and to a thread eight at a time.
__host__ __device__ constexpr bool have_registers(int registers, int blocks, int threads) {
  return ceiling(blocks * threads, 128) * 128 * (ceiling(registers, 8) * 8) <= REGISTERS;
}

// Accesses that the threads of a row could make in its last trip, and have none for.
__host__ __device__ constexpr int idle_accesses(const Shape& s, int vectors) { return s.threads_per_row * s.chunks - vectors; }

// Tests whether no more than one access in so many is idle.
__host__ __device__ constexpr bool is_busy(const Shape& s, int vectors, int one_in) {
  return one_in * idle_accesses(s, vectors) <= s.threads_per_row * s.chunks;
}

// The layout, or where a power of two leaves more than an eighth of the accesses idle, one of whole warps that leaves
// fewer, with as many rows at a time: the fewest idle, and of such layouts that of the fewest threads.
__host__ __device__ constexpr Shape evened(const Shape& s, int vectors, int cost, int D, const Asked& n, const Limits& may) {
  if (may.threads_per_row || s.threads != s.threads_per_row || is_busy(s, vectors, 8)) return s;
  const int most = at_most(most_entries(n.calls, n.sums && s.sums == IN_REGISTERS) / s.vector, most_chunks(s.vector));
  Shape best = s;
  for (int chunks = s.chunks; chunks <= most; ++chunks) {
    Shape other = of_whole_warps(s, chunks, vectors);
    const int kept = chunks * s.vector * cost;
    if (other.threads == 0 || kept > registers_for(other.threads, s.vector, n, may)) continue;
    const int blocks = blocks_at_a_time(other.threads, kept, n, may);
    other.blocks = blocks;
    other = settled(other, D, n, may);
    if (other.blocks < blocks || blocks < s.blocks) continue;
    // Fewer threads with more registers are as good for sums over rows if a third had nothing to do.
    if (blocks * other.threads < THREADS_AT_A_TIME && (!n.sums || is_busy(s, vectors, 3))) continue;
    if (!have_registers(kept / 4 + REGISTERS_OF_ONE, blocks, other.threads)) continue;
    if (other.rows_copied == 0 && s.rows_copied > 0) continue;
    if (idle_accesses(other, vectors) <= idle_accesses(best, vectors)) best = other;
  }
  return best;
}

// A layout of so many blocks at a time whose registers hold a row as it is stored, with the Features or without: of those
// that leave few accesses idle, the one that leaves the fewest, of the fewest threads. Else the one that is given.
__host__ __device__ constexpr Shape beside_others(
    int blocks, bool holds_features, const Shape& given, int vectors, int D, const Asked& n, const Limits& may) {
  const Held row = n.storage < n.compute ? PACKED : WIDENED;
  const int vector = given.vector, cost = bytes_of_row(row, vector, n) + (holds_features ? bytes_of_features(vector, n) : 0);
  const int beside = REGISTERS_OF_ONE + (holds_features ? 0 : REGISTERS_OF_READING);
  const int most = holds_features ? at_most(ENTRIES_BESIDE / given.vector, CHUNKS_BESIDE) : CHUNKS_BESIDE;
  Shape best = given;
  for (int chunks = 1; chunks <= most; ++chunks) {
    Shape other = of_whole_warps(given, chunks, vectors);
    if (other.threads < 2 * BLOCK || blocks * other.threads > MOST_THREADS_AT_A_TIME) continue;
    const int places = MOST_THREADS % other.threads == 0 ? 0 : REGISTERS_OF_CHUNK * chunks;
    if (!have_registers(ceiling(chunks * given.vector * cost, 4) + places + beside, blocks, other.threads)) continue;
    other.row = row;
    other.holds_features = holds_features;
    other.blocks = blocks;
    other = settled(other, D, n, may);
    if (other.blocks < blocks || other.rows_copied == 0 || !is_busy(other, vectors, 16)) continue;
    if (best.blocks < blocks || idle_accesses(other, vectors) <= idle_accesses(best, vectors)) best = other;
  }
  return best;
}

// The layout, or one of more blocks at a time where a row has a block of its own: while the threads of one wait for each
// other, the others work. Not where sums over rows are to have the registers; nor where a kernel takes more of them than
// is foreseen, by functions, doubles, many numbers of a row or results, or as one that has spilled.
__host__ __device__ constexpr Shape crowded(const Shape& s, int vectors, int D, const Asked& n, const Limits& may) {
  const bool is_foreseen = !n.calls && n.compute <= 4 && n.scalars <= 8 && n.results <= 2 && !may.resident;
  if (may.threads_per_row || n.sums || !is_foreseen) return s;
  if (s.threads != s.threads_per_row || s.threads < 2 * BLOCK || s.rows_copied == 0) return s;
  Shape best = s;
  for (int fewer = 0; fewer < BLOCKS_BESIDE - 1; ++fewer) {
    const int blocks = BLOCKS_BESIDE - fewer;
    if (best.blocks < blocks) best = beside_others(blocks, true, best, vectors, D, n, may);
    if (best.blocks < blocks && n.features) best = beside_others(blocks, false, best, vectors, D, n, may);
  }
  return best;
}

// The layout in which so many blocks share a row: of the fewest threads per row whose registers hold everything, the row
// widened once, Features and sums. Failing that, the row as it is stored; then the same without the Features, which each
// row reads again; then without the sums over rows. Failing that, the row stays in shared memory, or is read again in
// every stage.
__host__ __device__ constexpr Shape shape_in(int blocks_per_row, int D, const Asked& n, const Limits& may) {
  const int vector = widest_vector(D, n.storage, may);
  const int vectors = ceiling(ceiling(D, vector), blocks_per_row);
  const int fewest = fewest_threads(vectors, may), most = may.threads_per_row ? may.threads_per_row : MOST_THREADS;
  // Of blocks that share a row, in whole trips, of however many threads.
  const int columns = blocks_per_row == 1 ? D : ceiling(vectors, most) * most * vector;
  const long long all_sums = (long long)columns * n.sums * n.compute;
  const long long slots = (long long)slots_of(MOST_THREADS, MOST_THREADS, blocks_per_row, n) * n.compute;
  const Place beside = n.sums && all_sums <= may.shared - larger_of(slots + 1024, 8192) ? IN_SHARED_MEMORY : IN_WORKSPACE;
  // With fewer threads there are too many chunks in any case.
  int first = fewest;
  while (first <= most && ceiling(vectors, first) > most_chunks(vector)) first *= 2;
  for (int without = 0; without < 3; ++without) {
    const bool alone = without == 2 && n.sums;
    for (int widened = n.storage < n.compute; widened >= 0; --widened) {
      const Held row = widened || n.storage == n.compute ? WIDENED : PACKED;
      const int cost = bytes_of_row(row, vector, n) + (without < 1 ? bytes_of_features(vector, n) : 0) +
                       (without < 2 ? n.sums * n.compute : 0);
      for (int threads = first, chunks = ceiling(vectors, first); threads <= most; threads *= 2, chunks = ceiling(chunks, 2)) {
        if (alone && threads < 32) continue;
        if (blocks_per_row > 1 && threads < BLOCK) continue;
        // With few registers, that the compiler widens early is too much.
        if (row == PACKED && threads > THREADS_AT_A_TIME) continue;
        const int block = alone ? threads : at_least(threads, BLOCK);
        // Addresses in the workspace take registers too.
        const int left = registers_for(block, vector, n, may) / (alone && beside == IN_WORKSPACE ? 2 : 1);
        const bool few = chunks == 1 || chunks * vector <= most_entries(n.calls, n.sums && !alone);
        if (!few || chunks * vector * cost > left) continue;
        const int blocks = blocks_at_a_time(block, chunks * vector * cost, n, may);
        const Place sums = without < 2 ? IN_REGISTERS : beside;
        const Shape found = settled(
            Shape{vector, threads, chunks, block, row, without < 1, sums, MOST_ROWS_COPIED, blocks, blocks_per_row}, D, n, may);
        // A multiprocessor that has the shared memory of one block alone is to have its threads in that one.
        if (found.blocks < blocks && found.blocks * block < THREADS_AT_A_TIME && chunks > 1 && threads < most) continue;
        return crowded(evened(found, vectors, cost, D, n, may), vectors, D, n, may);
      }
    }
  }
  // One block whose rows stay in shared memory; two that read them again, if their sums fit there; or one that does.
  const int resident = may.room <= 50 ? THREADS_AT_A_TIME / 2 : THREADS_AT_A_TIME;
  const int rereading = n.sums || n.compute > 4 || may.room < 100 ? resident : MOST_THREADS_AT_A_TIME;
  for (int attempt = 0;; ++attempt) {
    const int wanted = at_least(attempt == 1 ? REREADING_THREADS : resident, fewest);
    const int threads = at_least(at_most(wanted, most), 32);
    const int blocks = attempt == 1 ? at_least(rereading / threads, 1) : 1;
    const Place sums = n.sums ? beside : IN_REGISTERS;
    const Shape found = settled(
        Shape{vector, threads, 1, threads, READ_AGAIN, false, sums, attempt ? 0 : 2, blocks, blocks_per_row}, D, n, may);
    if (attempt == 0 ? found.rows_copied > 0 : attempt == 2 || found.blocks == blocks) return found;
  }
}

// What a layout spares of the traffic of rows and sums: sums in shared memory spare what the workspace would take, rows
// there what they would take again, and registers the rest.
__host__ __device__ constexpr int spared(const Shape& s) {
  return (s.row != READ_AGAIN ? 2 : s.rows_copied > 0 ? 1 : 0) + (s.sums == IN_REGISTERS ? 2 : s.sums == IN_SHARED_MEMORY ? 1 : 0);
}

// A layout, or that of more blocks a row if it may be and spares more.
__host__ __device__ constexpr Shape shared_among(int blocks_per_row, const Shape& fewer, int D, const Asked& n, const Limits& may) {
  if (blocks_per_row > may.blocks_per_row || spared(fewer) == 4) return fewer;
  // What has no reduction in a row reads it once in any case.
  if (n.most_sums == 0 && n.sums == 0) return fewer;
  const Shape more = shape_in(blocks_per_row, D, n, may);
  return spared(more) > spared(fewer) ? more : fewer;
}

// One block a row where its registers hold the row and the sums over rows; else the fewest blocks that hold most of it.
__host__ __device__ constexpr Shape shape_of(int D, const Asked& n, const Limits& may) {
  const Shape one = shape_in(1, D, n, may), two = shared_among(2, one, D, n, may), four = shared_among(4, two, D, n, may);
  return shared_among(8, four, D, n, may);
}

}  // namespace lngen

#endif

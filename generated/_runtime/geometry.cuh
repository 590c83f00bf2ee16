// SPDX-License-Identifier: MIT
// Who works on which entries of a row, and what of it is kept in registers.
#ifndef LNGEN_GEOMETRY_CUH
#define LNGEN_GEOMETRY_CUH

#include "rows.cuh"

namespace lngen {

// Who works on which entries. A row belongs to THREADS_PER_ROW threads; each owns the same columns of every row, CHUNKS
// times VECTOR of them, so that what it sums over rows is its own, and so is what it copies ahead.
enum Place { IN_REGISTERS, IN_SHARED_MEMORY, IN_WORKSPACE };

// What a thread has of a row between the stages: nothing, its entries as they are stored, or in the compute type.
enum Held { READ_AGAIN, PACKED, WIDENED };

struct Shape {
  int vector, threads_per_row, chunks, threads;
  Held row;
  bool holds_features;
  Place sums;
  int rows_copied;  // how many rows a thread copies into shared memory before it works on them
  int blocks;  // how many a multiprocessor is to hold; the compiler has the registers for no more
};

#ifdef LNGEN_VECTOR
constexpr int MOST_VECTOR = LNGEN_VECTOR;
#else
constexpr int MOST_VECTOR = LNGEN_D > 0 ? 16 : 1;
#endif
#ifdef LNGEN_THREADS_PER_ROW
constexpr int MOST_THREADS = LNGEN_THREADS_PER_ROW;
#else
constexpr int MOST_THREADS = 1024;
#endif
constexpr int BLOCK = 128;
constexpr int MOST_CHUNKS = 12;  // each has an address and a condition
constexpr int ANY_D_THREADS = 256;
constexpr int REREADING_THREADS = 256;
constexpr int SHARED_ROW_THREADS = 512;
constexpr int MOST_ROWS_COPIED = 8;

// Threads of a multiprocessor that are to be resident at the least: few, so that each has the registers for a row and
// its sums. The loads that keep the memory busy are copies into shared memory, which take none.
constexpr int THREADS_AT_A_TIME = 512, REGISTERS = 65536, REGISTERS_BESIDE = 36, MOST_THREADS_AT_A_TIME = 1024;

// Bytes that a multiprocessor is to have asked for at any time. By Little's law an H200 wants 23 kB: 4.8 TB/s over 132
// of them, for 0.6 us. More of it covers the time in which the threads of a row wait for one another.
constexpr int BYTES_IN_FLIGHT = 65536;

__host__ __device__ constexpr int ceiling(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ constexpr int at_least(int a, int b) { return a > b ? a : b; }
__host__ __device__ constexpr int at_most(int a, int b) { return a < b ? a : b; }

// What a direction asks of a geometry: sizes of types in bytes, how many arrays of each kind an entry of a row meets,
// and how many row scalars and results there are. What a function gives in one stage, the compiler keeps for the next:
// in registers it is one more row.
struct Asked {
  int storage, parameter, compute, rows, features, sums, calls, scalars, results;
};

// As many entries as an access of 16 bytes holds, where they divide the row.
__host__ __device__ constexpr int widest_vector(int D, int bytes) {
  int vector = at_most(MOST_VECTOR, 16 / bytes);
  while (D % vector) vector /= 2;
  return vector;
}

// Threads that a row has at the least: 8, for the accesses of a warp to lie together, but no more than it has accesses.
__host__ __device__ constexpr int fewest_threads(int vectors) {
#ifdef LNGEN_THREADS_PER_ROW
  return LNGEN_THREADS_PER_ROW;
#else
  int threads = 8;
  while (threads / 2 >= vectors && threads > 1) threads /= 2;
  return threads;
#endif
}

// Bytes of registers that a thread has for a row, its Features and its sums, besides what it computes with: what more
// row scalars than eight leave of it, and more results of a stage than two, an access of each.
__host__ __device__ constexpr int room(int threads, int vector, const Asked& n) {
  const bool wide = n.compute > 4;
  const int all = threads > THREADS_AT_A_TIME ? (wide || n.calls ? 0 : 24) : (wide ? 40 : 72);
  return 4 * all * LNGEN_ROOM / 100 - n.compute * at_least(n.scalars - 8, 0) - n.storage * vector * at_least(n.results - 2, 0);
}

// What an entry takes of it.
__host__ __device__ constexpr int bytes_of_row(Held row, const Asked& n) {
  return n.rows * (row == WIDENED ? n.compute : n.storage) + n.calls * n.compute;
}

// Blocks that a multiprocessor is to hold at a time, of threads that keep so many bytes of a row, Features and sums.
// What functions and doubles take besides is not foreseen.
__host__ __device__ constexpr int blocks_at_a_time(int threads, int kept, const Asked& n) {
  const int fit = n.calls || n.compute > 4 ? THREADS_AT_A_TIME : REGISTERS / (kept / 4 + REGISTERS_BESIDE);
  const int least = at_least(LNGEN_RESIDENT ? LNGEN_RESIDENT : fit, THREADS_AT_A_TIME);
  return at_least(at_most(least, MOST_THREADS_AT_A_TIME) / threads, 1);
}

// Entries a thread may have: for the sake of the code's size, in which every function is spelled out for each of them.
__host__ __device__ constexpr int most_entries(int calls, bool sums_in_registers) {
  const int most = sums_in_registers ? 24 : 32;
  return calls ? at_most(at_least(128 / calls, 1), most) : most;
}

// How many rows a block may copy ahead, given what one of them takes of shared memory, for all row arrays and all rows
// that the block works on at a time, and what else is there. An access has 4 bytes at least.
__host__ __device__ constexpr int rows_copied(long long bytes, int access, int blocks, long long beside) {
  const long long left = LNGEN_SHARED / blocks - 1024 - beside;
  if (access < 4 || bytes == 0 || left < bytes) return 0;
  const long long wanted = (BYTES_IN_FLIGHT + blocks * bytes - 1) / (blocks * bytes), most = left / bytes;
  return at_most(int(wanted < most ? wanted : most), MOST_ROWS_COPIED);
}

// The fewest threads per row whose registers hold everything: the row widened once, Features and sums. Failing that, the
// row as it is stored; then the same without the Features, which each row reads again; then without the sums over rows.
// Failing that, the row stays in shared memory, or is read again in every stage.
__host__ __device__ constexpr Shape shape_of(int D, const Asked& n) {
  const int vector = widest_vector(D, n.storage);
  const int vectors = ceiling(D, vector), access = vector * n.storage;
  const long long all_sums = (long long)D * n.sums * n.compute, all_rows = (long long)n.rows * n.storage;
  const Place beside = n.sums && all_sums <= LNGEN_SHARED - 8192 ? IN_SHARED_MEMORY : IN_WORKSPACE;
  const long long taken = 2048 + (beside == IN_SHARED_MEMORY ? all_sums : 0);
  for (int without = 0; without < 3; ++without) {
    for (int widened = n.storage < n.compute; widened >= 0; --widened) {
      const Held row = widened || n.storage == n.compute ? WIDENED : PACKED;
      const int cost = bytes_of_row(row, n) + (without < 1 ? n.features * n.parameter : 0) +
                       (without < 2 ? n.sums * n.compute : 0);
      for (int threads = fewest_threads(vectors); threads <= MOST_THREADS; threads *= 2) {
        const bool alone = without == 2 && n.sums;
        if (alone && threads < 32) continue;
        // With few registers, that the compiler widens early is too much.
        if (row == PACKED && threads > THREADS_AT_A_TIME) continue;
        const int chunks = ceiling(vectors, threads);
        const int block = alone ? threads : at_least(threads, BLOCK);
        // Addresses in the workspace take registers too.
        const int bytes_left = room(block, vector, n) / (alone && beside == IN_WORKSPACE ? 2 : 1);
        const bool few = chunks == 1 || (chunks <= MOST_CHUNKS && chunks * vector <= most_entries(n.calls, n.sums && !alone));
        if (!few || chunks * vector * cost > bytes_left) continue;
        const long long bytes = all_rows * chunks * vector * block, others = alone ? taken : 2048;
        int blocks = blocks_at_a_time(block, chunks * vector * cost, n);
        // Rather fewer threads than no room for copies.
        while (blocks * block > THREADS_AT_A_TIME && !rows_copied(bytes, access, blocks, others)) --blocks;
        return Shape{vector, threads, chunks, block, row, without < 1, without < 2 ? IN_REGISTERS : beside,
                     rows_copied(bytes, access, blocks, others), blocks};
      }
    }
  }
  for (int again = 0; again < 2; ++again) {
    const int most = again || LNGEN_ROOM <= 50 ? REREADING_THREADS : SHARED_ROW_THREADS;
    const int threads = at_least(at_most(at_least(most, fewest_threads(vectors)), MOST_THREADS), 32);
    const long long bytes = all_rows * ceiling(vectors, threads) * vector * threads;
    const int copied = again ? 0 : at_most(rows_copied(bytes, access, 1, taken), 2);
    const int blocks = at_least((LNGEN_ROOM <= 50 ? THREADS_AT_A_TIME / 2 : THREADS_AT_A_TIME) / threads, 1);
    if (copied || again)
      return Shape{vector, threads, 1, threads, READ_AGAIN, false, n.sums ? beside : IN_REGISTERS, copied, blocks};
  }
  return Shape{};
}

// D known only at run time: registers hold rows up to a capacity.
__host__ __device__ constexpr Shape shape_of_any(const Asked& n) {
  const int vector = at_most(MOST_VECTOR, 16 / n.storage);
  const int cost = bytes_of_row(WIDENED, n) + n.features * n.parameter + n.sums * n.compute;
  const int entries = room(ANY_D_THREADS, vector, n) / at_least(cost, 1);
  const int chunks = at_most(at_most(at_least(entries, 1), 8), most_entries(n.calls, true)) / vector;
  return Shape{vector, ANY_D_THREADS, at_least(chunks, 1), ANY_D_THREADS, entries > 0 ? WIDENED : READ_AGAIN, true,
               IN_REGISTERS, 0, THREADS_AT_A_TIME / ANY_D_THREADS};
}

__host__ __device__ constexpr Shape rereading(Shape any) {
  return Shape{any.vector, any.threads_per_row, 1, any.threads, READ_AGAIN, false, IN_WORKSPACE, 0, any.blocks};
}

// What a direction asks, of the kernels for some type of rows.
template <class T_, class P_, int ROWS, int FEATURES, int COLUMN_SUMS, int SCALAR_SUMS, int MOST_SUMS, int CALLS,
          int SCALARS, int RESULTS>
struct Demand {
  using T = T_;
  using P = P_;
  using A = Wider<T, P>;
  static constexpr Asked ASKED = {int(sizeof(T)), int(sizeof(P)), int(sizeof(A)), ROWS, FEATURES, COLUMN_SUMS, CALLS,
                                  SCALARS, RESULTS};
  static constexpr int rows = ROWS, column_sums = COLUMN_SUMS, scalar_sums = SCALAR_SUMS, most_sums = MOST_SUMS;
};

struct FixedShape {
  template <class N> static constexpr Shape of = shape_of(at_least(LNGEN_D, 1), N::ASKED);
};
struct AnyShape {
  template <class N> static constexpr Shape of = shape_of_any(N::ASKED);
};
struct RereadingShape {
  template <class N> static constexpr Shape of = rereading(AnyShape::of<N>);
};

template <class N, class Chosen> struct Geometry {
  using T = typename N::T;
  using P = typename N::P;
  using A = typename N::A;
  static constexpr Shape SHAPE = Chosen::template of<N>;
  static constexpr int VECTOR = SHAPE.vector, THREADS_PER_ROW = SHAPE.threads_per_row, THREADS = SHAPE.threads,
                       ROWS = THREADS / THREADS_PER_ROW, CHUNKS = SHAPE.chunks, ENTRIES = CHUNKS * VECTOR,
                       ROWS_COPIED = SHAPE.rows_copied, BLOCKS = SHAPE.blocks, WARPS = THREADS / 32;
  static constexpr Held ROW = SHAPE.row;
  static constexpr bool KEEPS_ROW = ROW != READ_AGAIN, HOLDS_FEATURES = SHAPE.holds_features;
  static constexpr int UNROLL = KEEPS_ROW ? CHUNKS : 1, KEPT = KEEPS_ROW ? CHUNKS : 1, HELD = HOLDS_FEATURES ? CHUNKS : 1;
  static constexpr Place SUMS = SHAPE.sums;
  static constexpr int CAPACITY = THREADS_PER_ROW * ENTRIES;

  // Shared memory in entries of A: slots of the reductions, twice; the sums over rows that gather there; then copies of
  // rows, in whose place the rows of a block are added up at the end.
  static constexpr int HALF = N::most_sums * WARPS;
  static constexpr int SLOTS = ceiling(at_least(THREADS_PER_ROW > 32 ? 2 * HALF : 0, N::scalar_sums * ROWS), 4) * 4;
  static constexpr int BESIDE = SUMS == IN_SHARED_MEMORY ? ceiling(N::column_sums * LNGEN_D, 4) * 4 : 0;
  static constexpr int TOGETHER = N::column_sums && SUMS == IN_REGISTERS && ROWS > 1 ? ROWS * LNGEN_D : 0;
  static constexpr int ACCESS = VECTOR * int(sizeof(T)), COPIES = LNGEN_D > 0 ? ceiling(LNGEN_D, THREADS_PER_ROW * VECTOR) : 0,
                       COPIED_BYTES = ROWS_COPIED ? N::rows * COPIES * THREADS * ACCESS : 0;
  static constexpr int COPIES_AT = (SLOTS + BESIDE) * int(sizeof(A));
  static constexpr int SHARED_BYTES = COPIES_AT + at_least(TOGETHER * int(sizeof(A)), ROWS_COPIED * COPIED_BYTES);
  static_assert(SHARED_BYTES <= at_least(LNGEN_SHARED, 49152), "LNGEN_SHARED is too small for this program");

  static __device__ __forceinline__ int chunks(int D) {
    return KEEPS_ROW ? CHUNKS : LNGEN_D > 0 ? COPIES : (D + THREADS_PER_ROW * VECTOR - 1) / (THREADS_PER_ROW * VECTOR);
  }
};

// Where a thread stands: its row, and which of its entries are the thread's. In the last trip of a block there may be
// fewer rows than it has groups of threads for: those without one work on the last row again, and store nothing.
struct Here {
  long long row, offset;
  int lane, group, D;
  bool live;

  // Before the first row.
  template <class G> __device__ __forceinline__ void begin(int features) {
    D = LNGEN_D > 0 ? LNGEN_D : features;
    lane = threadIdx.x % G::THREADS_PER_ROW;
    group = threadIdx.x / G::THREADS_PER_ROW;
  }

  // To the thread's row of those that its block takes from `first` on.
  template <class G> __device__ __forceinline__ void enter(long long first, long long rows) {
    row = first + group;
    live = G::ROWS == 1 || row < rows;
    if (!live) row = rows - 1;
    offset = row * D;
  }

  template <class G> __device__ __forceinline__ int column(int chunk) const {
    return (chunk * G::THREADS_PER_ROW + lane) * G::VECTOR;
  }

  // Whether the row goes so far; known to the compiler, but for the last chunk.
  template <class G> __device__ __forceinline__ bool reaches(int chunk, int column) const {
    return (chunk + 1) * G::THREADS_PER_ROW * G::VECTOR <= LNGEN_D || column < D;
  }
};

// Visits the parts of the row that are the thread's: visit(chunk, column).
template <class G, class F> __device__ __forceinline__ void each_chunk(const Here& here, F visit) {
#pragma unroll(G::UNROLL)
  for (int chunk = 0; chunk < G::chunks(here.D); ++chunk) {
    const int column = here.template column<G>(chunk);
    if (here.template reaches<G>(chunk, column)) visit(chunk, column);
  }
}

template <bool FIRST, class X, class Y> struct Either { using type = X; };
template <class X, class Y> struct Either<false, X, Y> { using type = Y; };

// The geometry that a launcher reads.
template <class N>
using Chosen = typename Either<(LNGEN_D > 0), Geometry<N, FixedShape>, Geometry<N, AnyShape>>::type;

// Does the work in that geometry, or where a row is longer than its registers hold, in one that reads rows again.
template <class N, class F> __device__ __forceinline__ void in_geometry(int D, F work) {
  if constexpr (LNGEN_D > 0 || !Chosen<N>::KEEPS_ROW) {
    work(typename Either<(LNGEN_D > 0), Chosen<N>, Geometry<N, RereadingShape>>::type());
  } else {
    if (D <= Chosen<N>::CAPACITY) work(Chosen<N>());
    else work(Geometry<N, RereadingShape>());
  }
}

}  // namespace lngen

#endif

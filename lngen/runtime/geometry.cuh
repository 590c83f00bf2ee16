// SPDX-License-Identifier: MIT
// Who works on which entries of a row, and what of it is kept in registers.
#ifndef LNGEN_GEOMETRY_CUH
#define LNGEN_GEOMETRY_CUH

#include "rows.cuh"

namespace lngen {

// Who works on which entries. A row belongs to THREADS_PER_ROW threads; each owns the same columns of every row, CHUNKS
// times VECTOR of them, so that what it sums over rows is its own.
enum Place { IN_REGISTERS, IN_SHARED_MEMORY, IN_WORKSPACE };

struct Shape {
  int vector, threads_per_row, chunks, threads;
  bool keeps_row, holds_features;
  Place sums;
};

#ifdef LNGEN_VECTOR
constexpr int MOST_VECTOR = LNGEN_VECTOR;
#else
constexpr int MOST_VECTOR = LNGEN_D > 0 ? 16 : 1;
#endif
#ifdef LNGEN_THREADS_PER_ROW
constexpr int FEWEST_THREADS = LNGEN_THREADS_PER_ROW, MOST_THREADS = LNGEN_THREADS_PER_ROW;
#else
constexpr int FEWEST_THREADS = 8, MOST_THREADS = 1024;
#endif
constexpr int BLOCK = 128;
constexpr int MOST_CHUNKS = 12;  // each has an address and a condition
constexpr int ANY_D_THREADS = 256;
constexpr int REREADING_THREADS = 256;

__host__ __device__ constexpr int ceiling(int a, int b) { return (a + b - 1) / b; }
__host__ __device__ constexpr int at_least(int a, int b) { return a > b ? a : b; }
__host__ __device__ constexpr int at_most(int a, int b) { return a < b ? a : b; }

// As many entries as an access of 16 bytes holds, where they divide the row.
__host__ __device__ constexpr int widest_vector(int D, int bytes) {
  int vector = at_most(MOST_VECTOR, 16 / bytes);
  while (D % vector) vector /= 2;
  return vector;
}

// Bytes of registers that a thread has for a row, its Features and its sums, besides what it computes with.
__host__ __device__ constexpr int room(int threads, int compute_bytes, int calls) {
  return 4 * (threads > 512 ? (compute_bytes > 4 || calls ? 0 : 24) : (compute_bytes > 4 ? 40 : 72));
}

// What more row scalars than eight take of it, and more results of a stage than two, an access of each.
__host__ __device__ constexpr int taken(int bytes, int compute_bytes, int vector, int scalars, int results) {
  return compute_bytes * at_least(scalars - 8, 0) + bytes * vector * at_least(results - 2, 0);
}

// Blocks that a multiprocessor is to hold at a time; with it, the compiler has the registers that `room` counts on.
__host__ __device__ constexpr int blocks_at_a_time(int threads) { return at_least(512 / threads, 1); }

// Entries a thread may have: for the sake of the loads in flight, and of the code's size, in which every function is
// spelled out for each of them.
__host__ __device__ constexpr int most_entries(int calls, bool sums_in_registers) {
  const int most = sums_in_registers ? 24 : 32;
  return calls ? at_most(at_least(128 / calls, 1), most) : most;
}

// The fewest threads per row whose registers hold everything; failing that, without the Features, then without the sums
// over rows; failing that, the row is read again in every stage. `row`, `features` and `sums` count bytes per entry in
// the compute type: what is read in 16 bits is unpacked once, and the compiler keeps it so.
__host__ __device__ constexpr Shape shape_of(
    int D, int bytes, int compute_bytes, int row, int features, int sums, int calls, int scalars,
    int results) {
  const int vector = widest_vector(D, bytes);
  const int vectors = ceiling(D, vector);
  const Place beside = sums && (long long)D * sums <= LNGEN_SHARED - 8192 ? IN_SHARED_MEMORY : IN_WORKSPACE;
  for (int without = 0; without < 3; ++without) {
    const int cost = row + (without < 1 ? features : 0) + (without < 2 ? sums : 0);
    for (int threads = FEWEST_THREADS; threads <= MOST_THREADS; threads *= 2) {
      const bool alone = without == 2 && sums;
      if (alone && threads < 32) continue;
      const int chunks = ceiling(vectors, threads);
      const int block = alone ? threads : at_least(threads, BLOCK);
      // Addresses in the workspace take registers too.
      const int all = room(block, compute_bytes, calls) - taken(bytes, compute_bytes, vector, scalars, results);
      const int bytes_left = all / (alone && beside == IN_WORKSPACE ? 2 : 1);
      const bool few = chunks == 1 || (chunks <= MOST_CHUNKS && chunks * vector <= most_entries(calls, !alone));
      if (few && chunks * vector * cost <= bytes_left)
        return Shape{vector, threads, chunks, block, true, without < 1, without < 2 ? IN_REGISTERS : beside};
    }
  }
  const int threads = at_most(at_least(REREADING_THREADS, FEWEST_THREADS), MOST_THREADS);
  const int block = at_least(threads, 32);
  return Shape{vector, block, 1, block, false, false, sums ? beside : IN_REGISTERS};
}

// D known only at run time: registers hold rows up to a capacity.
__host__ __device__ constexpr Shape shape_of_any(
    int bytes, int compute_bytes, int row, int features, int sums, int calls, int scalars, int results) {
  const int vector = at_most(MOST_VECTOR, 16 / bytes);
  const int all = room(ANY_D_THREADS, compute_bytes, calls) - taken(bytes, compute_bytes, vector, scalars, results);
  const int entries = all / at_least(row + features + sums, 1);
  const int chunks = at_most(at_most(at_least(entries, 1), 8), most_entries(calls, true)) / vector;
  return Shape{vector, ANY_D_THREADS, at_least(chunks, 1), ANY_D_THREADS, entries > 0, true, IN_REGISTERS};
}

__host__ __device__ constexpr Shape rereading(Shape any) {
  return Shape{any.vector, any.threads_per_row, 1, any.threads, false, false, IN_WORKSPACE};
}

// What a direction asks of the geometry: how many arrays of each kind an entry of a row meets, the sums, the row
// scalars and the results of a stage. What a function gives in one stage, the compiler keeps for the next: in registers
// it is one more row.
template <class T_, class P_, int ROWS, int FEATURES, int COLUMN_SUMS, int SCALAR_SUMS, int MOST_SUMS, int CALLS,
          int SCALARS, int RESULTS>
struct Demand {
  using T = T_;
  using P = P_;
  using A = Wider<T, P>;
  static constexpr int row = (ROWS + CALLS) * int(sizeof(A)), features = FEATURES * int(sizeof(A)),
                       sums = COLUMN_SUMS * int(sizeof(A)), compute = int(sizeof(A)), storage = int(sizeof(T)),
                       column_sums = COLUMN_SUMS, scalar_sums = SCALAR_SUMS, most_sums = MOST_SUMS, calls = CALLS,
                       scalars = SCALARS, results = RESULTS;
};

struct FixedShape {
  template <class N>
  static constexpr Shape of =
      shape_of(at_least(LNGEN_D, 1), N::storage, N::compute, N::row, N::features, N::sums, N::calls, N::scalars,
               N::results);
};
struct AnyShape {
  template <class N>
  static constexpr Shape of =
      shape_of_any(N::storage, N::compute, N::row, N::features, N::sums, N::calls, N::scalars, N::results);
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
                       UNROLL = SHAPE.keeps_row ? CHUNKS : 1, KEPT = SHAPE.keeps_row ? CHUNKS : 1,
                       HELD = SHAPE.holds_features ? CHUNKS : 1, WARPS = THREADS / 32;
  static constexpr bool KEEPS_ROW = SHAPE.keeps_row, HOLDS_FEATURES = SHAPE.holds_features;
  static constexpr Place SUMS = SHAPE.sums;
  static constexpr int CAPACITY = THREADS_PER_ROW * ENTRIES;

  // Shared memory in entries of A: slots of the reductions, twice; then what the sums over rows need.
  static constexpr int HALF = N::most_sums * WARPS;
  static constexpr int SLOTS = ceiling(at_least(THREADS_PER_ROW > 32 ? 2 * HALF : 0, N::scalar_sums * ROWS), 4) * 4;
  static constexpr int SUMS_ENTRIES = !N::column_sums            ? 0
                                      : SUMS == IN_SHARED_MEMORY ? N::column_sums * LNGEN_D
                                      : ROWS > 1                 ? ROWS * LNGEN_D
                                                                 : 0;
  static constexpr int SHARED_BYTES = (SLOTS + SUMS_ENTRIES) * int(sizeof(A));
  static_assert(SHARED_BYTES <= at_least(LNGEN_SHARED, 49152), "LNGEN_SHARED is too small for this program");

  static __device__ __forceinline__ int chunks(int D) {
    return KEEPS_ROW ? CHUNKS : (D + THREADS_PER_ROW * VECTOR - 1) / (THREADS_PER_ROW * VECTOR);
  }
};

// Where a thread stands: its row, and how far the row goes for it. A row past the last has no columns.
struct Here {
  long long row, offset;
  int lane, group, limit, D;

  // Before the first row.
  template <class G> __device__ __forceinline__ void begin(int features) {
    D = LNGEN_D > 0 ? LNGEN_D : features;
    lane = threadIdx.x % G::THREADS_PER_ROW;
    group = threadIdx.x / G::THREADS_PER_ROW;
  }

  // To the thread's row of those that its block takes from `first` on; whether there is one.
  template <class G> __device__ __forceinline__ bool enter(long long first, long long rows) {
    row = first + group;
    const bool live = G::ROWS == 1 || row < rows;
    limit = live ? D : 0;
    offset = row * D;
    return live;
  }

  template <class G> __device__ __forceinline__ int column(int chunk) const {
    return (chunk * G::THREADS_PER_ROW + lane) * G::VECTOR;
  }
};

// Visits the parts of the row that are the thread's: visit(chunk, column).
template <class G, class F> __device__ __forceinline__ void each_chunk(const Here& here, F visit) {
#pragma unroll(G::UNROLL)
  for (int chunk = 0; chunk < G::chunks(here.D); ++chunk) {
    const int column = here.template column<G>(chunk);
    if (column < here.limit) visit(chunk, column);
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

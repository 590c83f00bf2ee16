// SPDX-License-Identifier: MIT
// The layout of a kernel that is compiled, and where a thread stands in it.
#ifndef LNGEN_GEOMETRY_CUH
#define LNGEN_GEOMETRY_CUH

#include "rows.cuh"
#include "shapes.cuh"

namespace lngen {

#ifndef LNGEN_VECTOR
#define LNGEN_VECTOR (LNGEN_D > 0 ? 16 : 1)
#endif
#ifndef LNGEN_THREADS_PER_ROW
#define LNGEN_THREADS_PER_ROW 0
#endif
static_assert(LNGEN_D <= MOST_FEATURES, "LNGEN_D is too large: columns are counted by int");
#ifndef LNGEN_SEGMENT
#define LNGEN_SEGMENT 0
#endif
#if LNGEN_SEGMENT
#ifndef LNGEN_AXES
#error "LNGEN_SEGMENT is for rows along axes: define LNGEN_AXES, too"
#endif
static_assert(LNGEN_D > 0 && LNGEN_D % LNGEN_SEGMENT == 0, "LNGEN_SEGMENT has to divide LNGEN_D");
#endif
#if LNGEN_FEW_ROWS
static_assert(LNGEN_D > 0, "LNGEN_FEW_ROWS is for rows of LNGEN_D entries");
#endif
constexpr Limits LIMITS = {LNGEN_SHARED, LNGEN_VECTOR, LNGEN_THREADS_PER_ROW, LNGEN_RESIDENT, LNGEN_ROOM,
                           LNGEN_BLOCKS_PER_ROW};
// Where rows are few, no block shares one, and there is room for what a layer reduces at the end of the sums over rows.
constexpr int SHARED_FOR_ENDS = 8192;
constexpr Limits FEW_LIMITS = {LNGEN_SHARED - SHARED_FOR_ENDS, LNGEN_VECTOR, LNGEN_THREADS_PER_ROW, LNGEN_RESIDENT, LNGEN_ROOM};

// Requirements of a direction on its kernels, for some type of rows.
template <class T_, class P_, int ROWS, int FEATURES, int COLUMN_SUMS, int SCALAR_SUMS, int MOST_SUMS, int CALLS,
          int SCALARS, int RESULTS, int SEGMENT = 0, int SEGMENT_SUMS = 0>
struct Demand {
  using T = T_;
  using P = P_;
  using A = Wider<T, P>;
  static constexpr Asked ASKED = {int(sizeof(T)), int(sizeof(P)), int(sizeof(A)), ROWS, FEATURES, COLUMN_SUMS, CALLS,
                                  SCALARS, RESULTS, MOST_SUMS, SCALAR_SUMS, SEGMENT, SEGMENT_SUMS};
};

struct FixedShape {
  template <class N>
  static constexpr Shape of = LNGEN_FEW_ROWS ? shape_of_few(at_least(LNGEN_D, 1), N::ASKED, FEW_LIMITS)
                                             : shape_of(at_least(LNGEN_D, 1), N::ASKED, LIMITS);
};
struct AnyShape {
  template <class N> static constexpr Shape of = shape_of_any(N::ASKED, LIMITS);
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
  // The threads and warps of all blocks that share a row.
  static constexpr int BLOCKS_PER_ROW = SHAPE.blocks_per_row, ALL_THREADS = BLOCKS_PER_ROW * THREADS_PER_ROW,
                       ALL_WARPS = BLOCKS_PER_ROW * WARPS, CLUSTER = LNGEN_FEW_ROWS ? LNGEN_FEW_ROWS : BLOCKS_PER_ROW;
  static constexpr Held ROW = SHAPE.row;
  static constexpr bool OF_WARPS = SHAPE.of_warps;
  static constexpr bool KEEPS_ROW = ROW != READ_AGAIN, HOLDS_FEATURES = SHAPE.holds_features;
  static constexpr int KEPT = KEEPS_ROW ? CHUNKS : 1, HELD = HOLDS_FEATURES ? CHUNKS : 1;
  // Of a row that is read again, as many accesses at a time are on their way as registers and the code have room for.
  static constexpr int UNROLL = KEEPS_ROW ? CHUNKS : LNGEN_D > 0 ? read_together(VECTOR, N::ASKED, LIMITS) : 1;
  // The same where they are taken together, whether the length of the row is known or not.
  static constexpr int TOGETHER = read_together(VECTOR, N::ASKED, LIMITS);
  static constexpr Place SUMS = SHAPE.sums;
  // Accesses of one entry are many, and at constant distances from the thread's first one.
  static constexpr bool BY_ENTRIES = VECTOR == 1 && !LNGEN_SEGMENT;
  static constexpr int CAPACITY = ALL_THREADS * ENTRIES;

  // Shared memory: slots and sums in entries of A, the rest in bytes.
  static constexpr Memory MEMORY = memory_of(SHAPE, LNGEN_D, N::ASKED);
  static constexpr int HALF = N::ASKED.most_sums * ALL_WARPS, SLOTS = int(MEMORY.slots) / int(sizeof(A));
  static constexpr int ACCESS = VECTOR * int(sizeof(T)), COPY = at_least(ACCESS, LEAST_COPY),
                       COPIES = ceiling(LNGEN_D, ALL_THREADS * VECTOR), COPIED_BYTES = ROWS_COPIED ? int(MEMORY.copy) : 0,
                       SEGMENTS_AT = int(MEMORY.slots + MEMORY.sums),
                       COPIES_AT = SEGMENTS_AT + int(MEMORY.segments), TOTALS_AT = int(MEMORY.totals_at());
  static_assert(MEMORY.bytes(ROWS_COPIED) <= at_least(LNGEN_SHARED, 49152), "LNGEN_SHARED is too small for this program");
  static constexpr int SHARED_BYTES = int(MEMORY.bytes(ROWS_COPIED));

  static __device__ __forceinline__ int chunks(int D) {
    return KEEPS_ROW ? CHUNKS : LNGEN_D > 0 ? COPIES : (D + ALL_THREADS * VECTOR - 1) / (ALL_THREADS * VECTOR);
  }
};

// The blocks of a kernel by the rows that they work on: those that share rows count as one, and are numbered in it.
template <class G> __device__ __forceinline__ unsigned block_of_rows() { return blockIdx.x / G::BLOCKS_PER_ROW; }
template <class G> __device__ __forceinline__ unsigned blocks_of_rows() { return gridDim.x / G::BLOCKS_PER_ROW; }
template <class G> __device__ __forceinline__ int block_of_row() { return blockIdx.x % G::BLOCKS_PER_ROW; }

// Place of a thread: its row, and its entries. In the last trip of a block there may be fewer rows than groups of
// threads. Groups without a row of their own work on the last row again, and store nothing.
struct Here {
  long long row, offset;
  int lane, group, D;
  bool live;
#ifdef LNGEN_AXES
  long long along[LNGEN_AXES];  // the place of the row along each axis of places.cuh
#endif

  // Before the first row.
  template <class G> __device__ __forceinline__ void begin(int features) {
    D = LNGEN_D > 0 ? LNGEN_D : features;
    lane = threadIdx.x % G::THREADS_PER_ROW;
    if constexpr (G::BLOCKS_PER_ROW > 1) lane += block_of_row<G>() * G::THREADS_PER_ROW;
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
    return (chunk * G::ALL_THREADS + lane) * G::VECTOR;
  }

  // Tests whether rows have this column; known to the compiler, but for the last chunk.
  template <class G> __device__ __forceinline__ bool have_column(int chunk, int column) const {
    return (chunk + 1) * G::ALL_THREADS * G::VECTOR <= LNGEN_D || column < D;
  }

  // The same of the thread's row, once it has entered one.
  template <class G> __device__ __forceinline__ bool reaches(int chunk, int column) const {
#ifdef LNGEN_IN_PLACE
    if (!live) return false;  // another group may be writing over that row
#endif
    return have_column<G>(chunk, column);
  }
};

// Where the thread's first entry is of a row in memory that begins here. Unseen: the compiler would compute the place of
// each entry from the number of the row.
template <class G, class T> __device__ __forceinline__ T* own_entries(T* row, const Here& here) {
  return unseen(row + here.template column<G>(0));
}

// Visits the parts of the row that are the thread's, and where the row has ended, all threads come along:
// visit(chunk, column, is_there).
template <class G, class F> __device__ __forceinline__ void each_chunk_of_all(const Here& here, F visit) {
#pragma unroll(G::UNROLL)
  for (int chunk = 0; chunk < G::chunks(here.D); ++chunk) {
    const int column = here.template column<G>(chunk);
    visit(chunk, column, here.template reaches<G>(chunk, column));
  }
}

// The same without threads whose part has ended: visit(chunk, column).
template <class G, class F> __device__ __forceinline__ void each_chunk(const Here& here, F visit) {
  each_chunk_of_all<G>(here, [&](int chunk, int column, bool is_there) {
    if (is_there) visit(chunk, column);
  });
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

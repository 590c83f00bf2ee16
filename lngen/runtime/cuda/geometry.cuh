// SPDX-License-Identifier: MIT
// The types and the layout of a kernel that is compiled, and where a thread stands in it.

#ifndef LNGEN_D
#error "define LNGEN_D, the length of a row"
#endif
#ifndef LNGEN_VECTOR
#define LNGEN_VECTOR 16
#endif
#ifndef LNGEN_THREADS_PER_ROW
#define LNGEN_THREADS_PER_ROW 0
#endif
#ifndef LNGEN_SHARED
#define LNGEN_SHARED 98304
#endif
#ifndef LNGEN_RESIDENT
#define LNGEN_RESIDENT 0
#endif
#ifndef LNGEN_ROOM
#define LNGEN_ROOM 100
#endif
#if !defined(LNGEN_BLOCKS_PER_ROW) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900)
#undef LNGEN_BLOCKS_PER_ROW
#define LNGEN_BLOCKS_PER_ROW 1
#endif
#ifndef LNGEN_INTEGERS
#define LNGEN_INTEGERS i32
#endif
#ifndef LNGEN_INTEGER
#define LNGEN_INTEGER i32
#endif
#if !defined(LNGEN_FORWARD) && !defined(LNGEN_BACKWARD) && !defined(LNGEN_JVP) && !defined(LNGEN_BACKWARD_BACKWARD)
#define LNGEN_FORWARD
#define LNGEN_BACKWARD
#define LNGEN_JVP
#define LNGEN_BACKWARD_BACKWARD
#endif
#if !defined(LNGEN_TYPED) && !defined(LNGEN_F16) && !defined(LNGEN_BF16) && !defined(LNGEN_F32) && \
    !defined(LNGEN_F64)
#define LNGEN_F16
#define LNGEN_BF16
#define LNGEN_F32
#define LNGEN_F64
#endif

namespace lngen::LNGEN_SPACE {

using Integer = LNGEN_INTEGERS;
using OneInteger = LNGEN_INTEGER;

#ifdef LNGEN_PARAMETERS
template <class T> struct ParameterOf { using type = LNGEN_PARAMETERS; };
#else
template <class T> struct ParameterOf { using type = T; };
#endif
template <class T> using Parameter = typename ParameterOf<T>::type;
template <class T> using Computed = Wider<T, Parameter<T>>;

static_assert(0 < LNGEN_D && LNGEN_D <= MOST_FEATURES, "LNGEN_D is 1 to 2**30: columns are counted by int");
constexpr Limits LIMITS = {LNGEN_SHARED, LNGEN_VECTOR, LNGEN_THREADS_PER_ROW, LNGEN_RESIDENT, LNGEN_ROOM,
                           LNGEN_BLOCKS_PER_ROW};

// Requirements of a direction on its kernels, for some type of rows.
template <class T_, class P_, int ROWS, int FEATURES, int COLUMN_SUMS, int SCALAR_SUMS, int MOST_SUMS, int CALLS,
          int SCALARS, int RESULTS>
struct Demand {
  using T = T_;
  using P = P_;
  using A = Wider<T, P>;
  static constexpr Asked ASKED = {int(sizeof(T)), int(sizeof(P)), int(sizeof(A)), ROWS, FEATURES, COLUMN_SUMS, CALLS,
                                  SCALARS, RESULTS, MOST_SUMS, SCALAR_SUMS};
};

// The layout of a direction's kernel, which a launcher reads.
template <class N> struct Geometry {
  using T = typename N::T;
  using P = typename N::P;
  using A = typename N::A;
  static constexpr Shape SHAPE = shape_of(LNGEN_D, N::ASKED, LIMITS);
  static constexpr int VECTOR = SHAPE.vector, THREADS_PER_ROW = SHAPE.threads_per_row, THREADS = SHAPE.threads,
                       ROWS = THREADS / THREADS_PER_ROW, CHUNKS = SHAPE.chunks, ENTRIES = CHUNKS * VECTOR,
                       ROWS_COPIED = SHAPE.rows_copied, BLOCKS = SHAPE.blocks, WARPS = THREADS / 32;
  // The threads and warps of all blocks that share a row.
  static constexpr int BLOCKS_PER_ROW = SHAPE.blocks_per_row, ALL_THREADS = BLOCKS_PER_ROW * THREADS_PER_ROW,
                       ALL_WARPS = BLOCKS_PER_ROW * WARPS;
  static constexpr Held ROW = SHAPE.row;
  static constexpr bool OF_WARPS = SHAPE.of_warps;
  static constexpr bool KEEPS_ROW = ROW != READ_AGAIN, HOLDS_FEATURES = SHAPE.holds_features;
  static constexpr int KEPT = KEEPS_ROW ? CHUNKS : 1, HELD = HOLDS_FEATURES ? CHUNKS : 1;
  // Accesses of a thread to a row; of one that is read again, as many at a time are on their way as registers and the code have room for.
  static constexpr int ALL_CHUNKS = KEEPS_ROW ? CHUNKS : ceiling(LNGEN_D, ALL_THREADS * VECTOR),
                       TOGETHER = read_together(VECTOR, N::ASKED, LIMITS), UNROLL = KEEPS_ROW ? CHUNKS : TOGETHER;
  static constexpr Place SUMS = SHAPE.sums;
  // Accesses of one entry are many, and at constant distances from the thread's first one.
  static constexpr bool BY_ENTRIES = VECTOR == 1;

  // Shared memory: slots and sums in entries of A, the rest in bytes.
  static constexpr Memory MEMORY = memory_of(SHAPE, LNGEN_D, N::ASKED);
  static constexpr int HALF = N::ASKED.most_sums * ALL_WARPS, SLOTS = int(MEMORY.slots) / int(sizeof(A));
  static constexpr int ACCESS = VECTOR * int(sizeof(T)), COPY = at_least(ACCESS, LEAST_COPY),
                       COPIES = ceiling(LNGEN_D, ALL_THREADS * VECTOR), COPIED_BYTES = ROWS_COPIED ? int(MEMORY.copy) : 0,
                       COPIES_AT = int(MEMORY.slots + MEMORY.sums);
  static_assert(MEMORY.bytes(ROWS_COPIED) <= at_least(LNGEN_SHARED, 49152), "LNGEN_SHARED is too small for this program");
  static constexpr int SHARED_BYTES = int(MEMORY.bytes(ROWS_COPIED));
};

// The blocks of a kernel by the rows that they work on: those that share rows count as one, and are numbered in it.
template <class G> __device__ __forceinline__ unsigned block_of_rows() { return blockIdx.x / G::BLOCKS_PER_ROW; }
template <class G> __device__ __forceinline__ unsigned blocks_of_rows() { return gridDim.x / G::BLOCKS_PER_ROW; }
template <class G> __device__ __forceinline__ int block_of_row() { return blockIdx.x % G::BLOCKS_PER_ROW; }

// Place of a thread: its row, and its entries. In the last trip of a block there may be fewer rows than groups of
// threads. Groups without a row of their own work on the last row again, and store nothing.
struct Here {
  long long row, offset;
  static constexpr int D = LNGEN_D;
  int lane, group;
  bool live;
#ifdef LNGEN_AXES
  long long along[LNGEN_AXES];  // the place of the row along each axis of places.cuh
#endif

  // Before the first row.
  template <class G> __device__ __forceinline__ void begin() {
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
  template <class G> __device__ __forceinline__ bool reaches(int chunk, int column) const {
    return (chunk + 1) * G::ALL_THREADS * G::VECTOR <= D || column < D;
  }
};

// Where the thread's first entry is of a row in memory that begins here. Unseen: the compiler would compute the place of
// each entry from the number of the row.
template <class G, class T> __device__ __forceinline__ T* own_entries(T* row, const Here& here) {
  return unseen(row + here.template column<G>(0));
}

// Visits the parts of the row that are the thread's: visit(chunk, column).
template <class G, class F> __device__ __forceinline__ void each_chunk(const Here& here, F visit) {
#pragma unroll(G::UNROLL)
  for (int chunk = 0; chunk < G::ALL_CHUNKS; ++chunk) {
    const int column = here.template column<G>(chunk);
    if (here.template reaches<G>(chunk, column)) visit(chunk, column);
  }
}

template <bool FIRST, class X, class Y> struct Either { using type = X; };
template <class X, class Y> struct Either<false, X, Y> { using type = Y; };

}  // namespace lngen::LNGEN_SPACE

// SPDX-License-Identifier: MIT
// What the kernels of all layers share: types, mathematics, and who works on which entries of a row.
//
// A kernel is called <kernel>_<type>, the type being that of the rows: f16, bf16, f32 or f64. In what it is passed, Row
// is this storage type, Parameter that of Features and Scalars, and Computed the compute type: the widest of both, and
// float at least, or double where the layer says so. Rows are dense, D entries each; pointers of rows, Features and
// results are aligned to an access (vector entries, at most 16 bytes).
//
// forward and backward take any grid of one block and more, with block size and dynamic shared memory as the module's
// array <kernel>_<type>_launch says; its entries are
//     threads_per_block, rows_per_block, shared_bytes, vector, threads_per_row, entries_per_thread,
//     keeps_row, sums_over_rows.
// A workspace needs no initial value. No sum uses an atomic: the same call gives the same bits.
//
// Macros, all optional:
//     LNGEN_D=n              D known to the compiler; without it any D is right, and slower
//     LNGEN_FORWARD, LNGEN_BACKWARD, LNGEN_JVP, LNGEN_BACKWARD_BACKWARD              only these directions
//     LNGEN_F16, LNGEN_BF16, LNGEN_F32, LNGEN_F64                                    only these types of rows
//     LNGEN_PARAMETERS=f32   the type of Features and Scalars; without it that of the rows
//     LNGEN_VECTOR=n         at most n entries an access; with 1, pointers need no more than their type's alignment
//     LNGEN_SHARED=n         bytes of shared memory that a block may take
//     LNGEN_THREADS_PER_ROW=n   8, 16, ... 1024 instead of the kernel's own choice
// A layer whose values float may not hold defines LNGEN_COMPUTE as double.
#ifndef LNGEN_ROWS_CUH
#define LNGEN_ROWS_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#ifndef LNGEN_D
#define LNGEN_D 0
#endif
#ifndef LNGEN_SHARED
#define LNGEN_SHARED 98304
#endif
#ifndef LNGEN_COMPUTE
#define LNGEN_COMPUTE float
#endif
#if !defined(LNGEN_FORWARD) && !defined(LNGEN_BACKWARD) && !defined(LNGEN_JVP) && !defined(LNGEN_BACKWARD_BACKWARD)
#define LNGEN_FORWARD
#define LNGEN_BACKWARD
#define LNGEN_JVP
#define LNGEN_BACKWARD_BACKWARD
#endif
#if !defined(LNGEN_F16) && !defined(LNGEN_BF16) && !defined(LNGEN_F32) && !defined(LNGEN_F64)
#define LNGEN_F16
#define LNGEN_BF16
#define LNGEN_F32
#define LNGEN_F64
#endif

namespace lngen {

// ---------------------------------------------------------------------------------------------------------- types

using f16 = __half;
using bf16 = __nv_bfloat16;
using f32 = float;
using f64 = double;

#ifdef LNGEN_PARAMETERS
template <class T> struct ParameterOf { using type = LNGEN_PARAMETERS; };
#else
template <class T> struct ParameterOf { using type = T; };
#endif
template <class T> using Parameter = typename ParameterOf<T>::type;

template <class T> struct Wide { using type = LNGEN_COMPUTE; };
template <> struct Wide<f64> { using type = double; };
template <class T, class P> using Wider = decltype(typename Wide<T>::type() + typename Wide<P>::type());
template <class T> using Computed = Wider<T, Parameter<T>>;

template <class A> __device__ __forceinline__ A widen(f16 value) { return A(__half2float(value)); }
template <class A> __device__ __forceinline__ A widen(bf16 value) { return A(__bfloat162float(value)); }
template <class A> __device__ __forceinline__ A widen(f32 value) { return A(value); }
template <class A> __device__ __forceinline__ A widen(f64 value) { return A(value); }

template <class T> struct Narrow {
  template <class A> static __device__ __forceinline__ T from(A value) { return T(value); }
};
template <> struct Narrow<f16> {
  static __device__ __forceinline__ f16 from(float value) { return __float2half_rn(value); }
  static __device__ __forceinline__ f16 from(double value) { return __double2half(value); }
};
template <> struct Narrow<bf16> {
  static __device__ __forceinline__ bf16 from(float value) { return __float2bfloat16_rn(value); }
  static __device__ __forceinline__ bf16 from(double value) { return __double2bfloat16(value); }
};
template <class T, class A> __device__ __forceinline__ T narrow(A value) { return Narrow<T>::from(value); }

// Entries that are read and written together, by accesses of up to 16 bytes.
template <int BYTES> struct Word;
template <> struct Word<2> { using type = unsigned short; };
template <> struct Word<4> { using type = unsigned int; };
template <> struct Word<8> { using type = uint2; };
template <> struct Word<16> { using type = uint4; };

template <class T, int N> struct Pack {
  static constexpr int BYTES = N * int(sizeof(T)), WIDTH = BYTES < 16 ? BYTES : 16, WORDS = BYTES / WIDTH;
  using word = typename Word<WIDTH>::type;
  union {
    word words[WORDS];
    T entries[N];
  };
};

// The accesses to memory that bypass what the caches are wanted for: a row is read once and written once.
template <class W> __device__ __forceinline__ W load_streaming(const W* from) { return __ldcs(from); }
template <class W> __device__ __forceinline__ void store_streaming(W* to, W value) { __stcs(to, value); }

template <int N, class T> __device__ __forceinline__ Pack<T, N> load(const T* from) {
  using word = typename Pack<T, N>::word;
  Pack<T, N> pack;
#pragma unroll
  for (int i = 0; i < Pack<T, N>::WORDS; ++i) pack.words[i] = reinterpret_cast<const word*>(from)[i];
  return pack;
}

template <int N, class T> __device__ __forceinline__ Pack<T, N> load_once(const T* from) {
  using word = typename Pack<T, N>::word;
  Pack<T, N> pack;
#pragma unroll
  for (int i = 0; i < Pack<T, N>::WORDS; ++i) pack.words[i] = load_streaming(reinterpret_cast<const word*>(from) + i);
  return pack;
}

template <class T, int N> __device__ __forceinline__ void store_once(T* to, const Pack<T, N>& pack) {
  using word = typename Pack<T, N>::word;
#pragma unroll
  for (int i = 0; i < Pack<T, N>::WORDS; ++i) store_streaming(reinterpret_cast<word*>(to) + i, pack.words[i]);
}

// What a stage reads: from registers where it is kept, from memory where it is not, nothing where it is left out.
template <bool PRESENT, bool KEPT, class T, int N, int CHUNKS>
__device__ __forceinline__ Pack<T, N> read(const Pack<T, N> (&kept)[CHUNKS], int chunk, const T* from, long long at) {
  if constexpr (!PRESENT) return Pack<T, N>();
  else if constexpr (KEPT) return kept[chunk];
  else return load<N>(from + at);
}

// ----------------------------------------------------------------------------------------------------- mathematics

__device__ __forceinline__ constexpr unsigned long long bit(int place, bool there) {
  return there ? 1ull << place : 0ull;
}

template <class A> __device__ __forceinline__ A infinity() { return A(__int_as_float(0x7f800000)); }

// Unlike fmax and fmin they give a NaN wherever there is one.
template <class A> __device__ __forceinline__ A larger(A a, A b) { return a > b || a != a ? a : b; }
template <class A> __device__ __forceinline__ A smaller(A a, A b) { return a < b || a != a ? a : b; }

// What is nearest to an extreme, and where; of equals the one that comes first.
template <class A> __device__ __forceinline__ void nearest(A& least, A& where, A distance, A place) {
  if (distance < least) {
    least = distance;
    where = place;
  }
}

namespace math {
__device__ __forceinline__ f32 exp(f32 u) { return expf(u); }
__device__ __forceinline__ f64 exp(f64 u) { return ::exp(u); }
__device__ __forceinline__ f32 log(f32 u) { return logf(u); }
__device__ __forceinline__ f64 log(f64 u) { return ::log(u); }
__device__ __forceinline__ f32 sin(f32 u) { return sinf(u); }
__device__ __forceinline__ f64 sin(f64 u) { return ::sin(u); }
__device__ __forceinline__ f32 cos(f32 u) { return cosf(u); }
__device__ __forceinline__ f64 cos(f64 u) { return ::cos(u); }
__device__ __forceinline__ f32 tanh(f32 u) { return tanhf(u); }
__device__ __forceinline__ f64 tanh(f64 u) { return ::tanh(u); }
__device__ __forceinline__ f32 erf(f32 u) { return erff(u); }
__device__ __forceinline__ f64 erf(f64 u) { return ::erf(u); }
__device__ __forceinline__ f32 sqrt(f32 u) { return sqrtf(u); }
__device__ __forceinline__ f64 sqrt(f64 u) { return ::sqrt(u); }
__device__ __forceinline__ f32 log1p(f32 u) { return log1pf(u); }
__device__ __forceinline__ f64 log1p(f64 u) { return ::log1p(u); }
__device__ __forceinline__ f32 expm1(f32 u) { return expm1f(u); }
__device__ __forceinline__ f64 expm1(f64 u) { return ::expm1(u); }
__device__ __forceinline__ f32 abs(f32 u) { return fabsf(u); }
__device__ __forceinline__ f64 abs(f64 u) { return ::fabs(u); }
__device__ __forceinline__ f32 pow(f32 u, f32 exponent) { return powf(u, exponent); }
__device__ __forceinline__ f64 pow(f64 u, f64 exponent) { return ::pow(u, exponent); }
template <class A> __device__ __forceinline__ A sign(A u) { return u > A(0) ? A(1) : u < A(0) ? A(-1) : u; }
__device__ __forceinline__ f32 sigmoid(f32 u) { return 1.0f / (1.0f + expf(-u)); }
__device__ __forceinline__ f64 sigmoid(f64 u) { return 1.0 / (1.0 + ::exp(-u)); }
// log(1 + exp(u)) = max(u, 0) + log(1 + exp(-|u|)), which does not overflow.
__device__ __forceinline__ f32 softplus(f32 u) { return (u > 0.0f ? u : 0.0f) + log1pf(expf(-fabsf(u))); }
__device__ __forceinline__ f64 softplus(f64 u) { return (u > 0.0 ? u : 0.0) + ::log1p(::exp(-::fabs(u))); }
template <int N, class A> __device__ __forceinline__ A power(A u) {
  if constexpr (N == 1) {
    return u;
  } else {
    const A root = power<N / 2>(u);
    return N % 2 ? root * root * u : root * root;
  }
}
}  // namespace math

// -------------------------------------------------------------------------------------------------------- geometry

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

// Row scalars that a thread has registers for without taking them from the row's.
constexpr int FREE_SCALARS = 8;

// Bytes of registers that a thread has for a row, its Features and its sums, besides what it computes with.
__host__ __device__ constexpr int room(int threads, int compute_bytes, int calls, int scalars) {
  return 4 * (threads > 512 ? (compute_bytes > 4 || calls ? 0 : 24) : (compute_bytes > 4 ? 40 : 72)) -
         compute_bytes * at_least(scalars - FREE_SCALARS, 0);
}

// Blocks that a multiprocessor is to hold at a time; with it, the compiler has the registers that `room` counts on.
__host__ __device__ constexpr int blocks_at_a_time(int threads) { return at_least(512 / threads, 1); }

// Entries a thread may have: for the sake of the loads in flight, and of the code's size, in which every function is
// spelled out for each of them.
__host__ __device__ constexpr int most_entries(int calls, bool sums_in_registers) {
  const int most = sums_in_registers ? 24 : 32;
  return calls ? at_most(at_least(128 / calls, 1), most) : most;
}

// The fewest threads a row whose registers hold everything; failing that, without the Features, then without the sums
// over rows; failing that, the row is read again in every stage. `row`, `features` and `sums` count bytes per entry in
// the compute type: what is read in 16 bits is unpacked once, and the compiler keeps it so.
__host__ __device__ constexpr Shape shape_of(
    int D, int bytes, int compute_bytes, int row, int features, int sums, int calls, int scalars) {
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
      const int bytes_left = room(block, compute_bytes, calls, scalars) / (alone && beside == IN_WORKSPACE ? 2 : 1);
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
    int bytes, int compute_bytes, int row, int features, int sums, int calls, int scalars) {
  const int vector = at_most(MOST_VECTOR, 16 / bytes);
  const int entries = room(ANY_D_THREADS, compute_bytes, calls, scalars) / at_least(row + features + sums, 1);
  const int chunks = at_most(at_most(at_least(entries, 1), 8), most_entries(calls, true)) / vector;
  return Shape{vector, ANY_D_THREADS, at_least(chunks, 1), ANY_D_THREADS, entries > 0, true, IN_REGISTERS};
}

__host__ __device__ constexpr Shape rereading(Shape any) {
  return Shape{any.vector, any.threads_per_row, 1, any.threads, false, false, IN_WORKSPACE};
}

// What a direction asks of the geometry: how many arrays of each kind an entry of a row meets, the sums, and the row
// scalars. What a function gives in one stage, the compiler keeps for the next: in registers it is one more row.
template <class T_, class P_, int ROWS, int FEATURES, int COLUMN_SUMS, int SCALAR_SUMS, int MOST_SUMS, int CALLS,
          int SCALARS>
struct Demand {
  using T = T_;
  using P = P_;
  using A = Wider<T, P>;
  static constexpr int row = (ROWS + CALLS) * int(sizeof(A)), features = FEATURES * int(sizeof(A)),
                       sums = COLUMN_SUMS * int(sizeof(A)), compute = int(sizeof(A)), storage = int(sizeof(T)),
                       column_sums = COLUMN_SUMS, scalar_sums = SCALAR_SUMS, most_sums = MOST_SUMS, calls = CALLS,
                       scalars = SCALARS;
};

struct FixedShape {
  template <class N>
  static constexpr Shape of =
      shape_of(at_least(LNGEN_D, 1), N::storage, N::compute, N::row, N::features, N::sums, N::calls, N::scalars);
};
struct AnyShape {
  template <class N>
  static constexpr Shape of = shape_of_any(N::storage, N::compute, N::row, N::features, N::sums, N::calls, N::scalars);
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

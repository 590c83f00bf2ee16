// Root-mean-square normalization, then a gate: silu of another row.
// Made by lngen 0.1.0 from the definition of gated_rms_norm.
// Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
// Cost: forward 3 row tensors (2 read, 1 written), 7 flops a row element; backward 5 row tensors (3 read, 2 written), 20 flops a row element.
// Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
// definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
// templates sha256:573788c2949cd8bc1cdc044b425d318e510d29a4ea5969baaaa85984a9d20722
//
// forward:
//     ms = mean(x**2)
//     rstd = 1/sqrt(ms + eps)
//     xhat = rstd*x
//     sigmoid_z = sigmoid(z)
//     silu_z = sigmoid_z*z
//     y = gamma*silu_z*xhat
// backward:
//     g = gamma*dy*silu_z
//     dx = rstd*(g - xhat*mean(g*xhat))
//     dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
//     dgamma = sum_rows(dy*silu_z*xhat)
//
// Kernels, each for a storage type of f16, bf16, f32 and f64 (f16 and bf16 compute in float):
//
//     forward_<type>(const Row* x, const Row* z, const Parameter* gamma, Computed eps, Row* out_y, Computed*
//         save_rstd, long long rows, int D)
//     backward_<type>(const Row* x, const Row* z, const Row* dy, const Computed* rstd, const Parameter* gamma,
//         Row* out_dx, Row* out_dz, Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter* out_dgamma, int
//         D)
//
// Row is the storage type, Parameter that of Features and Scalars, Computed the compute type: the widest of both, and
// float at least. Rows are dense, D entries each. forward and backward take any grid of one block and more, with block
// size and dynamic shared memory as the module's array <kernel>_<type>_launch says; its entries are
//     threads_per_block, rows_per_block, shared_bytes, vector, threads_per_row, entries_per_thread, keeps_row, sums_over_rows.
// The workspace needs no initial value and holds blocks * (sums into columns * D + sums into scalars) entries:
//     backward: blocks * (1*D + 0).
// No sum uses an atomic: the same call gives the same bits.
//
// Macros, all optional:
//     LNGEN_D=n              D known to the compiler; without it any D is right, and slower
//     LNGEN_FORWARD, LNGEN_BACKWARD, LNGEN_F16, LNGEN_BF16, LNGEN_F32, LNGEN_F64     only these kernels
//     LNGEN_PARAMETERS=f32   the type of Features and Scalars; without it that of the rows
//     LNGEN_VECTOR=n         at most n entries an access; with 1, pointers need no more than their type's alignment
//     LNGEN_SHARED=n         bytes of shared memory that a block may take
//     LNGEN_THREADS_PER_ROW=n   8, 16, ... 1024 instead of the kernel's own choice
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//
// Pointers of rows, Features and results are aligned to an access (vector entries, at most 16 bytes).

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#ifndef LNGEN_D
#define LNGEN_D 0
#endif
#ifndef LNGEN_SHARED
#define LNGEN_SHARED 98304
#endif
#if !defined(LNGEN_FORWARD) && !defined(LNGEN_BACKWARD)
#define LNGEN_FORWARD
#define LNGEN_BACKWARD
#endif
#if !defined(LNGEN_F16) && !defined(LNGEN_BF16) && !defined(LNGEN_F32) && !defined(LNGEN_F64)
#define LNGEN_F16
#define LNGEN_BF16
#define LNGEN_F32
#define LNGEN_F64
#endif

namespace lngen {

#ifdef LNGEN_WITHOUT_gamma
constexpr bool HAS_gamma = false;
#else
constexpr bool HAS_gamma = true;
#endif

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

template <class T> struct Wide { using type = float; };
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

// What a sweep reads: from registers where it is kept, from memory where it is not, nothing where it is left out.
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
__device__ __forceinline__ f32 sqrt(f32 u) { return sqrtf(u); }
__device__ __forceinline__ f64 sqrt(f64 u) { return ::sqrt(u); }
__device__ __forceinline__ f32 sigmoid(f32 u) { return 1.0f / (1.0f + expf(-u)); }
__device__ __forceinline__ f64 sigmoid(f64 u) { return 1.0 / (1.0 + ::exp(-u)); }
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

// Bytes of registers that a thread has for a row, its Features and its sums, besides what it computes with.
__host__ __device__ constexpr int room(int threads, int compute_bytes, int calls) {
  return 4 * (threads > 512 ? (compute_bytes > 4 || calls ? 0 : 24) : (compute_bytes > 4 ? 40 : 72));
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
// over rows; failing that, the row is read again in every sweep. `row`, `features` and `sums` count bytes per entry in the
// compute type: what is read in 16 bits is unpacked once, and the compiler keeps it so.
__host__ __device__ constexpr Shape shape_of(int D, int bytes, int compute_bytes, int row, int features, int sums, int calls) {
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
      const int bytes_left = room(block, compute_bytes, calls) / (alone && beside == IN_WORKSPACE ? 2 : 1);
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
__host__ __device__ constexpr Shape shape_of_any(int bytes, int compute_bytes, int row, int features, int sums, int calls) {
  const int vector = at_most(MOST_VECTOR, 16 / bytes);
  const int entries = room(ANY_D_THREADS, compute_bytes, calls) / at_least(row + features + sums, 1);
  const int chunks = at_most(at_most(at_least(entries, 1), 8), most_entries(calls, true)) / vector;
  return Shape{vector, ANY_D_THREADS, at_least(chunks, 1), ANY_D_THREADS, entries > 0, true, IN_REGISTERS};
}

__host__ __device__ constexpr Shape rereading(Shape any) {
  return Shape{any.vector, any.threads_per_row, 1, any.threads, false, false, IN_WORKSPACE};
}

// What a direction asks of the geometry: how many arrays of each kind an entry of a row meets, and the sums. What a
// function gives in one sweep, the compiler keeps for the next: in registers it is one more row.
template <class T_, class P_, int ROWS, int FEATURES, int COLUMN_SUMS, int SCALAR_SUMS, int MOST_SUMS, int CALLS>
struct Demand {
  using T = T_;
  using P = P_;
  using A = Wider<T, P>;
  static constexpr int row = (ROWS + CALLS) * int(sizeof(A)), features = FEATURES * int(sizeof(A)),
                       sums = COLUMN_SUMS * int(sizeof(A)), compute = int(sizeof(A)), storage = int(sizeof(T)),
                       column_sums = COLUMN_SUMS, scalar_sums = SCALAR_SUMS, most_sums = MOST_SUMS, calls = CALLS;
};

struct FixedShape {
  template <class N>
  static constexpr Shape of =
      shape_of(at_least(LNGEN_D, 1), N::storage, N::compute, N::row, N::features, N::sums, N::calls);
};
struct AnyShape {
  template <class N>
  static constexpr Shape of = shape_of_any(N::storage, N::compute, N::row, N::features, N::sums, N::calls);
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
  int lane, limit, D;
  template <class G> __device__ __forceinline__ int column(int chunk) const {
    return (chunk * G::THREADS_PER_ROW + lane) * G::VECTOR;
  }
};

template <bool FIRST, class X, class Y> struct Either { using type = X; };
template <class X, class Y> struct Either<false, X, Y> { using type = Y; };

#define LNGEN_BOUNDS(L) __launch_bounds__(L::THREADS, lngen::blocks_at_a_time(L::THREADS))

// What a launcher reads of a module: block, rows and bytes, and how the work is laid out.
#define LNGEN_LAUNCH(L) \
  {L::THREADS, L::ROWS, L::SHARED_BYTES, L::VECTOR, L::THREADS_PER_ROW, L::ENTRIES, int(L::KEEPS_ROW), int(L::SUMS)}

// ------------------------------------------------------------------------------------------------------ reductions

// The one buffer of shared memory.
__device__ __forceinline__ unsigned char* shared_memory() {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  return shared_bytes;
}

template <unsigned long long MAXIMA, unsigned long long MINIMA, class A>
__device__ __forceinline__ A combined(int which, A a, A b) {
  return MAXIMA >> which & 1 ? larger(a, b) : MINIMA >> which & 1 ? smaller(a, b) : a + b;
}

// Every thread of a row gets all reductions of a stage, the same bits in each. They share one barrier, and the next
// stage writes to the other half of the slots, so that no thread overwrites what another still reads.
template <class G, unsigned long long NEEDED, unsigned long long MAXIMA, unsigned long long MINIMA, class A, int N>
__device__ __forceinline__ void reduce_row(A (&values)[N], A* slots, int& turn) {
  if constexpr (NEEDED != 0) {
    constexpr unsigned WARP = 0xffffffffu;
    constexpr int LANES = G::THREADS_PER_ROW < 32 ? G::THREADS_PER_ROW : 32, WARPS_PER_ROW = G::THREADS_PER_ROW / LANES;
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2) {
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (NEEDED >> i & 1)
          values[i] = combined<MAXIMA, MINIMA>(i, values[i], __shfl_xor_sync(WARP, values[i], offset));
    }
    if constexpr (WARPS_PER_ROW > 1) {
      const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
      A* half = slots + turn * G::HALF;
      turn ^= 1;
      if (lane == 0) {
#pragma unroll
        for (int i = 0; i < N; ++i)
          if (NEEDED >> i & 1) half[i * G::WARPS + warp] = values[i];
      }
      __syncthreads();
      const int from = warp / WARPS_PER_ROW * WARPS_PER_ROW + lane % WARPS_PER_ROW;
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (NEEDED >> i & 1) values[i] = half[i * G::WARPS + from];
#pragma unroll
      for (int offset = WARPS_PER_ROW / 2; offset > 0; offset /= 2) {
#pragma unroll
        for (int i = 0; i < N; ++i)
          if (NEEDED >> i & 1)
            values[i] = combined<MAXIMA, MINIMA>(i, values[i], __shfl_xor_sync(WARP, values[i], offset));
      }
    }
  }
}

// Of N distances the least, and the first place that has it; the places stand behind the distances.
template <class G, unsigned long long NEEDED, class A, int N2>
__device__ __forceinline__ void reduce_first(A (&values)[N2], A* slots, int& turn) {
  constexpr int N = N2 / 2;
  A least[N], places[N];
#pragma unroll
  for (int i = 0; i < N; ++i) least[i] = values[i];
  reduce_row<G, NEEDED, 0, NEEDED>(least, slots, turn);
#pragma unroll
  for (int i = 0; i < N; ++i) places[i] = values[i] == least[i] ? values[N + i] : infinity<A>();
  reduce_row<G, NEEDED, 0, NEEDED>(places, slots, turn);
#pragma unroll
  for (int i = 0; i < N; ++i) values[N + i] = places[i];
}

// Sums over rows of the columns that a thread owns. They gather in registers, or in shared memory or in the block's part
// of the workspace, where no other thread touches them.
template <class G, unsigned long long WANTED, int K> struct ColumnSums {
  using A = typename G::A;
  static constexpr bool KEPT = G::SUMS == IN_REGISTERS;
  A kept[KEPT ? G::ENTRIES : 1][K];
  A* part;  // this block's sums: of sum k, from part + k * stride
  A* beside;
  long long stride, beside_stride;

  __device__ __forceinline__ ColumnSums(A* workspace, A* shared, const Here& here) {
    stride = (long long)gridDim.x * here.D;
    part = workspace + (long long)blockIdx.x * here.D;
    beside = G::SUMS == IN_SHARED_MEMORY ? shared : part;
    beside_stride = G::SUMS == IN_SHARED_MEMORY ? here.D : stride;
    if constexpr (KEPT) {
#pragma unroll
      for (int i = 0; i < G::ENTRIES; ++i)
#pragma unroll
        for (int k = 0; k < K; ++k) kept[i][k] = A(0);
    } else {
      each_beside(here, [&](int, int, A* sum) { *sum = A(0); });
    }
  }

  template <unsigned long long THESE>
  __device__ __forceinline__ void add(int entry, int column, const A (&over_rows)[K]) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if (!((THESE & WANTED) >> k & 1)) continue;
      if constexpr (KEPT) kept[entry][k] += over_rows[k];
      else beside[k * beside_stride + column] += over_rows[k];
    }
  }

  // Writes the block's partial sums; the rows that a block works on at a time are added in their order.
  __device__ __forceinline__ void finish(A* shared, const Here& here) {
    if constexpr (!KEPT) {
      if constexpr (G::SUMS == IN_SHARED_MEMORY)
        each_beside(here, [&](int k, int column, A* sum) { part[k * stride + column] = *sum; });
    } else {
#pragma unroll
      for (int k = 0; k < K; ++k) {
        if (!(WANTED >> k & 1)) continue;
        if constexpr (G::ROWS == 1) {
          each_kept(here, k, part + k * stride);
        } else {
          __syncthreads();
          each_kept(here, k, shared + threadIdx.x / G::THREADS_PER_ROW * here.D);
          __syncthreads();
          for (int column = threadIdx.x; column < here.D; column += G::THREADS) {
            A total = shared[column];
            for (int row = 1; row < G::ROWS; ++row) total += shared[row * here.D + column];
            part[k * stride + column] = total;
          }
        }
      }
    }
  }

 private:
  __device__ __forceinline__ void each_kept(const Here& here, int k, A* to) {
#pragma unroll
    for (int chunk = 0; chunk < G::CHUNKS; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) to[column + i] = kept[chunk * G::VECTOR + i][k];
      }
    }
  }

  template <class F> __device__ __forceinline__ void each_beside(const Here& here, F visit) {
    for (int chunk = 0; chunk < G::chunks(here.D); ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column >= here.D) break;
      for (int i = 0; i < G::VECTOR; ++i)
        for (int k = 0; k < K; ++k)
          if (WANTED >> k & 1) visit(k, column + i, beside + k * beside_stride + column + i);
    }
  }
};

}  // namespace lngen

#ifdef LNGEN_FORWARD
// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_z = true;
constexpr bool READS_gamma = HAS_gamma;
constexpr int ROWS_READ = READS_x + READS_z, FEATURES_READ = READS_gamma;

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, 0, 0, 1, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* z;
  const P* gamma;
  A eps;
  T* out_y;
  A* save_rstd;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A eps;
  A ms;
  A rstd;
};

// The part of a row, and of the Features, that a thread keeps in registers.
template <class G> struct Tile {
  Pack<typename G::T, G::VECTOR> x[G::KEPT];
  Pack<typename G::T, G::VECTOR> z[G::KEPT];
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
};

// Stage 1 of 2: ms = mean(x**2)
template <class A>
__device__ __forceinline__ void ms(A x, const Scalars<A>& row, A (&sums)[1]) {
  sums[0] += x*x;  // step 1: ms
}

template <class A>
__device__ __forceinline__ void after_ms(Scalars<A>& row, const A (&sums)[1]) {
  const A eps = row.eps;
  const A ms = sums[0] / row.D;  // step 1: mean(x**2)
  const A rstd = A(1) / math::sqrt(ms + eps);  // step 2
  row.ms = ms;
  row.rstd = rstd;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A z, A gamma, const Scalars<A>& row, A& out_y) {
  const A rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  const A sigmoid_z = math::sigmoid(z);  // step 4
  const A silu_z = sigmoid_z*z;  // step 5
  const A y = silu_z*xhat*gamma;  // step 6
  out_y = y;
}

template <class G, class T, class P, class A>
__device__ __forceinline__ void sweep_ms(
    const Arguments<T, P, A>& to, const Here& here, const Tile<G>& tile, const Scalars<A>& row, A (&sums)[1]) {
#pragma unroll(G::UNROLL)
  for (int chunk = 0; chunk < G::chunks(here.D); ++chunk) {
    const int column = here.template column<G>(chunk);
    if (column < here.limit) {
      const auto x =
          read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
#pragma unroll
      for (int i = 0; i < G::VECTOR; ++i) {
        ms(
            READS_x ? widen<A>(x.entries[i]) : A(0),
            row, sums);
      }
    }
  }
}

template <class G, class T, class P, class A>
__device__ __forceinline__ void sweep_stage_2(
    const Arguments<T, P, A>& to, const Here& here, const Tile<G>& tile, const Scalars<A>& row) {
#pragma unroll(G::UNROLL)
  for (int chunk = 0; chunk < G::chunks(here.D); ++chunk) {
    const int column = here.template column<G>(chunk);
    if (column < here.limit) {
      const auto x =
          read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
      const auto z =
          read<READS_z, G::KEEPS_ROW>(tile.z, chunk, to.z, here.offset + column);
      const auto gamma =
          read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
      Pack<T, G::VECTOR> stored_y;
#pragma unroll
      for (int i = 0; i < G::VECTOR; ++i) {
        A out_y;
        stage_2(
            READS_x ? widen<A>(x.entries[i]) : A(0),
            READS_z ? widen<A>(z.entries[i]) : A(0),
            READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
            row, out_y);
        stored_y.entries[i] = narrow<T>(out_y);
      }
      store_once(to.out_y + here.offset + column, stored_y);
    }
  }
}

// What the call gives: everything that no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  row.eps = to.eps;
  return row;
}

template <class N, class Chosen, class T, class P, class A>
__device__ __forceinline__ void work(const Arguments<T, P, A>& to) {
  using G = Geometry<N, Chosen>;
  A* slots = reinterpret_cast<A*>(shared_memory());
  int turn = 0;
  Here here;
  here.D = LNGEN_D > 0 ? LNGEN_D : to.D;
  here.lane = threadIdx.x % G::THREADS_PER_ROW;
  const int group = threadIdx.x / G::THREADS_PER_ROW;
  const Scalars<A> call = of_the_call<G>(to, here, slots, turn);
  Tile<G> tile;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
      }
    }
  }
  // Every thread of a block makes the same trips, for the barriers' sake; rows past the last have no columns.
  for (long long first = (long long)blockIdx.x * G::ROWS; first < to.rows; first += (long long)gridDim.x * G::ROWS) {
    here.row = first + group;
    const bool live = G::ROWS == 1 || here.row < to.rows;
    here.limit = live ? here.D : 0;
    here.offset = here.row * here.D;
    if constexpr (G::KEEPS_ROW) {
#pragma unroll
      for (int chunk = 0; chunk < G::KEPT; ++chunk) {
        const int column = here.template column<G>(chunk);
        if (column < here.limit) {
          if constexpr (READS_x)
            tile.x[chunk] = load_once<G::VECTOR>(to.x + here.offset + column);
          if constexpr (READS_z)
            tile.z[chunk] = load_once<G::VECTOR>(to.z + here.offset + column);
        }
      }
    }
    Scalars<A> row = call;
    {
      A sums[1] = {A(0)};
      sweep_ms<G>(to, here, tile, row, sums);
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_ms(row, sums);
    }
    {
      sweep_stage_2<G>(to, here, tile, row);
    }
    if (live && here.lane == 0) {
      to.save_rstd[here.row] = row.rstd;
    }
  }
}

template <class T>
using Chosen = typename Either<(LNGEN_D > 0), Geometry<Needs<T>, FixedShape>, Geometry<Needs<T>, AnyShape>>::type;

template <class T> struct Launch : Chosen<T> {
  using N = Needs<T>;

  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    if constexpr (LNGEN_D > 0) {
      work<N, FixedShape>(to);
    } else if constexpr (!Chosen<T>::KEEPS_ROW) {
      work<N, RereadingShape>(to);
    } else {
      if (to.D <= Chosen<T>::CAPACITY) work<N, AnyShape>(to);
      else work<N, RereadingShape>(to);
    }
  }
};

}  // namespace forward
}  // namespace lngen

#ifdef LNGEN_F16
extern "C" {
__device__ int forward_f16_launch[] = LNGEN_LAUNCH(lngen::forward::Launch<lngen::f16>);
__global__ void LNGEN_BOUNDS(lngen::forward::Launch<lngen::f16>)
    forward_f16(
        const lngen::f16* __restrict__ x,
        const lngen::f16* __restrict__ z,
        const lngen::Parameter<lngen::f16>* __restrict__ gamma,
        lngen::Computed<lngen::f16> eps,
        lngen::f16* __restrict__ out_y,
        lngen::Computed<lngen::f16>* __restrict__ save_rstd,
        long long rows,
        int D) {
  lngen::forward::Launch<lngen::f16>::run({x, z, gamma, eps, out_y, save_rstd, rows, D});
}
}
#endif

#ifdef LNGEN_BF16
extern "C" {
__device__ int forward_bf16_launch[] = LNGEN_LAUNCH(lngen::forward::Launch<lngen::bf16>);
__global__ void LNGEN_BOUNDS(lngen::forward::Launch<lngen::bf16>)
    forward_bf16(
        const lngen::bf16* __restrict__ x,
        const lngen::bf16* __restrict__ z,
        const lngen::Parameter<lngen::bf16>* __restrict__ gamma,
        lngen::Computed<lngen::bf16> eps,
        lngen::bf16* __restrict__ out_y,
        lngen::Computed<lngen::bf16>* __restrict__ save_rstd,
        long long rows,
        int D) {
  lngen::forward::Launch<lngen::bf16>::run({x, z, gamma, eps, out_y, save_rstd, rows, D});
}
}
#endif

#ifdef LNGEN_F32
extern "C" {
__device__ int forward_f32_launch[] = LNGEN_LAUNCH(lngen::forward::Launch<lngen::f32>);
__global__ void LNGEN_BOUNDS(lngen::forward::Launch<lngen::f32>)
    forward_f32(
        const lngen::f32* __restrict__ x,
        const lngen::f32* __restrict__ z,
        const lngen::Parameter<lngen::f32>* __restrict__ gamma,
        lngen::Computed<lngen::f32> eps,
        lngen::f32* __restrict__ out_y,
        lngen::Computed<lngen::f32>* __restrict__ save_rstd,
        long long rows,
        int D) {
  lngen::forward::Launch<lngen::f32>::run({x, z, gamma, eps, out_y, save_rstd, rows, D});
}
}
#endif

#ifdef LNGEN_F64
extern "C" {
__device__ int forward_f64_launch[] = LNGEN_LAUNCH(lngen::forward::Launch<lngen::f64>);
__global__ void LNGEN_BOUNDS(lngen::forward::Launch<lngen::f64>)
    forward_f64(
        const lngen::f64* __restrict__ x,
        const lngen::f64* __restrict__ z,
        const lngen::Parameter<lngen::f64>* __restrict__ gamma,
        lngen::Computed<lngen::f64> eps,
        lngen::f64* __restrict__ out_y,
        lngen::Computed<lngen::f64>* __restrict__ save_rstd,
        long long rows,
        int D) {
  lngen::forward::Launch<lngen::f64>::run({x, z, gamma, eps, out_y, save_rstd, rows, D});
}
}
#endif

#endif

#ifdef LNGEN_BACKWARD
// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_z = true;
constexpr bool READS_dy = true;
constexpr bool READS_gamma = HAS_gamma;
constexpr int ROWS_READ = READS_x + READS_z + READS_dy, FEATURES_READ = READS_gamma;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_gamma);

template <class T>
using Needs = Demand<T, Parameter<T>, ROWS_READ, FEATURES_READ, COLUMNS_WANTED ? SUMS_INTO_COLUMNS : 0, 0, 1, 1>;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* z;
  const T* dy;
  const A* rstd;
  const P* gamma;
  T* out_dx;
  T* out_dz;
  A* workspace;
  long long rows;
  int D;
};

// What does not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_g_xhat;
};

// The part of a row, and of the Features, that a thread keeps in registers.
template <class G> struct Tile {
  Pack<typename G::T, G::VECTOR> x[G::KEPT];
  Pack<typename G::T, G::VECTOR> z[G::KEPT];
  Pack<typename G::T, G::VECTOR> dy[G::KEPT];
  Pack<typename G::P, G::VECTOR> gamma[G::HELD];
};

// Stage 1 of 2: mean_g_xhat = mean(g*xhat)
template <class A>
__device__ __forceinline__ void mean_g_xhat(A x, A z, A dy, A gamma, const Scalars<A>& row, A (&sums)[1], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_dz) {
  const A rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  const A sigmoid_z = math::sigmoid(z);  // step 4
  const A silu_z = sigmoid_z*z;  // step 5
  const A g = dy*silu_z*gamma;  // step 9
  const A dz = dy*sigmoid_z*xhat*((A(1) - sigmoid_z)*z + A(1))*gamma;  // step 16
  sums[0] += g*xhat;  // step 12: mean_g_xhat
  if (HAS_gamma) over_rows[0] = dy*silu_z*xhat;  // step 14: dgamma
  out_dz = dz;
}

template <class A>
__device__ __forceinline__ void after_mean_g_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_g_xhat = sums[0] / row.D;  // step 12: mean(g*xhat)
  row.mean_g_xhat = mean_g_xhat;
}

// Stage 2 of 2
template <class A>
__device__ __forceinline__ void stage_2(A x, A z, A dy, A gamma, const Scalars<A>& row, A& out_dx) {
  const A mean_g_xhat = row.mean_g_xhat, rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  const A sigmoid_z = math::sigmoid(z);  // step 4
  const A silu_z = sigmoid_z*z;  // step 5
  const A g = dy*silu_z*gamma;  // step 9
  const A dx = (g - xhat*mean_g_xhat)*rstd;  // step 12
  out_dx = dx;
}

template <class G, class T, class P, class A>
__device__ __forceinline__ void sweep_mean_g_xhat(
    const Arguments<T, P, A>& to, const Here& here, const Tile<G>& tile, const Scalars<A>& row, A (&sums)[1],
    ColumnSums<G, COLUMNS_WANTED, SUMS_INTO_COLUMNS>& columns) {
#pragma unroll(G::UNROLL)
  for (int chunk = 0; chunk < G::chunks(here.D); ++chunk) {
    const int column = here.template column<G>(chunk);
    if (column < here.limit) {
      const auto x =
          read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
      const auto z =
          read<READS_z, G::KEEPS_ROW>(tile.z, chunk, to.z, here.offset + column);
      const auto dy =
          read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
      const auto gamma =
          read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
      Pack<T, G::VECTOR> stored_dz;
#pragma unroll
      for (int i = 0; i < G::VECTOR; ++i) {
        A over_rows[SUMS_INTO_COLUMNS] = {};
        A out_dz;
        mean_g_xhat(
            READS_x ? widen<A>(x.entries[i]) : A(0),
            READS_z ? widen<A>(z.entries[i]) : A(0),
            READS_dy ? widen<A>(dy.entries[i]) : A(0),
            READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
            row, sums, over_rows, out_dz);
        columns.template add<0x1>(chunk * G::VECTOR + i, column + i, over_rows);
        stored_dz.entries[i] = narrow<T>(out_dz);
      }
      store_once(to.out_dz + here.offset + column, stored_dz);
    }
  }
}

template <class G, class T, class P, class A>
__device__ __forceinline__ void sweep_stage_2(
    const Arguments<T, P, A>& to, const Here& here, const Tile<G>& tile, const Scalars<A>& row) {
#pragma unroll(G::UNROLL)
  for (int chunk = 0; chunk < G::chunks(here.D); ++chunk) {
    const int column = here.template column<G>(chunk);
    if (column < here.limit) {
      const auto x =
          read<READS_x, G::KEEPS_ROW>(tile.x, chunk, to.x, here.offset + column);
      const auto z =
          read<READS_z, G::KEEPS_ROW>(tile.z, chunk, to.z, here.offset + column);
      const auto dy =
          read<READS_dy, G::KEEPS_ROW>(tile.dy, chunk, to.dy, here.offset + column);
      const auto gamma =
          read<READS_gamma, G::HOLDS_FEATURES>(tile.gamma, chunk, to.gamma, column);
      Pack<T, G::VECTOR> stored_dx;
#pragma unroll
      for (int i = 0; i < G::VECTOR; ++i) {
        A out_dx;
        stage_2(
            READS_x ? widen<A>(x.entries[i]) : A(0),
            READS_z ? widen<A>(z.entries[i]) : A(0),
            READS_dy ? widen<A>(dy.entries[i]) : A(0),
            READS_gamma ? widen<A>(gamma.entries[i]) : A(1),
            row, out_dx);
        stored_dx.entries[i] = narrow<T>(out_dx);
      }
      store_once(to.out_dx + here.offset + column, stored_dx);
    }
  }
}

// What the call gives: everything that no row changes.
template <class G, class T, class P, class A>
__device__ __forceinline__ Scalars<A> of_the_call(const Arguments<T, P, A>& to, const Here& here, A* slots, int& turn) {
  Scalars<A> row;
  row.D = A(here.D);
  return row;
}

template <class N, class Chosen, class T, class P, class A>
__device__ __forceinline__ void work(const Arguments<T, P, A>& to) {
  using G = Geometry<N, Chosen>;
  A* slots = reinterpret_cast<A*>(shared_memory());
  int turn = 0;
  Here here;
  here.D = LNGEN_D > 0 ? LNGEN_D : to.D;
  here.lane = threadIdx.x % G::THREADS_PER_ROW;
  const int group = threadIdx.x / G::THREADS_PER_ROW;
  const Scalars<A> call = of_the_call<G>(to, here, slots, turn);
  Tile<G> tile;
  if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
    for (int chunk = 0; chunk < G::HELD; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        if constexpr (READS_gamma) tile.gamma[chunk] = load<G::VECTOR>(to.gamma + column);
      }
    }
  }
  ColumnSums<G, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(to.workspace, slots + G::SLOTS, here);
  // Every thread of a block makes the same trips, for the barriers' sake; rows past the last have no columns.
  for (long long first = (long long)blockIdx.x * G::ROWS; first < to.rows; first += (long long)gridDim.x * G::ROWS) {
    here.row = first + group;
    const bool live = G::ROWS == 1 || here.row < to.rows;
    here.limit = live ? here.D : 0;
    here.offset = here.row * here.D;
    if constexpr (G::KEEPS_ROW) {
#pragma unroll
      for (int chunk = 0; chunk < G::KEPT; ++chunk) {
        const int column = here.template column<G>(chunk);
        if (column < here.limit) {
          if constexpr (READS_x)
            tile.x[chunk] = load_once<G::VECTOR>(to.x + here.offset + column);
          if constexpr (READS_z)
            tile.z[chunk] = load_once<G::VECTOR>(to.z + here.offset + column);
          if constexpr (READS_dy)
            tile.dy[chunk] = load_once<G::VECTOR>(to.dy + here.offset + column);
        }
      }
    }
    Scalars<A> row = call;
    row.rstd = live ? to.rstd[here.row] : A(0);
    {
      A sums[1] = {A(0)};
      sweep_mean_g_xhat<G>(to, here, tile, row, sums, columns);
      reduce_row<G, bit(0, true), 0, 0>(sums, slots, turn);
      after_mean_g_xhat(row, sums);
    }
    {
      sweep_stage_2<G>(to, here, tile, row);
    }
  }
  columns.finish(slots + G::SLOTS, here);
}

template <class T>
using Chosen = typename Either<(LNGEN_D > 0), Geometry<Needs<T>, FixedShape>, Geometry<Needs<T>, AnyShape>>::type;

template <class T> struct Launch : Chosen<T> {
  using N = Needs<T>;

  static __device__ __forceinline__ void run(const Arguments<T, Parameter<T>, Computed<T>>& to) {
    if constexpr (LNGEN_D > 0) {
      work<N, FixedShape>(to);
    } else if constexpr (!Chosen<T>::KEEPS_ROW) {
      work<N, RereadingShape>(to);
    } else {
      if (to.D <= Chosen<T>::CAPACITY) work<N, AnyShape>(to);
      else work<N, RereadingShape>(to);
    }
  }
};

// ---- backward_columns: the end of the sums over rows

namespace columns {

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* gamma;
  P* out_dgamma;
  int D;
};

// What does not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A>
__device__ __forceinline__ void finish(A dgamma, const Scalars<A>& row, A& out_dgamma) {
  out_dgamma = dgamma;
}

// A block takes 32 columns at a time, a warp a strip of the partial sums; strips are added in their order.
template <class T> struct Launch {
  using P = Parameter<T>;
  using A = Computed<T>;
  static constexpr int THREADS = 256, THREADS_PER_ROW = THREADS, WARPS = THREADS / 32, STRIPS = WARPS;
  static constexpr int HALF = 1 * WARPS, SLOTS = 2 * HALF;
  static constexpr int ROWS = 32, VECTOR = 1, ENTRIES = 1, KEEPS_ROW = 0, SUMS = 0;
  static constexpr int SHARED_BYTES = (SLOTS + 1 * THREADS) * int(sizeof(A));

  static __device__ __forceinline__ void run(const Arguments<T, P, A>& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    const int D = LNGEN_D > 0 ? LNGEN_D : to.D;
    const long long blocks = to.blocks;
    Scalars<A> row;
    row.D = A(D);
    A* tile = slots + SLOTS;
    const int lane = threadIdx.x % 32, strip = threadIdx.x / 32;
    for (int start = 32 * blockIdx.x; start < D; start += 32 * gridDim.x) {
      const int column = start + lane;
      A totals[1] = {};
      if (column < D) {
#pragma unroll 4
        for (int block = strip; block < to.blocks; block += STRIPS) {
          if (HAS_gamma) totals[0] += to.workspace[(0 * blocks + block) * D + column];
        }
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < 1; ++k) tile[(k * STRIPS + strip) * 32 + lane] = totals[k];
      __syncthreads();
      if (strip == 0 && column < D) {
#pragma unroll
        for (int k = 0; k < 1; ++k)
#pragma unroll
          for (int i = 1; i < STRIPS; ++i) totals[k] += tile[(k * STRIPS + i) * 32 + lane];
        A out_dgamma;
        finish(totals[0], row, out_dgamma);
        if (HAS_gamma) to.out_dgamma[column] = narrow<P>(out_dgamma);
      }
    }
  }
};

}  // namespace columns

}  // namespace backward
}  // namespace lngen

#ifdef LNGEN_F16
extern "C" {
__device__ int backward_f16_launch[] = LNGEN_LAUNCH(lngen::backward::Launch<lngen::f16>);
__global__ void LNGEN_BOUNDS(lngen::backward::Launch<lngen::f16>)
    backward_f16(
        const lngen::f16* __restrict__ x,
        const lngen::f16* __restrict__ z,
        const lngen::f16* __restrict__ dy,
        const lngen::Computed<lngen::f16>* __restrict__ rstd,
        const lngen::Parameter<lngen::f16>* __restrict__ gamma,
        lngen::f16* __restrict__ out_dx,
        lngen::f16* __restrict__ out_dz,
        lngen::Computed<lngen::f16>* __restrict__ workspace,
        long long rows,
        int D) {
  lngen::backward::Launch<lngen::f16>::run({x, z, dy, rstd, gamma, out_dx, out_dz, workspace, rows, D});
}
__device__ int backward_columns_f16_launch[] = LNGEN_LAUNCH(lngen::backward::columns::Launch<lngen::f16>);
__global__ void LNGEN_BOUNDS(lngen::backward::columns::Launch<lngen::f16>)
    backward_columns_f16(
        lngen::Computed<lngen::f16>* __restrict__ workspace,
        int blocks,
        const lngen::Parameter<lngen::f16>* __restrict__ gamma,
        lngen::Parameter<lngen::f16>* __restrict__ out_dgamma,
        int D) {
  lngen::backward::columns::Launch<lngen::f16>::run({workspace, blocks, gamma, out_dgamma, D});
}
}
#endif

#ifdef LNGEN_BF16
extern "C" {
__device__ int backward_bf16_launch[] = LNGEN_LAUNCH(lngen::backward::Launch<lngen::bf16>);
__global__ void LNGEN_BOUNDS(lngen::backward::Launch<lngen::bf16>)
    backward_bf16(
        const lngen::bf16* __restrict__ x,
        const lngen::bf16* __restrict__ z,
        const lngen::bf16* __restrict__ dy,
        const lngen::Computed<lngen::bf16>* __restrict__ rstd,
        const lngen::Parameter<lngen::bf16>* __restrict__ gamma,
        lngen::bf16* __restrict__ out_dx,
        lngen::bf16* __restrict__ out_dz,
        lngen::Computed<lngen::bf16>* __restrict__ workspace,
        long long rows,
        int D) {
  lngen::backward::Launch<lngen::bf16>::run({x, z, dy, rstd, gamma, out_dx, out_dz, workspace, rows, D});
}
__device__ int backward_columns_bf16_launch[] = LNGEN_LAUNCH(lngen::backward::columns::Launch<lngen::bf16>);
__global__ void LNGEN_BOUNDS(lngen::backward::columns::Launch<lngen::bf16>)
    backward_columns_bf16(
        lngen::Computed<lngen::bf16>* __restrict__ workspace,
        int blocks,
        const lngen::Parameter<lngen::bf16>* __restrict__ gamma,
        lngen::Parameter<lngen::bf16>* __restrict__ out_dgamma,
        int D) {
  lngen::backward::columns::Launch<lngen::bf16>::run({workspace, blocks, gamma, out_dgamma, D});
}
}
#endif

#ifdef LNGEN_F32
extern "C" {
__device__ int backward_f32_launch[] = LNGEN_LAUNCH(lngen::backward::Launch<lngen::f32>);
__global__ void LNGEN_BOUNDS(lngen::backward::Launch<lngen::f32>)
    backward_f32(
        const lngen::f32* __restrict__ x,
        const lngen::f32* __restrict__ z,
        const lngen::f32* __restrict__ dy,
        const lngen::Computed<lngen::f32>* __restrict__ rstd,
        const lngen::Parameter<lngen::f32>* __restrict__ gamma,
        lngen::f32* __restrict__ out_dx,
        lngen::f32* __restrict__ out_dz,
        lngen::Computed<lngen::f32>* __restrict__ workspace,
        long long rows,
        int D) {
  lngen::backward::Launch<lngen::f32>::run({x, z, dy, rstd, gamma, out_dx, out_dz, workspace, rows, D});
}
__device__ int backward_columns_f32_launch[] = LNGEN_LAUNCH(lngen::backward::columns::Launch<lngen::f32>);
__global__ void LNGEN_BOUNDS(lngen::backward::columns::Launch<lngen::f32>)
    backward_columns_f32(
        lngen::Computed<lngen::f32>* __restrict__ workspace,
        int blocks,
        const lngen::Parameter<lngen::f32>* __restrict__ gamma,
        lngen::Parameter<lngen::f32>* __restrict__ out_dgamma,
        int D) {
  lngen::backward::columns::Launch<lngen::f32>::run({workspace, blocks, gamma, out_dgamma, D});
}
}
#endif

#ifdef LNGEN_F64
extern "C" {
__device__ int backward_f64_launch[] = LNGEN_LAUNCH(lngen::backward::Launch<lngen::f64>);
__global__ void LNGEN_BOUNDS(lngen::backward::Launch<lngen::f64>)
    backward_f64(
        const lngen::f64* __restrict__ x,
        const lngen::f64* __restrict__ z,
        const lngen::f64* __restrict__ dy,
        const lngen::Computed<lngen::f64>* __restrict__ rstd,
        const lngen::Parameter<lngen::f64>* __restrict__ gamma,
        lngen::f64* __restrict__ out_dx,
        lngen::f64* __restrict__ out_dz,
        lngen::Computed<lngen::f64>* __restrict__ workspace,
        long long rows,
        int D) {
  lngen::backward::Launch<lngen::f64>::run({x, z, dy, rstd, gamma, out_dx, out_dz, workspace, rows, D});
}
__device__ int backward_columns_f64_launch[] = LNGEN_LAUNCH(lngen::backward::columns::Launch<lngen::f64>);
__global__ void LNGEN_BOUNDS(lngen::backward::columns::Launch<lngen::f64>)
    backward_columns_f64(
        lngen::Computed<lngen::f64>* __restrict__ workspace,
        int blocks,
        const lngen::Parameter<lngen::f64>* __restrict__ gamma,
        lngen::Parameter<lngen::f64>* __restrict__ out_dgamma,
        int D) {
  lngen::backward::columns::Launch<lngen::f64>::run({workspace, blocks, gamma, out_dgamma, D});
}
}
#endif

#endif

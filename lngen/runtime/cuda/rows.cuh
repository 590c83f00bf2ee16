// SPDX-License-Identifier: MIT
// What the kernels of all layers share: types, accesses and mathematics. shapes.cuh says who works on which entries.
//
// A kernel is called <layer>_<kernel>_<type>, the type being that of the rows: f16, bf16, f32 or f64. In what it is passed, Row
// is this storage type, Parameter that of Features and Scalars, and Computed the compute type: the widest of both, and
// float at least, or double where the layer says so. A row is D entries, one behind the other; pointers of rows, Features
// and results are aligned to an access (vector entries, at most 16 bytes).
//
// forward and backward take any grid of one block and more, with block size and dynamic shared memory as the module's
// array <layer>_<kernel>_<type>_launch says; its entries are
//     threads_per_block, rows_per_block, shared_bytes, vector, threads_per_row, entries_per_thread,
//     row_held, sums_over_rows, rows_copied, blocks_per_row.
// Where blocks_per_row is more than 1, so many blocks work on the same rows: they are launched as a cluster, in a grid of
// whole clusters, and the sums over rows have as many parts as there are clusters.
// A workspace needs no initial value. No sum uses an atomic: the same call gives the same bits.
//
// LNGEN_D is the length of a row. Other macros, all optional:
//     LNGEN_LAYER=name       what the kernels of a file are called after, instead of the layer; undefined behind it
//     LNGEN_FORWARD, LNGEN_BACKWARD, LNGEN_JVP, LNGEN_BACKWARD_BACKWARD              only these directions
//     LNGEN_F16, LNGEN_BF16, LNGEN_F32, LNGEN_F64                                    only these types of rows
//     LNGEN_PARAMETERS=f32   the type of Features and Scalars; without it that of the rows
//     LNGEN_INTEGERS=i64     the type of arrays of integers, i8 to i64 or u8 to u64; without it i32
//     LNGEN_INTEGER=i64      that of arguments that are one integer
//     LNGEN_AXES=n           rows lie along n axes, as places.cuh says; without it they are one behind the other
//     LNGEN_SAVE_NOTHING     forward writes no row scalars, and may be passed null for them
//     LNGEN_VECTOR=n         at most n entries an access; with 1, pointers need no more than their type's alignment
//     LNGEN_SHARED=n         bytes of shared memory that a block may take
//     LNGEN_RESIDENT=n       threads that a multiprocessor is to hold at a time, instead of the kernel's own choice
//     LNGEN_ROOM=n           percent of its registers that a thread keeps entries in, of those that it would
//     LNGEN_THREADS_PER_ROW=n   8, 16, ... 1024 instead of the kernel's own choice
//     LNGEN_BLOCKS_PER_ROW=n from sm_90 on, at most n blocks share a row that one cannot hold, 2, 4 or 8; without it none
#ifndef LNGEN_ROWS_CUH
#define LNGEN_ROWS_CUH

#if __cplusplus < 201703L
#error "the kernels of lngen are C++17: compile them with -std=c++17 or newer"
#endif

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace lngen {

// ---------------------------------------------------------------------------------------------------------- types

using f16 = __half;
using bf16 = __nv_bfloat16;
using f32 = float;
using f64 = double;
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long long;

template <class T> struct Wide { using type = float; };
template <> struct Wide<f64> { using type = double; };
template <class T, class P> using Wider = decltype(typename Wide<T>::type() + typename Wide<P>::type());

template <class A> __device__ __forceinline__ A widen(f16 value) { return A(__half2float(value)); }
template <class A> __device__ __forceinline__ A widen(bf16 value) { return A(__bfloat162float(value)); }
template <class A> __device__ __forceinline__ A widen(f32 value) { return A(value); }
template <class A> __device__ __forceinline__ A widen(f64 value) { return A(value); }

// The nearest integer of 32 bits.
template <class T> __device__ __forceinline__ long long whole(T value) {
  constexpr long long MOST = 0x7fffffff, LEAST = -MOST - 1;
  if constexpr (T(-1) < T(0)) return value < LEAST ? LEAST : value > MOST ? MOST : value;
  else return value < u64(MOST) ? (long long)value : MOST;
}

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

template <class To> __device__ __forceinline__ To bits_as(f32 value) { return To(__float_as_int(value)); }
template <class To> __device__ __forceinline__ To bits_as(unsigned word) { return __int_as_float(int(word)); }

// Entries that are read and written together, by accesses of up to 16 bytes.
template <int BYTES> struct Word;
template <> struct Word<1> { using type = unsigned char; };
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

// The same entries, of which the compiler knows nothing: what was widened of them before is not kept for later.
__device__ __forceinline__ void unsee(unsigned short& word) { asm volatile("" : "+h"(word)); }
__device__ __forceinline__ void unsee(unsigned int& word) { asm volatile("" : "+r"(word)); }
__device__ __forceinline__ void unsee(uint2& word) { asm volatile("" : "+r"(word.x), "+r"(word.y)); }
__device__ __forceinline__ void unsee(uint4& word) {
  asm volatile("" : "+r"(word.x), "+r"(word.y), "+r"(word.z), "+r"(word.w));
}
template <class T, int N> __device__ __forceinline__ Pack<T, N> unseen(Pack<T, N> pack) {
#ifdef __CUDA_ARCH__
#pragma unroll
  for (int i = 0; i < Pack<T, N>::WORDS; ++i) unsee(pack.words[i]);
#endif
  return pack;
}

template <class T> __device__ __forceinline__ T* unseen(T* place) {
#ifdef __CUDA_ARCH__
  asm("" : "+l"(place));
#endif
  return place;
}

// Where an entry of two bytes is in the copy of its word of four (copies.cuh); `from` is where it is in global memory, or an
// even number of entries from there.
template <class T> __device__ __forceinline__ const T* entry_copied(const unsigned char* word, const T* from) {
  return reinterpret_cast<const T*>(word + reinterpret_cast<unsigned long long>(from) % 4);
}

// Accesses to memory. Those of what is read or written ONCE bypass what the caches are wanted for.
template <int N, bool ONCE = false, class T> __device__ __forceinline__ Pack<T, N> load(const T* from) {
  const auto* const words = reinterpret_cast<const typename Pack<T, N>::word*>(from);
  Pack<T, N> pack;
#pragma unroll
  for (int i = 0; i < Pack<T, N>::WORDS; ++i) {
    if constexpr (ONCE) pack.words[i] = __ldcs(words + i);
    else pack.words[i] = words[i];
  }
  return pack;
}

template <bool ONCE = false, class T, int N> __device__ __forceinline__ void store(T* to, const Pack<T, N>& pack) {
  auto* const words = reinterpret_cast<typename Pack<T, N>::word*>(to);
#pragma unroll
  for (int i = 0; i < Pack<T, N>::WORDS; ++i) {
    if constexpr (ONCE) __stcs(words + i, pack.words[i]);
    else words[i] = pack.words[i];
  }
}

// The Features of a stage: from registers where they are kept, from memory where they are not.
template <bool KEPT, class T, int N, int CHUNKS>
__device__ __forceinline__ Pack<T, N> read(const Pack<T, N> (&kept)[CHUNKS], int chunk, const T* from, long long at) {
  if constexpr (KEPT) return kept[chunk];
  else return load<N>(from + at);
}

// ----------------------------------------------------------------------------------------------------- mathematics

template <class A> __device__ __forceinline__ A infinity() { return A(__int_as_float(0x7f800000)); }

// Unlike fmax and fmin they give a NaN wherever there is one.
template <class A> __device__ __forceinline__ A larger(A a, A b) { return a > b || a != a ? a : b; }
template <class A> __device__ __forceinline__ A smaller(A a, A b) { return a < b || a != a ? a : b; }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// One instruction in the place of three.
template <> __device__ __forceinline__ f32 larger(f32 a, f32 b) {
  f32 found;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(found) : "f"(a), "f"(b));
  return found;
}
template <> __device__ __forceinline__ f32 smaller(f32 a, f32 b) {
  f32 found;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(found) : "f"(a), "f"(b));
  return found;
}
#endif

// A value, and 0 in place of one that is infinite.
template <class A> __device__ __forceinline__ A finite_or_zero(A a) {
  return a == infinity<A>() || a == -infinity<A>() ? A(0) : a;
}

// Keeps the smaller distance from an extreme and its place; of equals, the first.
template <class A> __device__ __forceinline__ void nearest(A& least, A& where, A distance, A place) {
  if (distance < least) {
    least = distance;
    where = place;
  }
}

// Whether exp(u + v) is exp(u)*exp(v) for this type.
constexpr bool EXP_MULTIPLIES = true;

namespace math {
#define LNGEN_OF_THE_LIBRARY(FUNCTION)                                          \
  __device__ __forceinline__ f32 FUNCTION(f32 u) { return FUNCTION##f(u); }     \
  __device__ __forceinline__ f64 FUNCTION(f64 u) { return ::FUNCTION(u); }
LNGEN_OF_THE_LIBRARY(exp) LNGEN_OF_THE_LIBRARY(log) LNGEN_OF_THE_LIBRARY(sin) LNGEN_OF_THE_LIBRARY(cos)
LNGEN_OF_THE_LIBRARY(asin) LNGEN_OF_THE_LIBRARY(acos) LNGEN_OF_THE_LIBRARY(atan) LNGEN_OF_THE_LIBRARY(tanh)
LNGEN_OF_THE_LIBRARY(sqrt) LNGEN_OF_THE_LIBRARY(log1p) LNGEN_OF_THE_LIBRARY(expm1)
#undef LNGEN_OF_THE_LIBRARY
__device__ __forceinline__ f64 erf(f64 u) { return ::erf(u); }
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
// u*v + w, rounded once.
__device__ __forceinline__ f32 fused(f32 u, f32 v, f32 w) { return fmaf(u, v, w); }
__device__ __forceinline__ f64 fused(f64 u, f64 v, f64 w) { return ::fma(u, v, w); }
// Near 0 a polynomial of u*u, beyond it 1 - 2**-q with q a polynomial of |u|, both fitted to a fortieth of a unit in the
// last place, of which all roundings are less than two; from 4 on it is 1. Without a branch, which erff has, so that the
// compiler computes it once for all stages.
__device__ __forceinline__ f32 erf(f32 u) {
  const f32 s = u * u, size = fabsf(u), t = size > 4.0f ? 4.0f : size;
  f32 p = 8.1850936e-5f, q = -2.7761218e-4f;
  p = fused(p, s, -8.0977037e-4f), q = fused(q, t, 4.3404023e-3f);
  p = fused(p, s, 5.1969523e-3f), q = fused(q, t, -3.1865735e-2f);
  p = fused(p, s, -2.6857706e-2f), q = fused(q, t, 1.4952138e-1f);
  p = fused(p, s, 1.1283664e-1f), q = fused(q, t, 9.1974264e-1f);
  p = fused(p, s, -3.7612632e-1f), q = fused(q, t, 1.6266025f);
  p = fused(p, s, 1.2837917e-1f), q = fused(q, t, 3.5304663e-4f);
  const f32 near = fused(p, u, u), far = copysignf(1.0f - exp2f(-q), u);
  return size < 0.95f ? near : far;
}
// 1/sqrt(u), by a step of Newton's from what the hardware gives: with |y*sqrt(u) - 1| <= e it leaves 3/2*e**2 and the
// roundings of its own. Where u is 0 or infinite, the step would be 0*inf.
__device__ __forceinline__ f32 rsqrt(f32 u) {
  const f32 y = rsqrtf(u), rest = fused(-u * y, y, 1.0f);
  return rest == rest ? fused(0.5f * y, rest, y) : y;
}
__device__ __forceinline__ f64 rsqrt(f64 u) { return 1.0 / ::sqrt(u); }
// u/v for v whose reciprocal many quotients share: the remainder of the product corrects it, so that it is the rounded
// quotient; but for u so small that the remainder underflows, where it is next to it.
template <class A> __device__ __forceinline__ A quotient(A u, A v) {
  const A reciprocal = A(1) / v, nearly = u * reciprocal, better = fused(fused(-nearly, v, u), reciprocal, nearly);
  return better == better ? better : nearly;
}
// Of values that are rounded before: a compiler fuses no product with it.
__device__ __forceinline__ f32 difference(f32 u, f32 v) { return __fsub_rn(u, v); }
__device__ __forceinline__ double difference(double u, double v) { return __dsub_rn(u, v); }
}  // namespace math

}  // namespace lngen

#endif

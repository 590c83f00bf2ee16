// SPDX-License-Identifier: MIT
// In the place of the types and the mathematics of rows.cuh: numbers that no address depends on.
#ifndef LNGEN_ROWS_CUH
#define LNGEN_ROWS_CUH

#include "symbolic.h"

#define __host__
#define __device__
#define __forceinline__ inline
#define __align__(n)
#define LNGEN_D (lngen::fixed_D)
#define LNGEN_FEW_ROWS 0
#ifndef LNGEN_SEGMENT
#define LNGEN_SEGMENT 0
#endif

struct Place3 { symbolic::U32 x; };
inline Place3 threadIdx, blockIdx, gridDim;
inline void __syncthreads() {}
inline void __syncwarp() {}
inline bool __any_sync(unsigned, bool) { return true; }
template <class A> A __shfl_xor_sync(unsigned, A value, int) { return value; }
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };

namespace lngen {

inline symbolic::I32 fixed_D;  // 0 if kernels do not know it
inline symbolic::Pointer<unsigned char> shared;
inline symbolic::I32 features_held;

constexpr int ceiling(int a, int b) { return a / b + (a % b != 0); }
constexpr int at_least(int a, int b) { return a > b ? a : b; }
constexpr int at_most(int a, int b) { return a < b ? a : b; }

using f16 = symbolic::Datum<2>;
using bf16 = symbolic::Datum<2>;
using f32 = symbolic::Datum<4>;
using f64 = symbolic::Datum<8>;
using i32 = int;
using u64 = unsigned long long;
using Integer = int;
using OneInteger = long long;
template <class T> using Parameter = PARAMETER;
template <class T, class P> using Wider = std::conditional_t<sizeof(T) == 8 || sizeof(P) == 8, f64, f32>;
template <class T> using Computed = Wider<T, Parameter<T>>;

template <class A, class T> A widen(const T& value) { return A(value); }
template <class T> long long whole(const T&) { return 0; }
template <class T, class A> T narrow(const A& value) { return T(value); }
template <class A> A infinity() { return A(0); }
template <class A> A larger(A a, A) { return a; }
template <class A> A smaller(A a, A) { return a; }
template <class A> void nearest(A&, A&, A, A) {}
template <class A> A finite_or_zero(A a) { return a; }
constexpr bool EXP_MULTIPLIES = true;
namespace math {
template <class A> A exp(A a) { return a; }
template <class A> A quotient(A a, A) { return a; }
template <int N, class A> A power(A a) { return a; }
template <class A> A fused(A a, A, A) { return a; }
}  // namespace math

template <class W> W __ldcs(const symbolic::Pointer<W>& from) { return *from; }
template <class W> void __stcs(const symbolic::Pointer<W>& to, W value) { *to = value; }

#include "accesses.cuh"

template <int BYTES> void copy_async(const symbolic::Pointer<unsigned char>& to, const auto& from) {
  struct alignas(1) Copied { char bytes[BYTES]; };
  *symbolic::recast<Copied>(to), *symbolic::recast<Copied>(from);
}
// Of the word of an entry what is in the array; its copy has the whole of one.
template <class T>
void copy_entry_async(const symbolic::Pointer<unsigned char>& to, const symbolic::Pointer<T>& own, const symbolic::I32& distance) {
  struct alignas(1) Copied { char bytes[4]; };
  *symbolic::recast<Copied>(to), *(own + distance);
}
template <class T> symbolic::Pointer<T> entry_copied(const symbolic::Pointer<unsigned char>& word, const symbolic::Pointer<T>&) {
  return symbolic::recast<T>(word);
}
inline void close_copies() {}
template <int PENDING> void await_copies() {}

}  // namespace lngen

#endif

// SPDX-License-Identifier: MIT
// The steps that functions of lanes are made of, by the instruction that a target has for each.
#ifndef LNGEN_SIMD_STEPS_H
#define LNGEN_SIMD_STEPS_H

#include "simd.h"

namespace lngen {
namespace math {

// u*v + w, rounded once, and the square root.
using lngen::fused;
LNGEN_INLINE f32 sqrt(f32 u) { return __builtin_sqrtf(u); }
LNGEN_INLINE f64 sqrt(f64 u) { return __builtin_sqrt(u); }

#if defined(LNGEN_AVX512)
LNGEN_INLINE __m512 sqrt(__m512 u) { return _mm512_sqrt_ps(u); }
LNGEN_INLINE __m512d sqrt(__m512d u) { return _mm512_sqrt_pd(u); }
#elif defined(__AVX2__) && defined(__FMA__)
LNGEN_INLINE __m256 sqrt(__m256 u) { return _mm256_sqrt_ps(u); }
LNGEN_INLINE __m256d sqrt(__m256d u) { return _mm256_sqrt_pd(u); }
#elif defined(__aarch64__)
LNGEN_INLINE float32x4_t sqrt(float32x4_t u) { return vsqrtq_f32(u); }
LNGEN_INLINE float64x2_t sqrt(float64x2_t u) { return vsqrtq_f64(u); }
#else
template <class V> LNGEN_INLINE V sqrt(V u) {
  for (unsigned i = 0; i < sizeof u / sizeof u[0]; ++i) u[i] = sqrt(u[i]);
  return u;
}
#endif

template <class S> LNGEN_INLINE Lanes<S> sqrt_lanes(const Lanes<S>& u) {
  return by_part<Lanes<S>>([](auto x) __attribute__((always_inline)) { return sqrt(x); }, u);
}
LNGEN_INLINE Lanes<f32> sqrt(Lanes<f32> u) { return sqrt_lanes(u); }
LNGEN_INLINE Lanes<f64> sqrt(Lanes<f64> u) { return sqrt_lanes(u); }

// A step of a polynomial: u*v + w, rounded once where that costs nothing.
template <class S> LNGEN_INLINE Lanes<S> step(const Lanes<S>& u, const Lanes<S>& v, const Lanes<S>& w) {
  return u * v + w;
}

// 2**k for whole k that is the exponent of a normal number, by a sum whose last bits are the exponent's.
template <class S> struct Format;
template <> struct Format<f32> {
  static constexpr int FRACTION = 23, BIAS = 127;
  static constexpr f32 MAGIC = 0x1.8p23f, LEAST_NORMAL = 0x1p-126f;
  static constexpr std::uint32_t SIGN = 0x80000000, ROOT_OF_HALF = 0x3f3504f3;
};
template <> struct Format<f64> {
  static constexpr int FRACTION = 52, BIAS = 1023;
  static constexpr f64 MAGIC = 0x1.8p52, LEAST_NORMAL = 0x1p-1022;
  static constexpr std::uint64_t SIGN = 0x8000000000000000, ROOT_OF_HALF = 0x3fe6a09e667f3bcd;
};
template <class S> LNGEN_INLINE Lanes<S> power_of_two(const Lanes<S>& k) {
  return (Bits<S>(k + (Format<S>::MAGIC + Format<S>::BIAS)) << Format<S>::FRACTION).lanes();
}
template <class S> LNGEN_INLINE Lanes<S> nearest_whole(const Lanes<S>& u) {
  return (u + Format<S>::MAGIC) - Format<S>::MAGIC;
}

// u * 2**k for u next to 1 and whole k down to the least subnormal number and up to infinity, rounded once.
template <class S> LNGEN_INLINE Lanes<S> scaled(const Lanes<S>& u, const Lanes<S>& k) {
#ifdef LNGEN_AVX512
  Lanes<S> y;
  if constexpr (sizeof(S) == 4) y.parts[0] = _mm512_scalef_ps(u.parts[0], k.parts[0]);
  else y.parts[0] = _mm512_scalef_pd(u.parts[0], k.parts[0]);
  return y;
#else
  const Lanes<S> half = nearest_whole(k * S(0.5));
  return u * power_of_two(half) * power_of_two(k - half);
#endif
}

}  // namespace math

}  // namespace lngen

#endif

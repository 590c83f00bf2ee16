// SPDX-License-Identifier: MIT
// The mathematics of kernels for processors, on numbers and on lanes, within two units in the last place everywhere: of
// subnormal arguments and results, of infinities and of arguments of any size, and a NaN of a NaN.
//
// Functions of one number are the C library's. Lanes are computed together. A lane outside of a function's range is
// computed by the C library, so that no lane depends on another.
#ifndef LNGEN_SIMD_FUNCTIONS_H
#define LNGEN_SIMD_FUNCTIONS_H

#include "simd_steps.h"

namespace lngen {
namespace math {

// ------------------------------------------------------------------------------------------------------ one number
// By the compiler's names for the library's functions: <cmath> is a tenth of the time that kernels take to compile.

LNGEN_INLINE f32 rsqrt(f32 u) { return 1.0f / __builtin_sqrtf(u); }
LNGEN_INLINE f64 rsqrt(f64 u) { return 1.0 / __builtin_sqrt(u); }
LNGEN_INLINE f32 abs(f32 u) { return __builtin_fabsf(u); }
LNGEN_INLINE f64 abs(f64 u) { return __builtin_fabs(u); }
#define LNGEN_OF_THE_LIBRARY(FUNCTION)                                      \
  LNGEN_INLINE f32 FUNCTION(f32 u) { return __builtin_##FUNCTION##f(u); }   \
  LNGEN_INLINE f64 FUNCTION(f64 u) { return __builtin_##FUNCTION(u); }
LNGEN_OF_THE_LIBRARY(exp) LNGEN_OF_THE_LIBRARY(log) LNGEN_OF_THE_LIBRARY(log1p) LNGEN_OF_THE_LIBRARY(expm1)
LNGEN_OF_THE_LIBRARY(sin) LNGEN_OF_THE_LIBRARY(cos) LNGEN_OF_THE_LIBRARY(asin) LNGEN_OF_THE_LIBRARY(acos)
LNGEN_OF_THE_LIBRARY(atan) LNGEN_OF_THE_LIBRARY(erf)
#undef LNGEN_OF_THE_LIBRARY
LNGEN_INLINE f32 pow(f32 u, f32 exponent) { return __builtin_powf(u, exponent); }
LNGEN_INLINE f64 pow(f64 u, f64 exponent) { return __builtin_pow(u, exponent); }
LNGEN_INLINE f32 sigmoid(f32 u) { return f32(1.0 / (1.0 + exp(-f64(u)))); }
// The rounding error of 1 + y is added back.
LNGEN_INLINE f64 sigmoid(f64 u) {
  const f64 y = exp(-abs(u)), below = 1.0 + y, lost = (1.0 - below) + y;
  const f64 nearly = (u < 0.0 ? y : 1.0) / below;
  return fused(-nearly, lost / below, nearly);
}
// log(1 + exp(u)) = max(u, 0) + log(1 + exp(-|u|)), which does not overflow.
LNGEN_INLINE f32 softplus(f32 u) { return f32((u > 0.0f ? f64(u) : 0.0) + log1p(exp(-abs(f64(u))))); }
LNGEN_INLINE f64 softplus(f64 u) { return (u > 0.0 ? u : 0.0) + log1p(exp(-abs(u))); }

// ----------------------------------------------------------------------------------------- what lanes are computed by

// Computes the lanes of y outside of the range, one by one, by a function of one number. It is kept out of the hot
// path.
template <class S, S (*FUNCTION)(S)>
__attribute__((noinline, cold)) Lanes<S> one_by_one(Lanes<S> u, Mask<S> beyond, Lanes<S> y) {
  constexpr int COUNT = Lanes<S>::COUNT;
  S from[COUNT], to[COUNT];
  u.put(from);
  for (int i = 0; i < COUNT; ++i) to[i] = FUNCTION(from[i]);
  return select(beyond, Lanes<S>::at(to), y);
}
template <class S>
__attribute__((noinline)) Lanes<S> pow_one_by_one(Lanes<S> u, Lanes<S> v, Mask<S> beyond, Lanes<S> y) {
  constexpr int COUNT = Lanes<S>::COUNT;
  S base[COUNT], exponent[COUNT];
  u.put(base);
  v.put(exponent);
  for (int i = 0; i < COUNT; ++i) base[i] = pow(base[i], exponent[i]);
  return select(beyond, Lanes<S>::at(base), y);
}

template <class S> LNGEN_INLINE Lanes<S> size_of(const Lanes<S>& u) {
  return (Bits<S>(u) & ~Format<S>::SIGN).lanes();
}
template <class S> LNGEN_INLINE Lanes<S> with_sign(const Lanes<S>& size, const Lanes<S>& u) {
  return (Bits<S>(size) | (Bits<S>(u) & Format<S>::SIGN)).lanes();
}
// A NaN stays.
template <class S> LNGEN_INLINE Lanes<S> at_least(S least, const Lanes<S>& u) { return more(Lanes<S>(least), u); }
template <class S> LNGEN_INLINE Lanes<S> at_most(S most, const Lanes<S>& u) { return less(Lanes<S>(most), u); }

// Coefficients from the constant one on.
template <class S> LNGEN_INLINE Lanes<S> polynomial(const Lanes<S>&, S last) { return last; }
template <class S, class... Rest>
LNGEN_INLINE Lanes<S> polynomial(const Lanes<S>& u, S coefficient, S next, Rest... rest) {
  return step(polynomial(u, next, rest...), u, Lanes<S>(coefficient));
}

// Polynomials as tests/runtime/native/simd_fits.py of lngen fits them, each to less than a twelfth of a unit in the last place
// of the result, and how far they go.
template <class S> struct Known;
template <> struct Known<f32> {
  using A = Lanes<f32>;
  static constexpr f32 LN2_HIGH = 0x1.62e4p-1f, LN2_LOW = 0x1.7f7d1cp-20f;
  static constexpr f32 HALF_TURN[] = {0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
  static constexpr f32 EXP_LEAST = -104.0f, EXP_MOST = 89.0f, TINY = 0x1p-100f, LOG_MOST = 0x1p120f;
  static constexpr f32 TURN_MOST = 0x1p15f, ERF_NEAR = 0.95f, ERF_FLAT = 4.0f;
  static constexpr f32 TANH_NEAR = 0.55f, TANH_FLAT = 10.0f;

  static LNGEN_INLINE A exp(A r) {
    return polynomial(r, 0.49999994f, 0.1666652f, 0.041668408f, 0.008368898f, 0.0013814211f);
  }
  static LNGEN_INLINE A log(A z) { return polynomial(z, 0.66666776f, 0.3997752f, 0.29872304f); }
  static LNGEN_INLINE A sin(A z) { return polynomial(z, -0.16666654f, 0.00833209f, -0.0001950524f); }
  static LNGEN_INLINE A cos(A z) { return polynomial(z, 0.041666646f, -0.0013887251f, 2.4424922e-05f); }
  static LNGEN_INLINE A tanh(A s) {
    return polynomial(s, -0.33333316f, 0.13332583f, -0.053852f, 0.021070303f, -0.006272171f);
  }
  static LNGEN_INLINE A erf_near(A s) {
    return polynomial(s, 0.12837917f, -0.37612632f, 0.11283672f, -0.026858075f, 0.005197727f, -0.00081052026f,
        8.212347e-05f);
  }
  static LNGEN_INLINE A erf_beyond(A t) {
    return polynomial(t, 0.00025482368f, 1.1274326f, 0.63758934f, 0.10357608f, -0.022056323f, 0.0030006021f,
        -0.00019161009f);
  }
};
template <> struct Known<f64> {
  using A = Lanes<f64>;
  static constexpr f64 LN2_HIGH = 0x1.62e42feep-1, LN2_LOW = 0x1.a39ef35793c76p-33;
  static constexpr f64 HALF_TURN[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  static constexpr f64 EXP_LEAST = -746.0, EXP_MOST = 710.0, TINY = 0x1p-900, LOG_MOST = 0x1p1000;
  static constexpr f64 TURN_MOST = 0x1p30, ERF_NEAR = 1.0, ERF_FLAT = 6.0;
  static constexpr f64 TANH_NEAR = 0.55, TANH_FLAT = 20.0;

  static LNGEN_INLINE A exp(A r) {
    return polynomial(r, 0.5000000000000011, 0.16666666666666405, 0.04166666666652738, 0.008333333333497664,
        0.001388888894446738, 0.00019841269501668025, 2.4801492138536478e-05, 2.755758889477067e-06,
        2.7630619904216217e-07, 2.4999863363407973e-08);
  }
  static LNGEN_INLINE A log(A z) {
    return polynomial(z, 0.6666666666666735, 0.3999999999941316, 0.28571428742759875, 0.222221985316885,
        0.18183566642838692, 0.15313987410911922, 0.14796618312548904);
  }
  static LNGEN_INLINE A sin(A z) {
    return polynomial(z, -0.16666666666666624, 0.008333333333320222, -0.00019841269828002722, 2.755731305091133e-06,
        -2.505065581246146e-08, 1.5890771476277585e-10);
  }
  static LNGEN_INLINE A cos(A z) {
    return polynomial(z, 0.04166666666666658, -0.001388888888887116, 2.480158728757563e-05, -2.755731378778835e-07,
        2.087564494368078e-09, -1.1355521999141661e-11);
  }
  static LNGEN_INLINE A tanh(A s) {
    return polynomial(s, -0.333333333333333, 0.13333333333326558, -0.05396825396372313, 0.021869488384753596,
        -0.008863232582883254, 0.003592091837870053, -0.001455541572704947, 0.0005884391120959542,
        -0.00023336754486740207, 8.329585721016388e-05, -1.9481672520238407e-05);
  }
  static LNGEN_INLINE A erf_near(A s) {
    return polynomial(s, 0.12837916709551256, -0.37612638903183543, 0.11283791670945156, -0.026866170643260048,
        0.005223977607285202, -0.000854832598282371, 0.0001205529510825103, -1.4924740467948282e-05,
        1.644746456404399e-06, -1.6208759508870584e-07, 1.37211359826297e-08, -7.797684662449564e-10);
  }
  static LNGEN_INLINE A erf_beyond(A t) {
    return polynomial(t, 5.100868642235383e-07, 1.1283740209411586, 0.6366439293275592, 0.10270262349499787,
        -0.018988653350888594, -0.00041271611514627076, 0.0019181104087031043, -0.0007723844414923059,
        0.00013614690149323273, 1.9722417901426695e-05, -2.2609624386244886e-05, 8.601920227522046e-06,
        -2.1202012679830606e-06, 3.7052124017997836e-07, -4.6057031920631203e-08, 3.9010790671669855e-09,
        -2.0264348567778978e-10, 4.88065794010389e-12);
  }
};

// u = k*log(2) + r with whole k, the one next to u/log(2).
template <class S> LNGEN_INLINE Lanes<S> powers_of_two_in(const Lanes<S>& u) {
  return step(u, Lanes<S>(0x1.71547652b82fep0), Lanes<S>(Format<S>::MAGIC)) - Format<S>::MAGIC;
}

// exp(u) as mantissa * 2**k.
template <class S> struct Exponential { Lanes<S> mantissa, k; };
template <class S> LNGEN_INLINE Exponential<S> exponential(const Lanes<S>& u) {
  using K = Known<S>;
  const Lanes<S> k = powers_of_two_in(u);
  const Lanes<S> r = step(k, Lanes<S>(-K::LN2_LOW), step(k, Lanes<S>(-K::LN2_HIGH), u));
  return {step(step(K::exp(r), r, Lanes<S>(1)), r, Lanes<S>(1)), k};
}
// For u up to EXP_MOST.
template <class S> LNGEN_INLINE Lanes<S> exp_up_to_overflow(const Lanes<S>& u) {
  const Exponential<S> e = exponential(at_least(Known<S>::EXP_LEAST, u));
  return scaled(e.mantissa, e.k);
}

// exp(u) as 2**k * (1 + high + rest), of which high has no error, and rest is small beside it.
template <class S> struct SplitExponential { Lanes<S> k, high, rest; };
template <class S> LNGEN_INLINE SplitExponential<S> split_exponential(const Lanes<S>& u) {
  using K = Known<S>;
  const Lanes<S> k = powers_of_two_in(u);
  const Lanes<S> high = step(k, Lanes<S>(-K::LN2_HIGH), u), low = k * K::LN2_LOW, r = high - low;
  return {k, high, step(r * r, K::exp(r), -low)};
}

// u as m * 2**k, m from sqrt(1/2) to sqrt(2), for a normal number that is positive.
template <class S> struct Scaled { Lanes<S> m, k; };
template <class S> LNGEN_INLINE Scaled<S> scaled_to_1(const Lanes<S>& u) {
  using F = Format<S>;
  constexpr auto ONE = typename Integers<S>::word(F::BIAS) << F::FRACTION;
  constexpr S LARGE = F::MAGIC / S(1.5);
  const Bits<S> shifted = Bits<S>(u) + (ONE - F::ROOT_OF_HALF);
  // The exponent is put under that of LARGE, whose last place is 1.
  const Lanes<S> k = ((shifted >> F::FRACTION) | Bits<S>(Lanes<S>(LARGE))).lanes() - (LARGE + F::BIAS);
  return {((shifted & ((typename Integers<S>::word(1) << F::FRACTION) - 1)) + F::ROOT_OF_HALF).lanes(), k};
}

// log((1 + f) * 2**k) by s = f/(2 + f), with which log(1 + f) = 2*atanh(s) = f - f**2/2 + s*(f**2/2 + s**2*...).
template <class S> LNGEN_INLINE Lanes<S> log_of(const Lanes<S>& f, const Lanes<S>& k) {
  using K = Known<S>;
  const Lanes<S> s = f / (f + S(2)), z = s * s, half = S(0.5) * f * f;
  const Lanes<S> rest = step(s, step(z, K::log(z), half), k * K::LN2_LOW);
  return step(k, Lanes<S>(K::LN2_HIGH), f - (half - rest));
}

// log1p for u > -1 up to LOG_MOST; what 1 + u lost by rounding is put back.
template <class S> LNGEN_INLINE Lanes<S> log_of_1_more(const Lanes<S>& u) {
  const Lanes<S> sum = S(1) + u, added = sum - S(1), lost = (S(1) - (sum - added)) + (u - added);
  const Scaled<S> scaled = scaled_to_1(sum);
  return log_of(step(lost, power_of_two(-scaled.k), scaled.m - S(1)), scaled.k);
}

// sin(u + turns * pi/2).
template <class S> LNGEN_INLINE Lanes<S> sin_from(const Lanes<S>& u, int turns) {
  using K = Known<S>;
  constexpr S MAGIC = Format<S>::MAGIC;
  const Lanes<S> k = step(u, Lanes<S>(0x1.45f306dc9c883p-1), Lanes<S>(MAGIC)) - MAGIC;
  // u - k*pi/2 in two parts. The first step has no error.
  const Lanes<S> nearly = fused(k, Lanes<S>(-K::HALF_TURN[0]), u);
  // A product that no compiler joins to the differences.
  const Lanes<S> second = fused(k, Lanes<S>(K::HALF_TURN[1]), Lanes<S>(0));
  const Lanes<S> r = nearly - second, taken = nearly - r, z = r * r;
  const Lanes<S> lost = (nearly - (r + taken)) + (taken - second);
  const Lanes<S> third = step(k, Lanes<S>(K::HALF_TURN[2]), fused(k, Lanes<S>(K::HALF_TURN[1]), -second));
  const Lanes<S> rest = lost - third;
  const Lanes<S> sine = r + step(r * z, K::sin(z), rest);
  const Lanes<S> cosine = S(1) + step(z, step(z, K::cos(z), Lanes<S>(-0.5)), -(r * rest));
  const Bits<S> quarter(k + (MAGIC + S(turns)));
  const Lanes<S> size = select((quarter & 1) != 0, cosine, sine);
  return (Bits<S>(size) ^ ((quarter & 2) << (8 * int(sizeof(S)) - 2))).lanes();
}

// ------------------------------------------------------------------------------------------------------------ lanes

template <class S> LNGEN_INLINE Lanes<S> exp_lanes(const Lanes<S>& u) {
  return exp_up_to_overflow(at_most(Known<S>::EXP_MOST, u));
}

// Half of it, as 2**k can be infinite where it is not.
template <class S> LNGEN_INLINE Lanes<S> expm1_lanes(const Lanes<S>& u) {
  using K = Known<S>;
  const SplitExponential<S> e = split_exponential(at_most(K::EXP_MOST, at_least(S(-4) * K::TANH_FLAT, u)));
  const Lanes<S> power = power_of_two(e.k - S(1)), half = step(power, e.rest, step(power, e.high, power - S(0.5)));
  return select(size_of(u) < K::TINY, u, half + half);
}

// Near 0 a polynomial of u*u, beyond it, where it is more than 1/2, 1 - 2*y/(1 + y) with y = exp(-2*|u|).
template <class S> LNGEN_INLINE Lanes<S> tanh_lanes(const Lanes<S>& u) {
  using K = Known<S>;
  const Lanes<S> size = size_of(u), s = u * u, near = step(s * K::tanh(s), u, u);
  const Exponential<S> e = exponential(S(-2) * at_most(K::TANH_FLAT, size));
  const Lanes<S> y = e.mantissa * power_of_two(e.k), beyond = S(1) - (y + y) / (S(1) + y);
  return with_sign(select(size < K::TANH_NEAR, near, beyond), u);
}

// With y = exp(-|u|) it is 1/(1 + y) or y/(1 + y) = y - y*(y/(1 + y)), where what the sum lost counts less.
template <class S> LNGEN_INLINE Lanes<S> sigmoid_lanes(const Lanes<S>& u) {
  const Lanes<S> y = exp_up_to_overflow(-size_of(u));
  const Mask<S> negative = u < S(0);
  const Lanes<S> ratio = select(negative, y, Lanes<S>(1)) / (S(1) + y);
  return select(negative, step(-y, ratio, y), ratio);
}

template <class S> LNGEN_INLINE Lanes<S> log_lanes(const Lanes<S>& u) {
  const Scaled<S> scaled = scaled_to_1(u);
  Lanes<S> y = log_of(scaled.m - S(1), scaled.k);
  const Mask<S> beyond = !(u >= Format<S>::LEAST_NORMAL && u <= Known<S>::LOG_MOST);
  if (__builtin_expect(any(beyond), 0)) y = one_by_one<S, log>(u, beyond, y);
  return y;
}

template <class S> LNGEN_INLINE Lanes<S> log1p_lanes(const Lanes<S>& u) {
  Lanes<S> y = with_sign(log_of_1_more(u), u);
  const Mask<S> beyond = !(u > S(-1) && u <= Known<S>::LOG_MOST);
  if (__builtin_expect(any(beyond), 0)) y = one_by_one<S, log1p>(u, beyond, y);
  return y;
}

template <class S> LNGEN_INLINE Lanes<S> softplus_lanes(const Lanes<S>& u) {
  return select(u > S(0), u, Lanes<S>(0)) + log_of_1_more(exp_up_to_overflow(-size_of(u)));
}

template <class S> LNGEN_INLINE Lanes<S> sin_lanes(const Lanes<S>& u) {
  Lanes<S> y = select(size_of(u) < Known<S>::TINY, u, sin_from(u, 0));
  const Mask<S> beyond = size_of(u) > Known<S>::TURN_MOST;
  if (__builtin_expect(any(beyond), 0)) y = one_by_one<S, sin>(u, beyond, y);
  return y;
}

template <class S> LNGEN_INLINE Lanes<S> cos_lanes(const Lanes<S>& u) {
  Lanes<S> y = sin_from(u, 1);
  const Mask<S> beyond = size_of(u) > Known<S>::TURN_MOST;
  if (__builtin_expect(any(beyond), 0)) y = one_by_one<S, cos>(u, beyond, y);
  return y;
}

// Near 0 a polynomial of u*u, beyond it 1 - exp(-q) with q a polynomial of |u|; from ERF_FLAT on it is 1.
template <class S> LNGEN_INLINE Lanes<S> erf_lanes(const Lanes<S>& u) {
  using K = Known<S>;
  const Lanes<S> size = size_of(u), near = step(K::erf_near(u * u), u, u);
  const Exponential<S> e = exponential(-K::erf_beyond(at_most(K::ERF_FLAT, size)));
  const Lanes<S> beyond = step(-power_of_two(e.k), e.mantissa, Lanes<S>(1));
  return select(size < K::ERF_NEAR, near, with_sign(beyond, u));
}

// The C library's, lane by lane.
template <class S> LNGEN_INLINE Lanes<S> asin_lanes(const Lanes<S>& u) { return one_by_one<S, asin>(u, u == u, u); }
template <class S> LNGEN_INLINE Lanes<S> acos_lanes(const Lanes<S>& u) { return one_by_one<S, acos>(u, u == u, u); }
template <class S> LNGEN_INLINE Lanes<S> atan_lanes(const Lanes<S>& u) { return one_by_one<S, atan>(u, u == u, u); }

#define LNGEN_LANES(FUNCTION)                                                                                          \
  LNGEN_INLINE Lanes<f32> FUNCTION(Lanes<f32> u) { return FUNCTION##_lanes(u); }                                       \
  LNGEN_INLINE Lanes<f64> FUNCTION(Lanes<f64> u) { return FUNCTION##_lanes(u); }
LNGEN_LANES(exp)
LNGEN_LANES(expm1)
LNGEN_LANES(tanh)
LNGEN_LANES(sigmoid)
LNGEN_LANES(log)
LNGEN_LANES(log1p)
LNGEN_LANES(softplus)
LNGEN_LANES(sin)
LNGEN_LANES(cos)
LNGEN_LANES(asin)
LNGEN_LANES(acos)
LNGEN_LANES(atan)
LNGEN_LANES(erf)
#undef LNGEN_LANES

// The C library's is off by more than two units.
LNGEN_INLINE f64 tanh(f64 u) {
  f64 y[8];
  narrow(y, tanh(Lanes<f64>(u)));
  return y[0];
}
LNGEN_INLINE f32 tanh(f32 u) { return f32(tanh(f64(u))); }

LNGEN_INLINE Lanes<f32> abs(Lanes<f32> u) { return size_of(u); }
LNGEN_INLINE Lanes<f64> abs(Lanes<f64> u) { return size_of(u); }
LNGEN_INLINE Lanes<f32> rsqrt(Lanes<f32> u) { return 1.0f / sqrt(u); }
LNGEN_INLINE Lanes<f64> rsqrt(Lanes<f64> u) { return 1.0 / sqrt(u); }

// Of floats exp(v*log(u)) in double is right to a unit in the last place, of which the rounding at the end is half.
LNGEN_INLINE Lanes<f32> pow(Lanes<f32> u, Lanes<f32> v) {
  constexpr f32 MOST = 0x1.fffffep127f;
  f32 base[16], exponent[16];
  narrow(base, u);
  narrow(exponent, v);
  for (int i = 0; i < 16; i += 8) {
    const Scaled<f64> scaled = scaled_to_1(widen<f64>(base + i));
    narrow(base + i, exp(widen<f64>(exponent + i) * log_of(scaled.m - 1.0, scaled.k)));
  }
  Lanes<f32> y = widen<f32>(base);
  const Mask<f32> beyond = !(u > 0.0f && u <= MOST && size_of(v) <= MOST);
  if (__builtin_expect(any(beyond), 0)) y = pow_one_by_one(u, v, beyond, y);
  return y;
}
LNGEN_INLINE Lanes<f64> pow(Lanes<f64> u, Lanes<f64> v) {
  return pow_one_by_one(u, v, Mask<f64>(true), u);
}

// ------------------------------------------------------------------------------------------------------------- both

template <class A> LNGEN_INLINE A sign(A u) { return select(u > A(0), A(1), select(u < A(0), A(-1), u)); }
template <class S> LNGEN_INLINE Lanes<S> sign(const Product<S>& u) { return sign(static_cast<const Lanes<S>&>(u)); }
LNGEN_INLINE f32 quotient(f32 u, f32 v) { return u / v; }
LNGEN_INLINE f64 quotient(f64 u, f64 v) { return u / v; }
LNGEN_INLINE Lanes<f32> quotient(Lanes<f32> u, Lanes<f32> v) { return u / v; }
LNGEN_INLINE Lanes<f64> quotient(Lanes<f64> u, Lanes<f64> v) { return u / v; }
// Of values that are rounded before, as products are that it is passed.
LNGEN_INLINE f32 difference(f32 u, f32 v) { return u - v; }
LNGEN_INLINE f64 difference(f64 u, f64 v) { return u - v; }
LNGEN_INLINE Lanes<f32> difference(Lanes<f32> u, Lanes<f32> v) { return u - v; }
LNGEN_INLINE Lanes<f64> difference(Lanes<f64> u, Lanes<f64> v) { return u - v; }

}  // namespace math

}  // namespace lngen

#include "../cpp/mathematics.h"

#endif

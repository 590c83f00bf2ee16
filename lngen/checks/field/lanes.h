// SPDX-License-Identifier: MIT
// Numbers modulo a prime as one more type that kernels for processors compute in. The headers run as they are, and with the
// instructions of the target: a register is a few numbers, whose bits are those of the compiler's vectors.
//
// What stands for something else: a function of lanes is one of each, not a fit, and a sum of many numbers is kept in a
// number, not in double.
#ifndef LNGEN_FIELD_LANES_H
#define LNGEN_FIELD_LANES_H

#include <cstdint>  // the first of all, as headers that are precompiled are taken for it

// Nothing here has to be fast, and numbers of many instructions take long to optimize.
#ifdef __clang__
#pragma clang optimize off
#else
#pragma GCC optimize("O0")
#endif

#include "numbers.h"
#include "simd.h"

namespace lngen_field {
template <int N> struct Numbers;
}

namespace lngen {

using lngen_field::Number;

template <> struct Integers<Number> : Integers<f64> {};
template <> struct Wide<Number> { using type = Number; };
template <int BYTES> struct Register<Number, BYTES> {
  using numbers = lngen_field::Numbers<BYTES / 8>;
  typedef Integers<f64>::whole wholes __attribute__((vector_size(BYTES)));
  typedef Integers<f64>::word words __attribute__((vector_size(BYTES)));

  static numbers of(wholes from) {
    numbers made;
    std::int64_t each[BYTES / 8];
    std::memcpy(each, &from, BYTES);
    for (int i = 0; i < BYTES / 8; ++i) made.of[i] = Number(each[i]);
    return made;
  }
};

}  // namespace lngen

namespace lngen_field {

// A register of numbers, which an instruction of the target takes for its own vector.
template <int N> struct Numbers {
  using Truth = typename lngen::Register<Number, 8 * N>::wholes;
  Number of[N];

  Numbers() = default;
  Numbers(Number first, Number second) : of{first, second} { static_assert(N == 2, "one for each number"); }
  template <class V, std::enable_if_t<!std::is_class<V>::value && sizeof(V) == 8 * N, int> = 0>
  explicit Numbers(const V& bits) { std::memcpy(of, &bits, sizeof of); }
  template <class V, std::enable_if_t<!std::is_class<V>::value && sizeof(V) == 8 * N, int> = 0>
  explicit operator V() const { return lngen::bits_as<V>(*this); }
  Number operator[](int i) const { return of[i]; }

#define LNGEN_EACH(MADE, OPERATOR)                                          \
  friend MADE operator OPERATOR(const Numbers& a, const Numbers& b) {       \
    MADE made{};                                                            \
    for (int i = 0; i < N; ++i) put(made, i, a.of[i] OPERATOR b.of[i]);     \
    return made;                                                            \
  }
  LNGEN_EACH(Numbers, +) LNGEN_EACH(Numbers, -) LNGEN_EACH(Numbers, *) LNGEN_EACH(Numbers, /)
  LNGEN_EACH(Truth, <) LNGEN_EACH(Truth, <=) LNGEN_EACH(Truth, >) LNGEN_EACH(Truth, >=)
  LNGEN_EACH(Truth, ==) LNGEN_EACH(Truth, !=)
#undef LNGEN_EACH
  friend Numbers operator-(const Numbers& a) { return Numbers{} - a; }
  friend Numbers fused(const Numbers& u, const Numbers& v, const Numbers& w) { return u * v + w; }
  friend Numbers operator-(Number value, const Numbers& b) {
    Numbers made;
    for (int i = 0; i < N; ++i) made.of[i] = value - b.of[i];
    return made;
  }
  friend Numbers either(Truth condition, const Numbers& a, const Numbers& b) {
    Numbers made;
    for (int i = 0; i < N; ++i) made.of[i] = condition[i] ? a.of[i] : b.of[i];
    return made;
  }

 private:
  static void put(Numbers& made, int i, Number value) { made.of[i] = value; }
  static void put(Truth& made, int i, bool value) { made[i] = -std::int64_t(value); }
};

inline Number larger(Number a, Number b) { return a > b ? a : b; }
inline Number smaller(Number a, Number b) { return a < b ? a : b; }
inline float rounded_to_odd(Number value) { return float(value); }
#ifdef LNGEN_AVX512
inline Numbers<8> widened(__m512i block, Number, Number) { return Numbers<8>(block); }
inline __m512i narrowed(Numbers<8> part, Number) { return __m512i(part); }
#endif

}  // namespace lngen_field

namespace lngen {

template <class S> S widen(Number value) { return value; }

namespace math {

inline Number fused(Number u, Number v, Number w) { return u * v + w; }
inline Number quotient(Number u, Number v) { return u / v; }
inline Lanes<Number> difference(Lanes<Number> u, Lanes<Number> v) { return u - v; }

inline Lanes<Number> quotient(Lanes<Number> u, Lanes<Number> v) { return u / v; }
template <class F> Lanes<Number> of_each(const Lanes<Number>& u, F function) {
  Number numbers[Lanes<Number>::COUNT];
  u.put(numbers);
  for (Number& number : numbers) number = function(number);
  return Lanes<Number>::at(numbers);
}
#define LNGEN_FUNCTION(NAME, VALUE)              \
  inline Number NAME(Number u) { return VALUE; } \
  inline Lanes<Number> NAME(Lanes<Number> u) { return of_each(u, [](Number each) { return NAME(each); }); }
LNGEN_FUNCTION(exp, ::exp(u)) LNGEN_FUNCTION(log, ::log(u)) LNGEN_FUNCTION(sin, ::sin(u)) LNGEN_FUNCTION(cos, ::cos(u))
LNGEN_FUNCTION(asin, ::asin(u)) LNGEN_FUNCTION(acos, ::acos(u)) LNGEN_FUNCTION(atan, ::atan(u)) LNGEN_FUNCTION(tanh, ::tanh(u))
LNGEN_FUNCTION(erf, ::erf(u)) LNGEN_FUNCTION(log1p, ::log1p(u)) LNGEN_FUNCTION(expm1, ::expm1(u)) LNGEN_FUNCTION(abs, u)
LNGEN_FUNCTION(sqrt, ::sqrt(u)) LNGEN_FUNCTION(rsqrt, Number(1) / ::sqrt(u))
LNGEN_FUNCTION(sigmoid, Number(1) / (Number(1) + ::exp(-u))) LNGEN_FUNCTION(softplus, u + ::log1p(::exp(-u)))
#undef LNGEN_FUNCTION
inline Number pow(Number u, Number v) { return ::pow(u, v); }
inline Lanes<Number> pow(Lanes<Number> u, Lanes<Number> v) {
  Number base[Lanes<Number>::COUNT], exponent[Lanes<Number>::COUNT];
  u.put(base), v.put(exponent);
  for (int i = 0; i < Lanes<Number>::COUNT; ++i) base[i] = ::pow(base[i], exponent[i]);
  return Lanes<Number>::at(base);
}

}  // namespace math

}  // namespace lngen

#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#define LNGEN_ROWS lngen::Number
#define LNGEN_COMPUTED lngen::Number

#endif

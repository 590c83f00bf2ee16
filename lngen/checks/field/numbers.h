// SPDX-License-Identifier: MIT
// Numbers modulo a prime, in the place of double: sums and products are exact in any order, and a function is any function.
#ifndef LNGEN_FIELD_H
#define LNGEN_FIELD_H

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace lngen_field {

constexpr uint64_t P = 9223372036854775783ull;  // 2**63 - 25

constexpr uint64_t times(uint64_t a, uint64_t b) { return uint64_t((unsigned __int128)a * b % P); }
constexpr uint64_t power(uint64_t a, uint64_t n) {
  uint64_t found = 1;
  for (; n; n >>= 1, a = times(a, a)) found = n & 1 ? times(found, a) : found;
  return found;
}

// The first convergent of a number that is rounded to it: that of 0.01 is 1/100.
inline uint64_t nearest(double value) {
  if (value < 0) return std::isinf(value) ? 0 : P - nearest(-value);
  if (value == 0 || value != value) return 0;
  if (std::isinf(value)) return P - 1;  // the largest number, and its negative below the least
  int exponent;
  __int128 n = __int128(std::ldexp(std::frexp(value, &exponent), 53)), d = 1;
  exponent -= 53;
  if (exponent > 60 || exponent < -112) return exponent > 0 ? P - 1 : 0;
  (exponent > 0 ? n : d) <<= exponent > 0 ? exponent : -exponent;
  __int128 p = 1, q = 0, p_before = 0, q_before = 1;
  while (d) {
    const __int128 whole = n / d, rest = n % d;
    const __int128 p_next = whole * p + p_before, q_next = whole * q + q_before;
    p_before = p, q_before = q, p = p_next, q = q_next;
    if (double(p) / double(q) == value) break;
    n = d, d = rest;
  }
  return times(uint64_t(p % P), power(uint64_t(q % P), P - 2));
}

struct Number {
  uint64_t v;
  Number() = default;
  template <class I, std::enable_if_t<std::is_integral<I>::value, int> = 0>
  constexpr Number(I value) : v(value < I(0) ? P - uint64_t(-(long long)value) % P : uint64_t(value) % P) {}
  Number(double value) : v(nearest(value)) {}
  Number(float value) : Number(double(value)) {}
  explicit operator float() const { return float(v); }
};
inline Number of(uint64_t v) { Number found; found.v = v; return found; }

inline Number operator+(Number a, Number b) { return of((a.v + b.v) % P); }
inline Number operator-(Number a, Number b) { return of((a.v + (P - b.v)) % P); }
inline Number operator-(Number a) { return of(a.v ? P - a.v : 0); }
inline Number operator*(Number a, Number b) { return of(times(a.v, b.v)); }
inline Number operator/(Number a, Number b) { return of(times(a.v, power(b.v, P - 2))); }
inline Number& operator+=(Number& a, Number b) { return a = a + b; }
inline Number& operator-=(Number& a, Number b) { return a = a - b; }
inline Number& operator*=(Number& a, Number b) { return a = a * b; }
inline Number& operator/=(Number& a, Number b) { return a = a / b; }
#define LNGEN_COMPARED(OP) inline bool operator OP(Number a, Number b) { return a.v OP b.v; }
LNGEN_COMPARED(<) LNGEN_COMPARED(<=) LNGEN_COMPARED(>) LNGEN_COMPARED(>=) LNGEN_COMPARED(==) LNGEN_COMPARED(!=)
#undef LNGEN_COMPARED

// Any function of a number: its value has nothing to do with the number, but that it is the same for the same.
inline Number any(uint64_t which, uint64_t v) {
  uint64_t z = v + which * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return of((z ^ (z >> 31)) % P);
}

}  // namespace lngen_field

#define LNGEN_ANY(NAME, WHICH) \
  inline lngen_field::Number NAME(lngen_field::Number u) { return lngen_field::any(WHICH, u.v); }
LNGEN_ANY(exp, 1) LNGEN_ANY(log, 2) LNGEN_ANY(sin, 3) LNGEN_ANY(cos, 4) LNGEN_ANY(asin, 5) LNGEN_ANY(acos, 6)
LNGEN_ANY(atan, 7) LNGEN_ANY(tanh, 8) LNGEN_ANY(erf, 9) LNGEN_ANY(sqrt, 10) LNGEN_ANY(log1p, 11) LNGEN_ANY(expm1, 12)
#undef LNGEN_ANY
inline lngen_field::Number fabs(lngen_field::Number u) { return u; }
inline lngen_field::Number fma(lngen_field::Number u, lngen_field::Number v, lngen_field::Number w) { return u * v + w; }
inline lngen_field::Number pow(lngen_field::Number u, lngen_field::Number w) {
  return lngen_field::any(13 + lngen_field::any(14, w.v).v, u.v);
}

namespace lngen::math {
inline lngen_field::Number difference(lngen_field::Number u, lngen_field::Number v) { return u - v; }
}  // namespace lngen::math

#endif

// SPDX-License-Identifier: MIT
// Types that an output may be cast to, and the bits of a number in each of them.
//
// A number is rounded once, to the nearest value of the type, of two equally near ones to the even one. A larger one than
// the largest finite value, infinity too, becomes that one. NaN stays NaN, and is 0 in an integer.
//
// Before it is included: LNGEN_INLINE, f32, f64, and bits_as between an f32 and its word.
#ifndef LNGEN_CASTS_H
#define LNGEN_CASTS_H

namespace lngen {

// The float whose last bit is set if it is not the number itself: what is rounded to fewer bits from it is rounded once.
LNGEN_INLINE f32 rounded_to_odd(f32 value) { return value; }
LNGEN_INLINE f32 rounded_to_odd(f64 value) {
  const f32 nearest = f32(value);
  const f64 size = value < 0 ? -value : value, reached = nearest < 0 ? -f64(nearest) : f64(nearest);
  unsigned word = bits_as<unsigned>(nearest);
  if (reached > size) word = (word - 1) | 1;
  if (reached < size) word |= 1;
  return bits_as<f32>(word);
}

namespace cast {

// A float of so many digits in base 2, the least normal number of which is 2**LEAST. Its largest number has the bits
// HIGHEST as an f32, and QUIET are those of a NaN in the type itself.
template <class Word, int DIGITS, int LEAST, unsigned HIGHEST, unsigned QUIET> struct Float {
  Word bits;

  Float() = default;
  template <class S> explicit LNGEN_INLINE Float(S value) : bits(Word(rounded(rounded_to_odd(value)))) {}

 private:
  static LNGEN_INLINE unsigned rounded(f32 value) {
    constexpr int SHIFT = 24 - DIGITS;
    const unsigned word = bits_as<unsigned>(value), size = word & 0x7fffffffu;
    const unsigned sign = (word ^ size) >> (32 - 8 * int(sizeof(Word)));
    const unsigned inside = size > HIGHEST ? HIGHEST : size;
    const unsigned even = inside + ((1u << (SHIFT - 1)) - 1) + ((inside >> SHIFT) & 1);
    unsigned found = (even >> SHIFT) - (unsigned(LEAST + 126) << (DIGITS - 1));
    if constexpr (LEAST > -126) {
      // Beside such a power of two, the last place of an f32 is the least number of the type.
      constexpr unsigned BESIDE = unsigned(LEAST - DIGITS + 24 + 127) << 23;
      const unsigned small = bits_as<unsigned>(f32(bits_as<f32>(inside) + bits_as<f32>(BESIDE))) - BESIDE;
      found = inside < unsigned(LEAST + 127) << 23 ? small : found;
    }
    return (size > 0x7f800000u ? QUIET : found) | sign;
  }
};

template <class Word, int LOWEST, int HIGHEST> struct Integer {
  Word bits;

  Integer() = default;
  template <class S> explicit LNGEN_INLINE Integer(S value) : bits(Word(rounded(rounded_to_odd(value)))) {}

 private:
  // Beside 3*2**22, the last place of an f32 is 1.
  static LNGEN_INLINE unsigned rounded(f32 value) {
    const f32 below = value > f32(HIGHEST) ? f32(HIGHEST) : value;
    const f32 inside = below < f32(LOWEST) ? f32(LOWEST) : below;
    return bits_as<unsigned>(f32((inside == inside ? inside : 0.0f) + 12582912.0f));
  }
};

struct Single {
  f32 value;

  Single() = default;
  template <class S> explicit LNGEN_INLINE Single(S given) {
    const S most = S(3.4028234663852886e38), below = given > most ? most : given;
    value = f32(below < -most ? -most : below);
  }
};

using float8_e4m3fn = Float<unsigned char, 4, -6, 0x43e00000u, 0x7fu>;
using float8_e5m2 = Float<unsigned char, 3, -14, 0x47600000u, 0x7eu>;
using float16 = Float<unsigned short, 11, -14, 0x477fe000u, 0x7e00u>;
using bfloat16 = Float<unsigned short, 8, -126, 0x7f7f0000u, 0x7fc0u>;
using int8 = Integer<unsigned char, -128, 127>;
using uint8 = Integer<unsigned char, 0, 255>;
using float32 = Single;

}  // namespace cast

}  // namespace lngen

#endif

// Functions of half precision that the toolkit's headers have for the device alone. Each result is rounded once.
#pragma once
#include <cmath>

#include "mathematics.h"

namespace simt {
// a * b + c, of which a further rounding to fewer bits is the only one that shows: inexact results end in an odd bit.
inline double fused(double a, double b, double c) {
  const double product = a * b;  // exact: two factors of at most 11 bits
  const double sum = product + c, part = sum - product, rest = (product - (sum - part)) + (c - part);
  if (!(rest != 0) || !std::isfinite(sum)) return sum;
  const bool odd = bits_as<unsigned long long>(sum) & 1;
  return odd ? sum : std::nextafter(sum, rest > 0 ? INFINITY : -INFINITY);
}
}  // namespace simt

inline __half __hfma(__half a, __half b, __half c) {
  return __double2half(simt::fused(__half2float(a), __half2float(b), __half2float(c)));
}
inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
  return __double2bfloat16(simt::fused(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c)));
}
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

#define SIMT_HALF_FUNCTION(name, result)                                                                            \
  inline __half h##name(__half value) {                                                                             \
    const double u = __half2float(value);                                                                           \
    return __double2half(result);                                                                                   \
  }                                                                                                                 \
  inline __nv_bfloat16 h##name(__nv_bfloat16 value) {                                                               \
    const double u = __bfloat162float(value);                                                                       \
    return __double2bfloat16(result);                                                                               \
  }                                                                                                                 \
  inline __half2 h2##name(__half2 value) { return __half2(h##name(value.x), h##name(value.y)); }                    \
  inline __nv_bfloat162 h2##name(__nv_bfloat162 value) { return __nv_bfloat162(h##name(value.x), h##name(value.y)); }
SIMT_HALF_FUNCTION(exp, std::exp(u))
SIMT_HALF_FUNCTION(exp2, std::exp2(u))
SIMT_HALF_FUNCTION(log, std::log(u))
SIMT_HALF_FUNCTION(log2, std::log2(u))
SIMT_HALF_FUNCTION(sqrt, std::sqrt(u))
SIMT_HALF_FUNCTION(rsqrt, 1 / std::sqrt(u))
SIMT_HALF_FUNCTION(rcp, 1 / u)
SIMT_HALF_FUNCTION(sin, std::sin(u))
SIMT_HALF_FUNCTION(cos, std::cos(u))
#undef SIMT_HALF_FUNCTION

// Functions of CUDA's mathematics that the C++ library lacks, as exact as it is: a GPU's may differ in the last bits.
#pragma once
#include <cmath>
#include <cstring>

// The C library declares them itself from glibc 2.42 on.
#define rsqrtf simt_rsqrtf
#define rsqrt simt_rsqrt
inline float simt_rsqrtf(float u) { return float(1 / std::sqrt(double(u))); }
inline double simt_rsqrt(double u) { return 1 / std::sqrt(u); }
inline float simt_rsqrt(float u) { return simt_rsqrtf(u); }

#define SIMT_MIN_MAX(T)                                  \
  constexpr T min(T a, T b) { return b < a ? b : a; }    \
  constexpr T max(T a, T b) { return a < b ? b : a; }
SIMT_MIN_MAX(int)
SIMT_MIN_MAX(unsigned)
SIMT_MIN_MAX(long)
SIMT_MIN_MAX(unsigned long)
SIMT_MIN_MAX(long long)
SIMT_MIN_MAX(unsigned long long)
#undef SIMT_MIN_MAX
// Of a number and a NaN they give the number, as on a GPU.
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }

inline float __fsub_rn(float u, float v) { return u - v; }
inline double __dsub_rn(double u, double v) { return u - v; }

namespace simt {
template <class To, class From> inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "the bits are as many as before");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
}  // namespace simt
inline int __float_as_int(float u) { return simt::bits_as<int>(u); }
inline float __int_as_float(int bits) { return simt::bits_as<float>(bits); }

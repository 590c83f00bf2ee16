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

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fsqrt_rn(float u) { return std::sqrt(u); }
inline float __frcp_rn(float u) { return 1 / u; }
inline float __frsqrt_rn(float u) { return simt_rsqrtf(u); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float u) { return u > 0 ? (u < 1 ? u : 1) : 0; }
inline float __sinf(float u) { return std::sin(u); }
inline float __cosf(float u) { return std::cos(u); }
inline float __expf(float u) { return std::exp(u); }
inline float __logf(float u) { return std::log(u); }
inline float __log2f(float u) { return std::log2(u); }
inline float __powf(float a, float b) { return std::pow(a, b); }
inline float __tanhf(float u) { return std::tanh(u); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

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

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __clz(int bits) { return bits ? __builtin_clz(unsigned(bits)) : 32; }
inline int __ffs(int bits) { return __builtin_ffs(bits); }

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
inline unsigned __float_as_uint(float u) { return simt::bits_as<unsigned>(u); }
inline float __uint_as_float(unsigned bits) { return simt::bits_as<float>(bits); }
inline long long __double_as_longlong(double u) { return simt::bits_as<long long>(u); }
inline double __longlong_as_double(long long bits) { return simt::bits_as<double>(bits); }

// SPDX-License-Identifier: MIT
// What tests/runtime/native/test_simd.py calls of the headers for processors, by the names of the functions and the types.
#include "simd_functions.h"

using namespace lngen;

#define FUNCTION(NAME, S)                                                                                       \
  extern "C" void NAME##_##S(const S* u, S* y, long n) {                                                        \
    for (long i = 0; i < n; i += Lanes<S>::COUNT) narrow(y + i, math::NAME(widen<S>(u + i)));                   \
  }                                                                                                             \
  extern "C" void one_##NAME##_##S(const S* u, S* y, long n) {                                                  \
    for (long i = 0; i < n; ++i) y[i] = math::NAME(u[i]);                                                       \
  }
#define FUNCTIONS(S)                                                                                            \
  FUNCTION(exp, S) FUNCTION(log, S) FUNCTION(log1p, S) FUNCTION(expm1, S) FUNCTION(sin, S) FUNCTION(cos, S)     \
  FUNCTION(asin, S) FUNCTION(acos, S) FUNCTION(atan, S)                                                         \
  FUNCTION(tanh, S) FUNCTION(sigmoid, S) FUNCTION(softplus, S) FUNCTION(erf, S) FUNCTION(abs, S)                \
  FUNCTION(sign, S) FUNCTION(sqrt, S) FUNCTION(rsqrt, S)                                                        \
  extern "C" void pow_##S(const S* u, const S* v, S* y, long n) {                                               \
    for (long i = 0; i < n; i += Lanes<S>::COUNT) narrow(y + i, math::pow(widen<S>(u + i), widen<S>(v + i)));   \
  }                                                                                                             \
  extern "C" void fused_##S(const S* u, const S* v, const S* w, S* y) {                                         \
    narrow(y, math::fused(widen<S>(u), widen<S>(v), widen<S>(w)));                                              \
  }                                                                                                             \
  /* Each way to add to a product or take from it, then one whose product has a name of its own. */             \
  extern "C" void products_##S(const S* a, const S* b, const S* c, S* y) {                                      \
    const Lanes<S> u = widen<S>(a), v = widen<S>(b), w = widen<S>(c), named = u * v;                            \
    Lanes<S> kept = w;                                                                                          \
    kept += u * v;                                                                                              \
    const Lanes<S> all[] = {u * v + w, w + u * v, w - -(u * v), -(-(u * v) - w), kept, u * v + w * S(1), named + w}; \
    for (const auto& each : all) narrow(y, each), y += Lanes<S>::COUNT;                                         \
  }
FUNCTIONS(f32)
FUNCTIONS(f64)
extern "C" void fuses(int* y) {
#ifdef LNGEN_FMA
  *y = 1;
#endif
}

#define ACCESSES(S, T)                                                                                          \
  extern "C" void widen_##S##_##T(const T* from, S* to, long n) {                                               \
    for (long i = 0; i < n; i += Lanes<S>::COUNT) narrow(to + i, widen<S>(from + i));                           \
  }                                                                                                             \
  extern "C" void one_widen_##S##_##T(const T* from, S* to, long n) {                                           \
    for (long i = 0; i < n; ++i) to[i] = widen<S>(from[i]);                                                     \
  }                                                                                                             \
  extern "C" void narrow_##S##_##T(const S* from, T* to, long n) {                                              \
    for (long i = 0; i < n; i += Lanes<S>::COUNT) narrow(to + i, widen<S>(from + i));                           \
  }                                                                                                             \
  extern "C" void one_narrow_##S##_##T(const S* from, T* to, long n) {                                          \
    for (long i = 0; i < n; ++i) to[i] = narrow<T>(from[i]);                                                    \
  }                                                                                                             \
  extern "C" void stream_##S##_##T(const S* from, T* to, long n) {                                              \
    for (long i = 0; i < n; i += Lanes<S>::COUNT) stream(to + i, widen<S>(from + i));                           \
    fence();                                                                                                    \
  }                                                                                                             \
  extern "C" void widen_first_##S##_##T(const T* from, S* to, long n) { narrow(to, widen_first<S>(from, int(n))); } \
  extern "C" void narrow_first_##S##_##T(const S* from, T* to, long n) { narrow_first(to, int(n), widen<S>(from)); }
#define ACCESSES_OF(S) ACCESSES(S, f16) ACCESSES(S, bf16) ACCESSES(S, f32) ACCESSES(S, f64)
ACCESSES_OF(f32)
ACCESSES_OF(f64)

// The same text for a number and for lanes, with numbers on either side of what is told from the other.
template <class A> A text(A u, A v) {
  A y = select(u > A(0) && !(v >= 2), u, A(-0.5)) + 2 * u - v / 3;
  y += select(u != u || v == A(1), 1.5, u);
  y -= u * 0.25f;
  return math::power<3>(larger(smaller(y, A(4)), -u));
}

#define LANGUAGE(S)                                                                                             \
  extern "C" void text_##S(const S* u, const S* v, S* y) { narrow(y, text(widen<S>(u), widen<S>(v))); }         \
  extern "C" void one_text_##S(const S* u, const S* v, S* y) {                                                  \
    for (int i = 0; i < Lanes<S>::COUNT; ++i) y[i] = text(u[i], v[i]);                                          \
  }                                                                                                             \
  extern "C" void reduced_##S(const S* u, S* y) {                                                               \
    y[0] = add_up(widen<S>(u));                                                                                 \
    y[1] = largest(widen<S>(u));                                                                                \
    y[2] = smallest(widen<S>(u));                                                                               \
  }                                                                                                             \
  extern "C" void first_##S(long n, S* y) { narrow(y, select(first_lanes<S>(int(n)), counting<S>(), -1)); }     \
  extern "C" void nearest_##S(const S* u, S* least, S* where) {                                                 \
    Lanes<S> distance = infinity<Lanes<S>>(), place = -1;                                                       \
    for (int i = 0; i < 3; ++i) nearest(distance, place, widen<S>(u + i * Lanes<S>::COUNT), Lanes<S>(i));       \
    narrow(least, distance);                                                                                    \
    narrow(where, place);                                                                                       \
  }
LANGUAGE(f32)
LANGUAGE(f64)

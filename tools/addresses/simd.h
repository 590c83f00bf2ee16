// SPDX-License-Identifier: MIT
// In the place of simd.h, simd_functions.h and simd_random.h: lanes that are loaded and stored, and no numbers.
#ifndef LNGEN_SIMD_H
#define LNGEN_SIMD_H

#include <cstdint>
#include <utility>

#include "symbolic.h"

#define LNGEN_INLINE inline

namespace lngen {

using f16 = symbolic::Datum<2>;
using f32 = symbolic::Datum<4>;
using f64 = symbolic::Datum<8>;

template <class S> struct Wide { using type = double; };
template <class S> struct Mask {};
template <class S> struct Lanes {
  static constexpr int COUNT = 64 / int(sizeof(S));
  Lanes() = default;
  template <class X> explicit Lanes(const X&) {}
};
template <class S> struct Wholes {
  static Wholes at(const symbolic::Pointer<int>& from, const symbolic::I32& count = Lanes<S>::COUNT) {
    symbolic::touch(from, count, Lanes<S>::COUNT);
    return {};
  }
  static Wholes at(const int*) { return {}; }
};
template <class S> Lanes<S> operator+(const Lanes<S>& a, const Lanes<S>&) { return a; }
template <class S> Lanes<S>& operator+=(Lanes<S>& a, const Lanes<S>&) { return a; }
template <class S> Lanes<S> operator-(const Lanes<S>& a) { return a; }
template <class S> bool operator==(const Lanes<S>&, const Lanes<S>&) { return false; }
template <class S> Lanes<S> larger(const Lanes<S>& a, const Lanes<S>&) { return a; }
template <class S> Lanes<S> smaller(const Lanes<S>& a, const Lanes<S>&) { return a; }
template <int N> symbolic::Datum<N> larger(const symbolic::Datum<N>& a, const symbolic::Datum<N>&) { return a; }
template <int N> symbolic::Datum<N> smaller(const symbolic::Datum<N>& a, const symbolic::Datum<N>&) { return a; }
inline double larger(double a, double) { return a; }
inline double smaller(double a, double) { return a; }
template <class S, class C> Lanes<S> select(const C&, const Lanes<S>& a, const Lanes<S>&) { return a; }
template <class S, class X> Mask<S> first_lanes(const X&) { return {}; }
template <class S> S add_up(const Lanes<S>&) { return S(0); }
template <class S> S largest(const Lanes<S>&) { return S(0); }
template <class S> S smallest(const Lanes<S>&) { return S(0); }
template <class A> A infinity() { return A(0); }

// As simd_memory.h says of each: so many entries, and no memory beyond them.
template <class S, class T> Lanes<S> widen(const symbolic::Pointer<T>& from) {
  symbolic::touch(from, Lanes<S>::COUNT, Lanes<S>::COUNT);
  return {};
}
template <class S, class T> Lanes<S> widen_first(const symbolic::Pointer<T>& from, const symbolic::I32& n) {
  symbolic::touch(from, n, Lanes<S>::COUNT);
  return {};
}
template <class T, class S> void narrow(const symbolic::Pointer<T>& to, const Lanes<S>&) { symbolic::touch(to, Lanes<S>::COUNT, Lanes<S>::COUNT); }
template <class T, class S> void narrow_first(const symbolic::Pointer<T>& to, const symbolic::I32& n, const Lanes<S>&) {
  symbolic::touch(to, n, Lanes<S>::COUNT);
}
template <class T, class S> void stream(const symbolic::Pointer<T>& to, const Lanes<S>&) {
  symbolic::touch(to, Lanes<S>::COUNT, Lanes<S>::COUNT);
}
inline void fence() {}

}  // namespace lngen

#endif

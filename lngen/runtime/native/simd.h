// SPDX-License-Identifier: MIT
// What the kernels for processors are computed in: 64 bytes of numbers at a time.
//
// Lanes<float> is 16 numbers and Lanes<double> 8, whatever the target: as many registers as that takes are one value,
// so that every target with a fused multiply-add gives the same bits. A text that is written for a type A is right for
// A = Lanes<S> and for A = S. Entries are stored as f16, bf16, f32 or f64; simd_memory.h, which this includes, has how
// they become lanes and lanes become entries. simd_functions.h has the mathematics.
#ifndef LNGEN_SIMD_H
#define LNGEN_SIMD_H

#if __cplusplus < 201703L
#error "the kernels of lngen are C++17: compile them with -std=c++17 or newer"
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define LNGEN_INLINE inline __attribute__((always_inline))

namespace lngen {

using f32 = float;
using f64 = double;
struct f16 { std::uint16_t bits; };
struct bf16 { std::uint16_t bits; };

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define LNGEN_AVX512
constexpr int REGISTER = 64;
#elif defined(__AVX2__)
constexpr int REGISTER = 32;
#else
constexpr int REGISTER = 16;
#endif
#if defined(__FMA__) || defined(LNGEN_AVX512) || defined(__aarch64__)
#define LNGEN_FMA
#endif

template <class S> struct Integers { using whole = std::int32_t; using word = std::uint32_t; };
template <> struct Integers<f64> { using whole = std::int64_t; using word = std::uint64_t; };

// What sums of many numbers are kept in.
template <class S> struct Wide { using type = f64; };

// f(0), f(1), ..., f(N - 1), written out. What a loop indexes stays in memory until a compiler has unrolled it, and all
// passes before that take three times as long.
template <class F, int... I> LNGEN_INLINE void unrolled(F f, std::integer_sequence<int, I...>) { (f(I), ...); }
template <int N, class F> LNGEN_INLINE void unrolled(F f) { unrolled(f, std::make_integer_sequence<int, N>()); }

// One register. A vector type that depends on a template's parameter has to be a member.
template <class S, int BYTES = REGISTER> struct Register {
  typedef S numbers __attribute__((vector_size(BYTES)));
  typedef typename Integers<S>::whole wholes __attribute__((vector_size(BYTES)));
  typedef typename Integers<S>::word words __attribute__((vector_size(BYTES)));

  static LNGEN_INLINE numbers of(wholes from) { return __builtin_convertvector(from, numbers); }
};

template <class To, class From> LNGEN_INLINE To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bits stay as many");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

template <class C, class V> LNGEN_INLINE V either(C condition, V a, V b) { return condition ? a : b; }
// a > b ? a : b and a < b ? a : b: b where one is NaN. What has an instruction is not always found by a compiler.
template <class V> LNGEN_INLINE V more(V a, V b) { return either(a > b, a, b); }
template <class V> LNGEN_INLINE V less(V a, V b) { return either(a < b, a, b); }
#if defined(LNGEN_AVX512)
LNGEN_INLINE __m512 more(__m512 a, __m512 b) { return _mm512_max_ps(a, b); }
LNGEN_INLINE __m512 less(__m512 a, __m512 b) { return _mm512_min_ps(a, b); }
LNGEN_INLINE __m512d more(__m512d a, __m512d b) { return _mm512_max_pd(a, b); }
LNGEN_INLINE __m512d less(__m512d a, __m512d b) { return _mm512_min_pd(a, b); }
#elif defined(__AVX2__)
LNGEN_INLINE __m256 more(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
LNGEN_INLINE __m256 less(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
LNGEN_INLINE __m256d more(__m256d a, __m256d b) { return _mm256_max_pd(a, b); }
LNGEN_INLINE __m256d less(__m256d a, __m256d b) { return _mm256_min_pd(a, b); }
#endif
#if defined(__SSE2__)
LNGEN_INLINE __m128 more(__m128 a, __m128 b) { return _mm_max_ps(a, b); }
LNGEN_INLINE __m128 less(__m128 a, __m128 b) { return _mm_min_ps(a, b); }
LNGEN_INLINE __m128d more(__m128d a, __m128d b) { return _mm_max_pd(a, b); }
LNGEN_INLINE __m128d less(__m128d a, __m128d b) { return _mm_min_pd(a, b); }
#endif

// u*v + w, rounded once.
LNGEN_INLINE f32 fused(f32 u, f32 v, f32 w) { return __builtin_fmaf(u, v, w); }
LNGEN_INLINE f64 fused(f64 u, f64 v, f64 w) { return __builtin_fma(u, v, w); }
#if defined(LNGEN_AVX512)
LNGEN_INLINE __m512 fused(__m512 u, __m512 v, __m512 w) { return _mm512_fmadd_ps(u, v, w); }
LNGEN_INLINE __m512d fused(__m512d u, __m512d v, __m512d w) { return _mm512_fmadd_pd(u, v, w); }
#elif defined(__AVX2__) && defined(__FMA__)
LNGEN_INLINE __m256 fused(__m256 u, __m256 v, __m256 w) { return _mm256_fmadd_ps(u, v, w); }
LNGEN_INLINE __m256d fused(__m256d u, __m256d v, __m256d w) { return _mm256_fmadd_pd(u, v, w); }
#elif defined(__aarch64__)
LNGEN_INLINE float32x4_t fused(float32x4_t u, float32x4_t v, float32x4_t w) { return vfmaq_f32(w, u, v); }
LNGEN_INLINE float64x2_t fused(float64x2_t u, float64x2_t v, float64x2_t w) { return vfmaq_f64(w, u, v); }
#else
template <class V, std::enable_if_t<!std::is_class<V>::value, int> = 0> LNGEN_INLINE V fused(V u, V v, V w) {
  for (unsigned i = 0; i < sizeof u / sizeof u[0]; ++i) u[i] = fused(u[i], v[i], w[i]);
  return u;
}
#endif

template <class S> struct Lanes;
template <class S> struct Product;
template <class S> struct Wholes;

// 64 bytes in registers.
template <class P> struct Parts {
  using Part = P;
  static constexpr int PARTS = 64 / int(sizeof(P));
  Part parts[PARTS];

  Parts() = default;
  // Register by register, as a compiler keeps in memory what is copied as a whole.
  LNGEN_INLINE Parts(const Parts& other) { *this = other; }
  LNGEN_INLINE Parts& operator=(const Parts& other) {
    unrolled<PARTS>([&](int i) __attribute__((always_inline)) { parts[i] = other.parts[i]; });
    return *this;
  }

 protected:
  LNGEN_INLINE Parts(Part part) {
    unrolled<PARTS>([&](int i) __attribute__((always_inline)) { parts[i] = part; });
  }
};

// f of each register of some operands.
template <class R, class F, class... X> LNGEN_INLINE R by_part(F f, const X&... operands) {
  R made;
  unrolled<R::PARTS>([&](int i) __attribute__((always_inline)) { made.parts[i] = f(operands.parts[i]...); });
  return made;
}
#define LNGEN_BY_PART(MADE, TYPE, OPERATOR, OF_PARTS)                                                         \
  friend LNGEN_INLINE MADE operator OPERATOR(const TYPE& a, const TYPE& b) {                                  \
    return by_part<MADE>([](auto x, auto y) __attribute__((always_inline)) { return x OF_PARTS y; }, a, b);   \
  }
#define LNGEN_COMPARISONS(TYPE)                                                                               \
  LNGEN_BY_PART(Mask<S>, TYPE, <, <) LNGEN_BY_PART(Mask<S>, TYPE, <=, <=) LNGEN_BY_PART(Mask<S>, TYPE, >, >)  \
  LNGEN_BY_PART(Mask<S>, TYPE, >=, >=) LNGEN_BY_PART(Mask<S>, TYPE, ==, ==) LNGEN_BY_PART(Mask<S>, TYPE, !=, !=)

// For each lane, whether something holds: all its bits are set where it does.
template <class S> struct Mask : Parts<typename Register<S>::wholes> {
  using typename Parts<typename Register<S>::wholes>::Part;

  Mask() = default;
  LNGEN_INLINE Mask(bool value) : Parts<Part>(Part{} - typename Integers<S>::whole(value)) {}

  LNGEN_BY_PART(Mask, Mask, &&, &)
  LNGEN_BY_PART(Mask, Mask, ||, |)
  friend LNGEN_INLINE Mask operator!(const Mask& a) {
    return by_part<Mask>([](auto x) __attribute__((always_inline)) { return ~x; }, a);
  }
  friend LNGEN_INLINE Lanes<S> select(const Mask& condition, const Lanes<S>& a, const Lanes<S>& b) {
    const auto chosen = [](auto holds, auto x, auto y) __attribute__((always_inline)) { return either(holds, x, y); };
    return by_part<Lanes<S>>(chosen, condition, a, b);
  }
  friend LNGEN_INLINE bool any(const Mask& a) {
#ifdef LNGEN_AVX512
    return sizeof(S) == 4 ? _mm512_movepi32_mask((__m512i)a.parts[0]) : _mm512_movepi64_mask((__m512i)a.parts[0]);
#else
    std::uint64_t words[8], found = 0;
    std::memcpy(words, a.parts, sizeof words);
    for (int i = 0; i < 8; ++i) found |= words[i];
    return found;
#endif
  }
};

template <class S> struct Lanes : Parts<typename Register<S>::numbers> {
  using typename Parts<typename Register<S>::numbers>::Part;
  static constexpr int COUNT = 64 / int(sizeof(S)), IN_PART = REGISTER / int(sizeof(S));

  Lanes() = default;
  // A sum would lose the sign of -0.
  template <class N, class = std::enable_if_t<std::is_arithmetic<N>::value || std::is_same<N, S>::value>>
  LNGEN_INLINE Lanes(N value) : Parts<Part>(S(value) - Part{}) {}
  explicit LNGEN_INLINE Lanes(const Wholes<S>& wholes) {
    unrolled<Lanes::PARTS>([&](int i) __attribute__((always_inline)) { this->parts[i] = Register<S>::of(wholes.parts[i]); });
  }
  // At any address.
  static LNGEN_INLINE Lanes at(const S* from) {
    Lanes lanes;
    unrolled<Lanes::PARTS>([&](int i) __attribute__((always_inline)) { std::memcpy(&lanes.parts[i], from + i * IN_PART, REGISTER); });
    return lanes;
  }
  LNGEN_INLINE void put(S* to) const {
    unrolled<Lanes::PARTS>([&](int i) __attribute__((always_inline)) { std::memcpy(to + i * IN_PART, &this->parts[i], REGISTER); });
  }

#define LNGEN_OPERATOR(OPERATOR)                                                                                      \
  LNGEN_BY_PART(Lanes, Lanes, OPERATOR, OPERATOR)                                                                     \
  template <class B> friend LNGEN_INLINE Lanes& operator OPERATOR##=(Lanes& a, const B& b) { return a = a OPERATOR b; }
  LNGEN_OPERATOR(+)
  LNGEN_OPERATOR(-)
  LNGEN_OPERATOR(/)
#undef LNGEN_OPERATOR
  friend LNGEN_INLINE Product<S> operator*(const Lanes& a, const Lanes& b) { return {a, b}; }
  friend LNGEN_INLINE Lanes& operator*=(Lanes& a, const Lanes& b) { return a = a * b; }
  friend LNGEN_INLINE Lanes operator-(const Lanes& a) {
    return by_part<Lanes>([](auto x) __attribute__((always_inline)) { return -x; }, a);
  }
  LNGEN_COMPARISONS(Lanes)

  // Unlike fmax and fmin they give a NaN wherever there is one.
  friend LNGEN_INLINE Lanes larger(const Lanes& a, const Lanes& b) { return select(a != a, a, more(a, b)); }
  friend LNGEN_INLINE Lanes smaller(const Lanes& a, const Lanes& b) { return select(a != a, a, less(a, b)); }
  friend LNGEN_INLINE Lanes more(const Lanes& a, const Lanes& b) {
    return by_part<Lanes>([](auto x, auto y) __attribute__((always_inline)) { return lngen::more(x, y); }, a, b);
  }
  friend LNGEN_INLINE Lanes less(const Lanes& a, const Lanes& b) {
    return by_part<Lanes>([](auto x, auto y) __attribute__((always_inline)) { return lngen::less(x, y); }, a, b);
  }
};

template <class S> LNGEN_INLINE Lanes<S> fused(const Lanes<S>& u, const Lanes<S>& v, const Lanes<S>& w) {
  return by_part<Lanes<S>>([](auto x, auto y, auto z) __attribute__((always_inline)) { return fused(x, y, z); }, u, v, w);
}

// u*v, and u*v + w rounded once where that costs nothing. It is the text that says so, and no compiler chooses: the bits
// of a row are those of each kernel and target.
template <class S> struct Product : Lanes<S> {
  Lanes<S> u, v;

  LNGEN_INLINE Product(const Lanes<S>& u, const Lanes<S>& v) : u(u), v(v) {
    unrolled<Lanes<S>::PARTS>([&](int i) __attribute__((always_inline)) { this->parts[i] = u.parts[i] * v.parts[i]; });
  }
  LNGEN_INLINE Lanes<S> plus(const Lanes<S>& w) const {
#ifdef LNGEN_FMA
    return fused(u, v, w);
#else
    return static_cast<const Lanes<S>&>(*this) + w;
#endif
  }
  friend LNGEN_INLINE Product operator-(const Product& a) { return {-a.u, a.v}; }
  friend LNGEN_INLINE Lanes<S> operator+(const Product& a, const Product& b) { return a.plus(b); }
  friend LNGEN_INLINE Lanes<S> operator+(const Product& a, const Lanes<S>& b) { return a.plus(b); }
  friend LNGEN_INLINE Lanes<S> operator+(const Lanes<S>& a, const Product& b) { return b.plus(a); }
  friend LNGEN_INLINE Lanes<S> operator-(const Product& a, const Product& b) { return a.plus(-b); }
  friend LNGEN_INLINE Lanes<S> operator-(const Product& a, const Lanes<S>& b) { return a.plus(-b); }
  friend LNGEN_INLINE Lanes<S> operator-(const Lanes<S>& a, const Product& b) { return (-b).plus(a); }
};

// The bits of lanes, as whole numbers without a sign.
template <class S> struct Bits : Parts<typename Register<S>::words> {
  using typename Parts<typename Register<S>::words>::Part;

  Bits() = default;
  LNGEN_INLINE Bits(typename Integers<S>::word value) : Parts<Part>(Part{} + value) {}
  explicit LNGEN_INLINE Bits(const Lanes<S>& lanes) {
    unrolled<Bits::PARTS>([&](int i) __attribute__((always_inline)) { this->parts[i] = (Part)lanes.parts[i]; });
  }
  LNGEN_INLINE Lanes<S> lanes() const {
    return by_part<Lanes<S>>([](auto x) __attribute__((always_inline)) { return (typename Lanes<S>::Part)x; }, *this);
  }

  LNGEN_BY_PART(Bits, Bits, +, +)
  LNGEN_BY_PART(Bits, Bits, -, -)
  LNGEN_BY_PART(Bits, Bits, &, &)
  LNGEN_BY_PART(Bits, Bits, |, |)
  LNGEN_BY_PART(Bits, Bits, ^, ^)
  LNGEN_BY_PART(Mask<S>, Bits, !=, !=)
  friend LNGEN_INLINE Bits operator<<(const Bits& a, int places) {
    return by_part<Bits>([=](auto x) __attribute__((always_inline)) { return x << places; }, a);
  }
  friend LNGEN_INLINE Bits operator>>(const Bits& a, int places) {
    return by_part<Bits>([=](auto x) __attribute__((always_inline)) { return x >> places; }, a);
  }
};

// Integers with a sign, one for each lane and as wide: sums, differences and products beyond that are the nearest.
template <class S> struct Wholes : Parts<typename Register<S>::wholes> {
  using Number = typename Integers<S>::whole;
  using typename Parts<typename Register<S>::wholes>::Part;
  using Words = typename Register<S>::words;
  static constexpr int COUNT = 64 / int(sizeof(S));
  static constexpr Number MOST = Number(typename Integers<S>::word(-1) >> 1), LEAST = -MOST - 1;

  Wholes() = default;
  LNGEN_INLINE Wholes(long long value)
      : Parts<Part>(Part{} + Number(value < LEAST ? LEAST : value > MOST ? MOST : value)) {}
  // The first n of them and 0.
  static LNGEN_INLINE Wholes at(const std::int32_t* from, int n = COUNT) {
    Number numbers[COUNT];
    for (int i = 0; i < COUNT; ++i) numbers[i] = i < n ? from[i] : 0;
    return of(numbers);
  }
  // 0, 1, 2, ...
  static LNGEN_INLINE Wholes counting() {
    Number numbers[COUNT];
    for (int i = 0; i < COUNT; ++i) numbers[i] = i;
    return of(numbers);
  }

  friend LNGEN_INLINE Wholes operator+(const Wholes& a, const Wholes& b) {
    return by_part<Wholes>([](Part x, Part y) __attribute__((always_inline)) {
      const Part sum = (Part)((Words)x + (Words)y), end = x < 0 ? Part{} + LEAST : Part{} + MOST;
      return ((x ^ sum) & (y ^ sum)) < 0 ? end : sum;
    }, a, b);
  }
  friend LNGEN_INLINE Wholes operator-(const Wholes& a, const Wholes& b) {
    return by_part<Wholes>([](Part x, Part y) __attribute__((always_inline)) {
      const Part rest = (Part)((Words)x - (Words)y), end = x < 0 ? Part{} + LEAST : Part{} + MOST;
      return ((x ^ y) & (x ^ rest)) < 0 ? end : rest;
    }, a, b);
  }
  friend LNGEN_INLINE Wholes operator*(const Wholes& a, const Wholes& b) {
    Number left[COUNT], right[COUNT];
    std::memcpy(left, a.parts, 64), std::memcpy(right, b.parts, 64);
    for (int i = 0; i < COUNT; ++i) {
      const Number end = (left[i] < 0) == (right[i] < 0) ? MOST : LEAST;
      if (__builtin_mul_overflow(left[i], right[i], &left[i])) left[i] = end;
    }
    return of(left);
  }
  friend LNGEN_INLINE Wholes operator-(const Wholes& a) { return Wholes(0) - a; }
  LNGEN_COMPARISONS(Wholes)

 private:
  static LNGEN_INLINE Wholes of(const Number (&numbers)[COUNT]) {
    Wholes wholes;
    std::memcpy(wholes.parts, numbers, 64);
    return wholes;
  }
};

#undef LNGEN_COMPARISONS
#undef LNGEN_BY_PART

template <class A, class B> LNGEN_INLINE auto select(bool condition, const A& a, const B& b) {
  return condition ? a : b;
}
LNGEN_INLINE f32 larger(f32 a, f32 b) { return a > b || a != a ? a : b; }
LNGEN_INLINE f64 larger(f64 a, f64 b) { return a > b || a != a ? a : b; }
LNGEN_INLINE f32 smaller(f32 a, f32 b) { return a < b || a != a ? a : b; }
LNGEN_INLINE f64 smaller(f64 a, f64 b) { return a < b || a != a ? a : b; }

template <class A> LNGEN_INLINE A finite_or_zero(A a) { return a - a == A(0) || a != a ? a : A(0); }
template <class A> LNGEN_INLINE A infinity() { return A(__builtin_inff()); }

// Keeps the smaller distance from an extreme and its place; of equals, the first.
template <class A> LNGEN_INLINE void nearest(A& least, A& where, A distance, A place) {
  const auto nearer = distance < least;
  least = select(nearer, distance, least);
  where = select(nearer, place, where);
}

// 0, 1, 2, ...
template <class S> LNGEN_INLINE Lanes<S> counting() {
  alignas(64) S numbers[Lanes<S>::COUNT];
  for (int i = 0; i < Lanes<S>::COUNT; ++i) numbers[i] = S(i);
  return Lanes<S>::at(numbers);
}

template <class S> LNGEN_INLINE Mask<S> first_lanes(int n) { return counting<S>() < Lanes<S>(n); }

// Of all lanes, by halves: lane i with lane i + COUNT/2, and so on.
template <class S, class F> LNGEN_INLINE S by_halves(const Lanes<S>& lanes, F combined) {
  using Quarter = typename Register<S, 16>::numbers;
  Quarter quarters[4];
#ifdef LNGEN_AVX512
  const __m512i all = (__m512i)lanes.parts[0];
  quarters[0] = (Quarter)_mm512_castsi512_si128(all);
  quarters[1] = (Quarter)_mm512_extracti64x2_epi64(all, 1);
  quarters[2] = (Quarter)_mm512_extracti64x2_epi64(all, 2);
  quarters[3] = (Quarter)_mm512_extracti64x2_epi64(all, 3);
#else
  std::memcpy(quarters, lanes.parts, 64);
#endif
  const Quarter last = combined(combined(quarters[0], quarters[2]), combined(quarters[1], quarters[3]));
  if constexpr (sizeof(S) == 8) {
    return combined(last, Quarter{last[1], last[0]})[0];
  } else {
    const Quarter pair = combined(last, Quarter{last[2], last[3], last[0], last[1]});
    return combined(pair, Quarter{pair[1], pair[0], pair[3], pair[2]})[0];
  }
}

template <class S> LNGEN_INLINE S add_up(const Lanes<S>& lanes) {
  return by_halves(lanes, [](auto a, auto b) { return a + b; });
}
template <class S> LNGEN_INLINE S largest(const Lanes<S>& lanes) {
  return by_halves(lanes, [](auto a, auto b) { return either(a == a, more(a, b), a); });
}
template <class S> LNGEN_INLINE S smallest(const Lanes<S>& lanes) {
  return by_halves(lanes, [](auto a, auto b) { return either(a == a, less(a, b), a); });
}

}  // namespace lngen

#include "simd_memory.h"

#endif

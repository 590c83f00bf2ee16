// SPDX-License-Identifier: MIT
// What is left out of a call is a type, so that a compiler drops what it would have been multiplied with: an argument
// that is absent is a number known from the text, and products and sums of it are too where they can be.
//
// Before it is included: LNGEN_INLINE, and select(condition, a, b). Nothing of the standard library is used here, since
// NVRTC has none.
#ifndef LNGEN_ABSENCE_H
#define LNGEN_ABSENCE_H

namespace lngen {

// ------------------------------------------------------------------------------------------------- numbers as types

// N/OVER in lowest terms.
template <int N, int OVER = 1> struct Fixed {
  template <class A> explicit LNGEN_INLINE constexpr operator A() const {
    if constexpr (OVER == 1) return A(N);
    else return A(N) / A(OVER);
  }
};
// A type and not a function, which NVRTC would take for the host's.
template <int A, int B> struct CommonDivisor { static constexpr int VALUE = CommonDivisor<B, A % B>::VALUE; };
template <int A> struct CommonDivisor<A, 0> { static constexpr int VALUE = A; };
template <int N, int OVER, int BY = CommonDivisor<N, OVER>::VALUE, int SIGNED_BY = ((BY < 0) == (OVER < 0) ? BY : -BY)>
using Quotient = Fixed<N / SIGNED_BY, OVER / SIGNED_BY>;
using Zero = Fixed<0>;
using One = Fixed<1>;

template <class X> struct Known { static constexpr bool is_known = false, is_zero = false, is_one = false; };
template <int N, int OVER> struct Known<Fixed<N, OVER>> {
  static constexpr bool is_known = true, is_zero = N == 0, is_one = N == OVER;
};
template <class X> constexpr bool is_known = Known<X>::is_known;
template <class X> constexpr bool is_zero = Known<X>::is_zero;
template <class X> constexpr bool is_one = Known<X>::is_one;

template <bool> struct OneKnown {};
template <> struct OneKnown<true> { using type = int; };
template <class X, class Y> using one_known = typename OneKnown<is_known<X> != is_known<Y>>::type;
// The type of a number beside a V: what their sum is, since beside a product of lanes it is lanes.
template <class V> using number_beside = decltype(*(V*)0 + *(V*)0);

template <int M, int P, int N, int Q>
LNGEN_INLINE constexpr Quotient<M * N, P * Q> operator*(Fixed<M, P>, Fixed<N, Q>) { return {}; }
template <int M, int P, int N, int Q>
LNGEN_INLINE constexpr Quotient<M * Q + N * P, P * Q> operator+(Fixed<M, P>, Fixed<N, Q>) { return {}; }
template <int M, int P, int N, int Q>
LNGEN_INLINE constexpr Quotient<M * Q - N * P, P * Q> operator-(Fixed<M, P>, Fixed<N, Q>) { return {}; }
template <int N, int OVER> LNGEN_INLINE constexpr Fixed<-N, OVER> operator-(Fixed<N, OVER>) { return {}; }
// By zero: a value that no result uses, of others that are not computed.
template <int M, int P, int N, int Q> LNGEN_INLINE constexpr auto operator/(Fixed<M, P>, Fixed<N, Q>) {
  if constexpr (M == 0 || N == 0) return Zero();
  else return Quotient<M * Q, P * N>();
}

template <class X, class Y, one_known<X, Y> = 0> LNGEN_INLINE constexpr auto operator*(const X& x, const Y& y) {
  if constexpr (is_zero<X> || is_zero<Y>) return Zero();
  else if constexpr (is_one<X>) return y;
  else if constexpr (is_one<Y>) return x;
  else if constexpr (is_known<X>) return number_beside<Y>(x) * y;
  else return x * number_beside<X>(y);
}
template <class X, class Y, one_known<X, Y> = 0> LNGEN_INLINE constexpr auto operator+(const X& x, const Y& y) {
  if constexpr (is_zero<X>) return y;
  else if constexpr (is_zero<Y>) return x;
  else if constexpr (is_known<X>) return number_beside<Y>(x) + y;
  else return x + number_beside<X>(y);
}
template <class X, class Y, one_known<X, Y> = 0> LNGEN_INLINE constexpr auto operator-(const X& x, const Y& y) {
  if constexpr (is_zero<Y>) return x;
  else if constexpr (is_zero<X>) return -y;
  else if constexpr (is_known<X>) return number_beside<Y>(x) - y;
  else return x - number_beside<X>(y);
}
template <class X, class Y, one_known<X, Y> = 0> LNGEN_INLINE constexpr auto operator/(const X& x, const Y& y) {
  if constexpr (is_zero<X> || is_one<Y>) return x;
  else if constexpr (is_known<X>) return number_beside<Y>(x) / y;
  else return x / number_beside<X>(y);
}

// Functions that are 0 at 0.
namespace math {
LNGEN_INLINE constexpr Zero abs(Zero) { return {}; }
LNGEN_INLINE constexpr Zero sign(Zero) { return {}; }
LNGEN_INLINE constexpr Zero sqrt(Zero) { return {}; }
LNGEN_INLINE constexpr Zero sin(Zero) { return {}; }
LNGEN_INLINE constexpr Zero asin(Zero) { return {}; }
LNGEN_INLINE constexpr Zero atan(Zero) { return {}; }
LNGEN_INLINE constexpr Zero tanh(Zero) { return {}; }
LNGEN_INLINE constexpr Zero erf(Zero) { return {}; }
LNGEN_INLINE constexpr Zero expm1(Zero) { return {}; }
LNGEN_INLINE constexpr Zero log1p(Zero) { return {}; }
template <int N, int OVER, class A> LNGEN_INLINE constexpr auto quotient(Fixed<N, OVER> u, const A& v) { return u / v; }
template <int N> LNGEN_INLINE constexpr Zero power(Zero) { return {}; }
}  // namespace math
LNGEN_INLINE constexpr Zero finite_or_zero(Zero) { return {}; }

// a where the condition holds, and otherwise b.
template <class A, class C, class X, class Y> LNGEN_INLINE auto choose(const C& condition, const X& a, const Y& b) {
  if constexpr (is_zero<X> && is_zero<Y>) return Zero();
  else return select(condition, A(a), A(b));
}

// The value that no result uses is not computed.
template <bool IS_USED, class V> LNGEN_INLINE auto wanted(const V& value) {
  if constexpr (IS_USED) return value;
  else return Zero();
}

// The value of an absent argument, which is known as a type or has a VALUE.
template <class A, class Absent> LNGEN_INLINE auto absent() {
  if constexpr (is_known<Absent>) return Absent();
  else return A(Absent::VALUE);
}

// The same of an integer, which is then no type.
template <class V> LNGEN_INLINE auto integer(const V& value) {
  if constexpr (is_known<V>) return (long long)value;
  else return value;
}

// ------------------------------------------------------------------------------------------------ what a stage reduces

// The largest or the least of values, in the place of their sum.
template <class V> struct Largest { V value; };
template <class V> struct Least { V value; };
template <class V> LNGEN_INLINE Largest<V> max_of(V value) { return {value}; }
template <class V> LNGEN_INLINE Least<V> min_of(V value) { return {value}; }

enum Operator { SUM, MAXIMUM, MINIMUM };
template <class V> struct Reduced {
  static constexpr Operator OPERATOR = SUM;
  static constexpr bool NEEDED = !is_zero<V>;
  template <class A> static LNGEN_INLINE void add(A& to, const V& value) {
    // A product of lanes stays one, so that its sum is rounded once.
    if constexpr (__is_base_of(A, V)) to += value;
    else to += A(value);
  }
};
template <class V> struct Reduced<Largest<V>> {
  static constexpr Operator OPERATOR = MAXIMUM;
  static constexpr bool NEEDED = !is_zero<V>;
  template <class A> static LNGEN_INLINE void add(A& to, const Largest<V>& term) { to = larger(to, A(term.value)); }
};
template <class V> struct Reduced<Least<V>> {
  static constexpr Operator OPERATOR = MINIMUM;
  static constexpr bool NEEDED = !is_zero<V>;
  template <class A> static LNGEN_INLINE void add(A& to, const Least<V>& term) { to = smaller(to, A(term.value)); }
};

// Values one after the other; sets of them are the bits of a word. A Zero among them is not reduced.
template <int I, class V> struct Term { V value; };
template <int I, class... V> struct TermsFrom {
  static constexpr unsigned long long NEEDED = 0, MAXIMA = 0, MINIMA = 0;
  template <class A> LNGEN_INLINE void add_to(A*) const {}
  template <class F> LNGEN_INLINE void each(F) const {}
};
template <int I, class V, class... Rest> struct TermsFrom<I, V, Rest...> : Term<I, V>, TermsFrom<I + 1, Rest...> {
  using Others = TermsFrom<I + 1, Rest...>;
  static constexpr unsigned long long HERE = 1ull << I;
  static constexpr unsigned long long NEEDED = (Reduced<V>::NEEDED ? HERE : 0) | Others::NEEDED;
  static constexpr unsigned long long MAXIMA = (Reduced<V>::OPERATOR == MAXIMUM ? HERE : 0) | Others::MAXIMA;
  static constexpr unsigned long long MINIMA = (Reduced<V>::OPERATOR == MINIMUM ? HERE : 0) | Others::MINIMA;

  LNGEN_INLINE TermsFrom(V value, Rest... rest) : Term<I, V>{value}, Others(rest...) {}
  // Takes each into the reduction of the same index.
  template <class A> LNGEN_INLINE void add_to(A* sums) const {
    if constexpr (Reduced<V>::NEEDED) Reduced<V>::add(sums[I], Term<I, V>::value);
    Others::add_to(sums);
  }
  // Calls visit(value, index) for those that are needed.
  template <class F> LNGEN_INLINE void each(F visit) const {
    if constexpr (Reduced<V>::NEEDED) visit(Term<I, V>::value, I);
    Others::each(visit);
  }
};
template <class... V> struct Terms : TermsFrom<0, V...> {
  static constexpr int COUNT = sizeof...(V);
  using TermsFrom<0, V...>::TermsFrom;
};
template <> struct Terms<> : TermsFrom<0> {
  static constexpr int COUNT = 0;
};
template <class... V> LNGEN_INLINE Terms<V...> terms(V... values) { return Terms<V...>(values...); }
LNGEN_INLINE Terms<> terms() { return {}; }
template <int I, class V> LNGEN_INLINE V get(const Term<I, V>& term) { return term.value; }

// The results of reductions; of one that was not needed, Zero.
template <class A, unsigned long long NEEDED, int N> struct Found {
  A values[N];
};
template <int I, class A, unsigned long long NEEDED, int N> LNGEN_INLINE auto get(const Found<A, NEEDED, N>& found) {
  static_assert(I < N, "one of as many results as there are terms");
  if constexpr (NEEDED >> I & 1) return found.values[I];
  else return Zero();
}

// The results of two stages: f(at) gives terms of an entry, the largest of the I-th among them, and g(at, m) terms whose
// sums are wanted for m that largest one.
template <class F, class G> struct Both {
  F first;
  G second;
};
template <class F, class G> LNGEN_INLINE Both<F, G> both(const F& first, const G& second) { return {first, second}; }
template <int I, class Row, class F, class G> LNGEN_INLINE auto one_after_the_other(const Row& row, const F& f, const G& g) {
  const auto first = row.reduce(f);
  const auto m = finite_or_zero(get<I>(first));
  const auto second = row.sums([&](auto at) { return g(at, m); });
  return both(first, second);
}

}  // namespace lngen

#endif

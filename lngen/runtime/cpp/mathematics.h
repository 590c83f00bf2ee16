// SPDX-License-Identifier: MIT
// Mathematics that is written alike for a GPU and for a processor, on numbers and on lanes.
//
// Before it is included: LNGEN_INLINE, larger, and math::fused.
#ifndef LNGEN_MATHEMATICS_H
#define LNGEN_MATHEMATICS_H

namespace lngen {

namespace math {
template <int N, class A> LNGEN_INLINE A power(A u) {
  if constexpr (N == 1) {
    return u;
  } else {
    const A root = power<N / 2>(u);
    return N % 2 ? root * root * u : root * root;
  }
}
}  // namespace math

// Second moments about the mean, from the sums of one sweep over a row that is centred but for rounding.
//
// With s and t the entries less a mean as rounded, r = mean(s) and q = mean(t) are what rounding left of it, and for any
// two numbers r and q
//
//     sum((s - r)*(t - q)) = sum(s*t) - r*sum(t) - q*(sum(s) - D*r).
//
// The last factor is the remainder of the division that gave r, which is a number of the compute type; each of the other
// two steps rounds once. So where the sums are exact, as they are for entries that differ by a few units in the last
// place, the result is that of exact sums rounded twice, and of equal entries it is 0. lngen/plan/passes/moments.py
// of lngen states the bound for all others. A product that alone leaves the range does no harm in a fused step.
template <class A> LNGEN_INLINE A corrected_products(A products, A sum_s, A mean_s, A sum_t, A mean_t, A D) {
  const A remainder = math::fused(-D, mean_s, sum_s);
  return math::fused(-mean_t, remainder, math::fused(-mean_s, sum_t, products));
}

// Rounding alone can bring it below zero, where it is zero; a NaN stays.
template <class A> LNGEN_INLINE A corrected_squares(A squares, A sum, A mean, A D) {
  return larger(corrected_products(squares, sum, mean, sum, mean, D), A(0));
}

}  // namespace lngen

#endif

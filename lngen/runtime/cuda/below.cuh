// SPDX-License-Identifier: MIT
// The largest of a value over a row, and sums of terms with exp(value - m) as a factor, m that largest one, in one sweep.
// A thread takes some accesses at a time. It adds up about the largest value so far, for which a larger one is a factor:
//
//     sum(w*exp(value - m)) = exp(m_0 - m)*sum(w*exp(value - m_0))
//
// (Milakov & Gimelshein, 2018, "Online normalizer calculation", arXiv:1805.02867.) No factor is above 1, and there is one
// for all of these accesses, so that each entry has one exponential and little more. Where m is infinite, 0 is what
// exponents are less (finite_or_zero): so they are here.

namespace lngen::LNGEN_SPACE {

// From the sums about the largest value so far to those about a larger one. Of nothing, and of what is all -inf, the
// factor is zero, and so are the sums.
template <unsigned long long SCALED, class A, int N>
__device__ __forceinline__ void put_below(A (&sums)[N], A before, A now) {
  const A factor = math::exp(before - finite_or_zero(now));
#pragma unroll
  for (int i = 0; i < N; ++i)
    if (SCALED >> i & 1) sums[i] *= factor;
}

// Visits the chunks of the row that are the thread's, some at a time: visit(first, is_there), where is_there(k) tests
// whether the row has the k-th of them. Of most of them it is known.
template <class G, class F> __device__ __forceinline__ void each_group(const Here& here, F visit) {
  const int columns = G::TOGETHER * G::ALL_THREADS * G::VECTOR, whole = LNGEN_D / columns;
#pragma unroll 1
  for (int group = 0; group < whole; ++group) visit(group * G::TOGETHER, [](int) { return true; });
#pragma unroll 1
  for (int chunk = whole * G::TOGETHER; chunk < G::ALL_CHUNKS; chunk += G::TOGETHER)
    visit(chunk, [&](int k) { return here.template column<G>(chunk + k) < here.D; });
}

}  // namespace lngen::LNGEN_SPACE

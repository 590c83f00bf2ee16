// SPDX-License-Identifier: MIT
// Random numbers of the entries of a row as lanes; see cpp/philox.h.
#ifndef LNGEN_SIMD_RANDOM_H
#define LNGEN_SIMD_RANDOM_H

#include "simd.h"
#include "../cpp/philox.h"

namespace lngen {

#if defined(__AVX2__)
// Four counters at a time, a word in each 64 bits.
LNGEN_INLINE void sixteen_words(long long row, int fours, RandomKey key, std::int32_t* bits) {
  const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF), one = _mm256_set1_epi64x(0xD2511F53), other = _mm256_set1_epi64x(0xCD9E8D57);
  __m256i a = _mm256_set1_epi64x(RandomWord(row)), b = _mm256_set1_epi64x(RandomWord(row >> 32)), d = _mm256_setzero_si256();
  __m256i c = _mm256_add_epi64(_mm256_set1_epi64x(fours), _mm256_set_epi64x(3, 2, 1, 0));
  RandomWord first = key.seed, second = key.stream;
  for (int turn = 0; turn < 10; ++turn) {
    const __m256i left = _mm256_mul_epu32(a, one), right = _mm256_mul_epu32(c, other);
    a = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(right, 32), b), _mm256_set1_epi64x(first));
    c = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(left, 32), d), _mm256_set1_epi64x(second));
    b = _mm256_and_si256(right, low), d = _mm256_and_si256(left, low);
    first += 0x9E3779B9u, second += 0xBB67AE85u;
  }
  const __m256i ab = _mm256_or_si256(a, _mm256_slli_epi64(b, 32)), cd = _mm256_or_si256(c, _mm256_slli_epi64(d, 32));
  const __m256i even = _mm256_unpacklo_epi64(ab, cd), odd = _mm256_unpackhi_epi64(ab, cd);
  const auto put = [](std::int32_t* to, __m256i words) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_srli_epi32(words, 8));
  };
  put(bits, _mm256_permute2x128_si256(even, odd, 0x20));
  put(bits + 8, _mm256_permute2x128_si256(even, odd, 0x31));
}
#endif

// Those of a column that is a multiple of 4 and the next ones.
template <class S> LNGEN_INLINE Lanes<S> random_lanes(long long row, int column, RandomKey key) {
  constexpr int COUNT = Lanes<S>::COUNT;
  alignas(64) std::int32_t bits[COUNT];
#if defined(__AVX2__)
  if constexpr (COUNT == 16) {
    sixteen_words(row, column / 4, key, bits);
    return to_unit_interval(Lanes<S>(Wholes<S>::at(bits)));
  }
#endif
  for (int i = 0; i < COUNT; i += 4) {
    const RandomWords words = random_words(row, column / 4 + i / 4, key);
    for (int k = 0; k < 4; ++k) bits[i + k] = leading_bits(words.of[k]);
  }
  return to_unit_interval(Lanes<S>(Wholes<S>::at(bits)));
}

}  // namespace lngen

#endif

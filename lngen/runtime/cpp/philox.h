// SPDX-License-Identifier: MIT
// Random numbers of the entries of rows, by Philox 4x32-10 (Salmon et al., 2011): four words for a counter, which is the
// number of the row, and the number of four columns; the key is a seed and the number of a stream.
//
// Before it is included: LNGEN_INLINE.
#ifndef LNGEN_PHILOX_H
#define LNGEN_PHILOX_H

namespace lngen {

using RandomWord = unsigned int;

struct RandomWords {
  RandomWord of[4];
};
struct RandomKey {
  RandomWord seed, stream;
};

LNGEN_INLINE RandomWords philox(RandomWords counter, RandomKey key) {
  RandomWord a = counter.of[0], b = counter.of[1], c = counter.of[2], d = counter.of[3], first = key.seed, second = key.stream;
  for (int turn = 0; turn < 10; ++turn) {
    const unsigned long long left = (unsigned long long)a * 0xD2511F53u, right = (unsigned long long)c * 0xCD9E8D57u;
    a = RandomWord(right >> 32) ^ b ^ first, b = RandomWord(right);
    c = RandomWord(left >> 32) ^ d ^ second, d = RandomWord(left);
    first += 0x9E3779B9u, second += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}

// Those of columns 4*fours and the three after it.
LNGEN_INLINE RandomWords random_words(long long row, int fours, RandomKey key) {
  return philox({{RandomWord(row), RandomWord(row >> 32), RandomWord(fours), 0}}, key);
}

// One of them, in registers also where the place is not known to the compiler.
LNGEN_INLINE RandomWord one_of(RandomWords words, int place) {
  const RandomWord even = place & 2 ? words.of[2] : words.of[0], odd = place & 2 ? words.of[3] : words.of[1];
  return place & 1 ? odd : even;
}

// The leading 24 bits of a word, which every type holds, as an integer and as a number in [0, 1).
LNGEN_INLINE int leading_bits(RandomWord word) { return int(word >> 8); }
template <class A> LNGEN_INLINE A to_unit_interval(A bits) { return bits * A(5.9604644775390625e-8); }

}  // namespace lngen

#endif

// SPDX-License-Identifier: MIT
// In the place of cpp.cuh: the names of arguments, and random numbers without their words.
#ifndef LNGEN_CPP_CUH
#define LNGEN_CPP_CUH
#define LNGEN_INLINE inline
#include "rows.cuh"
namespace lngen {
template <class A> A select(bool condition, A a, A b) { return condition ? a : b; }
}  // namespace lngen
#include "absence.h"
#include "names.h"
namespace lngen {
using RandomWord = unsigned;
struct RandomWords {};
struct RandomKey { RandomWord seed, stream; };
template <class Row, class Column> RandomWords random_words(const Row&, const Column&, RandomKey) { return {}; }
template <class Place> RandomWord one_of(RandomWords, const Place&) { return 0; }
inline int leading_bits(RandomWord) { return 0; }
template <class A> A to_unit_interval(A a) { return a; }
inline const char* text_of(Kind kind) {
#define LNGEN_KIND(NAME) if (kind == NAME) return #NAME;
  LNGEN_KIND(ROWS) LNGEN_KIND(FEATURES) LNGEN_KIND(SAVED) LNGEN_KIND(ROW_NUMBERS) LNGEN_KIND(SCALAR) LNGEN_KIND(INTEGER_ROWS)
  LNGEN_KIND(INTEGER_FEATURES) LNGEN_KIND(ROW_INTEGERS) LNGEN_KIND(INTEGER) LNGEN_KIND(ROWS_OUT) LNGEN_KIND(ROW_NUMBERS_OUT)
  LNGEN_KIND(SAVED_OUT) LNGEN_KIND(FEATURES_OUT) LNGEN_KIND(SCALARS_OUT)
#undef LNGEN_KIND
  return "other";
}
}  // namespace lngen
#endif

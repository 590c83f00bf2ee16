// SPDX-License-Identifier: MIT
// Where the rows of a call lie: one behind the other in every array, or so many entries apart along some axes.
//
// With LNGEN_AXES=n, the rows of a call are numbered along n axes, the last one fastest. A kernel is passed a structure
// of numbers behind its arguments: the sizes of the axes, then for each of its arrays of rows or of a number a row, in
// the order of the arguments, how many entries apart these are along each axis. Along an axis with a step of 0 rows
// share theirs. Entries of a row are one behind the other.
//
// With LNGEN_SEGMENT=n, a row is cut into segments of n entries, and entries of a segment are one behind the other. Behind
// all steps then stands for each array how many entries apart segments begin; it is n where the whole row has no gaps.
// Rows in LNGEN_OF_SEGMENT, a set of bits by their number, have one entry for each segment. Results of rows in
// LNGEN_SUMMED_BY_SEGMENT, another set, get the sum of each segment in its place, in the compute type.
//
// With LNGEN_SUMMED, a third set, these results of rows get sums: over each run of rows that follow each other and share
// their place in all of them. A block works on rows of one run, and a second kernel adds the parts of blocks. Behind the
// steps then stand those of the rows' own numbers, the rows of a run and the blocks that share one; the memory for the
// parts is one more argument.
#ifndef LNGEN_PLACES_CUH
#define LNGEN_PLACES_CUH

#include "cpp.cuh"
#include "geometry.cuh"

#ifndef LNGEN_SUMMED
#define LNGEN_SUMMED 0
#endif
#ifndef LNGEN_OF_SEGMENT
#define LNGEN_OF_SEGMENT 0
#endif
#ifndef LNGEN_SUMMED_BY_SEGMENT
#define LNGEN_SUMMED_BY_SEGMENT 0
#endif

namespace lngen {

LNGEN_CONSTANT int ones(unsigned long long set) { return set ? int(set & 1) + ones(set >> 1) : 0; }
constexpr int RUN_SUMS = ones(LNGEN_SUMMED), SEGMENT_SUMS = ones(LNGEN_SUMMED_BY_SEGMENT);
constexpr unsigned long long ALL_RUN_SUMS = (1ull << RUN_SUMS) - 1;

// Whether a result gets sums, and which of them are its.
template <class N, unsigned long long SET> struct SumsAmong {
  static constexpr bool IS_SUM = N::KIND == ROWS_OUT && N::THERE && SET >> N::INDEX & 1;
  static constexpr int PLACE = ones(SET & ((1ull << N::INDEX) - 1));
};
template <class N> struct OfRuns : SumsAmong<N, LNGEN_SUMMED> {};
template <class N> struct BySegment : SumsAmong<N, LNGEN_SUMMED_BY_SEGMENT> {};

// Whether rows have one entry for each segment.
template <class N> constexpr bool IS_OF_SEGMENT = N::KIND == ROWS && N::THERE && (0ull + LNGEN_OF_SEGMENT) >> N::INDEX & 1;

// The rows that a block works on: so many at a time from the first on, up to the end.
struct Span { long long first, end, stride; };

#ifdef LNGEN_AXES

// Quotient and rest; a division of 64 bits takes several times as long as one of 32.
LNGEN_INLINE long long divided(long long& number, long long size) {
  const unsigned long long n = number, d = size;
  if ((n | d) >> 32 == 0) number = unsigned(n) / unsigned(d);
  else number = n / d;
  return n - number * d;
}

template <class Given> struct Places;
template <class... N> struct Places<Names<N...>> {
  static constexpr int AXES = LNGEN_AXES, ARRAYS = (0 + ... + int(N::IN_ROWS || N::OF_ROWS));
  long long numbers[(1 + ARRAYS) * AXES + (LNGEN_SEGMENT ? ARRAYS : 0)];
#if LNGEN_SUMMED
  long long of_number[AXES], run, blocks_of_run;
#endif

  LNGEN_INLINE void find(long long row, long long (&along)[AXES]) const {
#pragma unroll
    for (int axis = AXES - 1; axis > 0; --axis) along[axis] = divided(row, numbers[axis]);
    along[0] = row;
  }
  template <class M> LNGEN_INLINE long long of(const long long (&along)[AXES]) const {
    constexpr int FIRST = (1 + place<M>()) * AXES;
    long long found = 0;
#pragma unroll
    for (int axis = 0; axis < AXES; ++axis) found += along[axis] * numbers[FIRST + axis];
    return found;
  }
  template <class M> LNGEN_INLINE long long apart() const { return numbers[(1 + ARRAYS) * AXES + place<M>()]; }

 private:
  template <class M> static LNGEN_CONSTANT int place() {
    int before = 0;
    bool is_before = true;
    ((is_before = is_before && !Same<N, M>::value, before += is_before && (N::IN_ROWS || N::OF_ROWS)), ...);
    return before;
  }
  template <class X, class Y> struct Same { static constexpr bool value = false; };
  template <class X> struct Same<X, X> { static constexpr bool value = true; };
};

template <class T, class Given> struct ArgumentsOf : Arguments<T, Parameter<T>, Computed<T>, Given> {
  Places<Given> places;
#if LNGEN_SUMMED
  Computed<T>* parts_of_runs;
#endif
};

template <class To> LNGEN_INLINE void find_place(const To& to, Here& here) { to.places.find(here.row, here.along); }
template <class N, class To> LNGEN_INLINE long long place_of(const To& to, const Here& here) {
  return to.places.template of<N>(here.along);
}
template <class N, class To> LNGEN_INLINE long long place_of_row(const To& to, long long row) {
  long long along[LNGEN_AXES] = {};
  to.places.find(row, along);
  return to.places.template of<N>(along);
}

#else

template <class T, class Given> using ArgumentsOf = Arguments<T, Parameter<T>, Computed<T>, Given>;

template <class To> LNGEN_INLINE void find_place(const To&, Here&) {}
template <class N, class To> LNGEN_INLINE long long place_of(const To&, const Here& here) {
  return N::IN_ROWS ? here.offset : here.row;
}
template <class N, class To> LNGEN_INLINE long long place_of_row(const To&, long long row) { return row; }

#endif

// How far the entry of a column is from the first of its row.
template <class N, class To> LNGEN_INLINE auto column_of(const To& to, int column) {
#if LNGEN_SEGMENT
  if constexpr (N::KIND == ROWS || N::KIND == ROWS_OUT) {
    // Found anew for each row: kept from one to the next, places would take the registers of the rows.
    const int at = unseen(column), segment = unsigned(at) / LNGEN_SEGMENT, within = at - segment * LNGEN_SEGMENT;
    return segment * to.places.template apart<N>() + (IS_OF_SEGMENT<N> || BySegment<N>::IS_SUM ? 0 : within);
  } else {
    return column;
  }
#else
  return column;
#endif
}

template <class N, class To> struct PlaceIn {
  const To& to;
  LNGEN_INLINE long long operator()(const Here& here) const { return place_of<N>(to, here); }
  LNGEN_INLINE long long row(long long row) const { return place_of_row<N>(to, row); }
  LNGEN_INLINE auto column(int column) const { return column_of<N>(to, column); }
};
template <class N, class To> LNGEN_INLINE PlaceIn<N, To> place_in(const To& to) { return {to}; }

// The number of a row among those of the call, and the sums over runs.
#if LNGEN_SUMMED
template <class To> LNGEN_INLINE long long row_number_of(const To& to, const Here& here) {
  long long found = 0;
#pragma unroll
  for (int axis = 0; axis < LNGEN_AXES; ++axis) found += here.along[axis] * to.places.of_number[axis];
  return found;
}
template <class G, class To> LNGEN_INLINE Span span_of_block(const To& to) {
  const long long blocks = to.places.blocks_of_run, block = block_of_rows<G>();
  const long long begin = block / blocks * to.places.run;
  return {begin + block % blocks * G::ROWS, begin + to.places.run, blocks * G::ROWS};
}
template <class A, class To> LNGEN_INLINE A* parts_of_runs(const To& to) { return to.parts_of_runs; }
#else
template <class To> LNGEN_INLINE long long row_number_of(const To&, const Here& here) { return here.row; }
template <class G, class To> LNGEN_INLINE Span span_of_block(const To& to) {
  return {(long long)block_of_rows<G>() * G::ROWS, to.of(ROW_COUNT), (long long)blocks_of_rows<G>() * G::ROWS};
}
template <class A, class To> LNGEN_INLINE A* parts_of_runs(const To&) { return nullptr; }
#endif

}  // namespace lngen

#endif

// SPDX-License-Identifier: MIT
// Where the rows of a call lie: one behind the other in every array, or where tables say.
//
// With LNGEN_PLACED, a kernel is passed a table behind its arrays for each of them, in their order, and one more. A
// null pointer stands for rows that are one behind the other. A table has how far segments are apart, then the place at
// which each row of its array starts, both in entries. The last table has the numbers of the rows, in the order in which
// they are worked on, behind a zero. Runs of sizes[6] rows that follow each other have the same place in each of the
// results in LNGEN_SUMMED, a set of bits by their number; what is stored there is added up, in the compute type.
//
// With LNGEN_SEGMENTED, a row is cut into segments of sizes[7] columns. The rows in LNGEN_OF_SEGMENT have one entry for
// each segment. How far segments are apart is for other rows what lies between one and the next.
#ifndef LNGEN_HOST_PLACES_H
#define LNGEN_HOST_PLACES_H

#include "../cpp/names.h"

#ifndef LNGEN_SUMMED
#define LNGEN_SUMMED 0ull
#endif
#ifndef LNGEN_OF_SEGMENT
#define LNGEN_OF_SEGMENT 0ull
#endif

namespace lngen {

constexpr int SUMMED_ROWS = __builtin_popcountll(LNGEN_SUMMED);

template <Kind KIND, class N> constexpr bool is_in(unsigned long long set) {
  return N::KIND == KIND && N::THERE && (set >> N::INDEX & 1);
}
template <class N> constexpr bool is_summed(N) { return is_in<ROWS_OUT, N>(LNGEN_SUMMED); }
template <class N> constexpr bool is_of_segment(N) { return is_in<ROWS, N>(LNGEN_OF_SEGMENT); }

// The number of a result among those that are summed.
template <class N> constexpr int place_of_sum(N) { return __builtin_popcountll(LNGEN_SUMMED & ((1ull << N::INDEX) - 1)); }

// Whether the place of a row in an array counts entries of rows, and not rows.
template <class N> constexpr bool IN_ROWS = N::KIND == ROWS || N::KIND == INTEGER_ROWS || N::KIND == ROWS_OUT;

#ifdef LNGEN_PLACED

constexpr bool is_passed_as_array(Kind kind) { return kind != NUMBER && kind != LONG && kind != INT; }

template <class N> struct Table { const long long* starts; };
template <class Given> struct Places;
template <class... N> struct Places<Names<N...>> : Table<N>... {
  const long long* numbers;
  const long long run, segment;

  Places(void* const* arrays, const long long* sizes)
      : Places(Next{arrays + (0 + ... + int(is_passed_as_array(N::KIND)))}, sizes) {}

  template <class M> LNGEN_INLINE const long long* of(M) const { return static_cast<const Table<M>&>(*this).starts; }
  LNGEN_INLINE long long number(long long row) const { return numbers ? numbers[1 + row] : row; }
  LNGEN_INLINE int length(int) const { return int(segment); }

 private:
  struct Next {
    void* const* tables;
    template <class M> const long long* next() {
      return is_passed_as_array(M::KIND) ? static_cast<const long long*>(*tables++) : nullptr;
    }
  };
  Places(Next from, const long long* sizes)
      : Table<N>{from.template next<N>()}..., numbers(static_cast<const long long*>(*from.tables)), run(sizes[6]),
        segment(sizes[7]) {}
};

template <class N> struct Start { long long place, apart; };
template <class Given> struct Starts;
template <class... N> struct Starts<Names<N...>> : Start<N>... {
  LNGEN_INLINE Starts(const Places<Names<N...>>& places, long long row, int D)
      : Start<N>{places.of(N()) ? places.of(N())[1 + row] : IN_ROWS<N> ? row * D : row,
                 places.of(N()) ? places.of(N())[0] : 0}... {}

  template <class M> LNGEN_INLINE long long of(M) const { return start<M>().place; }
  template <class M> LNGEN_INLINE long long of_segment(M, int segment) const {
    return start<M>().place + segment * start<M>().apart;
  }
  template <class M> LNGEN_INLINE long long in_segment(M name, int segment) const {
    return SEGMENTED ? of_segment(name, segment) : of(name);
  }
  template <class T> LNGEN_INLINE bool is_even(const T* to, const T*, int) const { return lngen::is_even(to, 0); }

 private:
  template <class M> LNGEN_INLINE const Start<M>& start() const { return *this; }
};

#else

template <class Given> struct Places {
  static constexpr long long run = 1;
  Places(void* const*, const long long*) {}
  LNGEN_INLINE long long number(long long row) const { return row; }
  LNGEN_INLINE int length(int D) const { return D; }
};

template <class Given> struct Starts {
  const long long row, offset;

  LNGEN_INLINE Starts(const Places<Given>&, long long row, int D) : row(row), offset(row * D) {}
  template <class N> LNGEN_INLINE long long of(N) const { return IN_ROWS<N> ? offset : row; }
  template <class N> LNGEN_INLINE long long of_segment(N name, int) const { return of(name); }
  template <class N> LNGEN_INLINE long long in_segment(N name, int) const { return of(name); }
  template <class T> LNGEN_INLINE bool is_even(const T*, const T* array, int D) const { return lngen::is_even(array, D); }
};

#endif

}  // namespace lngen

#endif

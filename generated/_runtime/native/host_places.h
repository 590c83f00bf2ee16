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
// each segment, and the results in LNGEN_SUMMED_BY_SEGMENT, which are in LNGEN_SUMMED too, get its sum. How far segments
// are apart is for other rows what lies between one and the next. Sums over rows are written without gaps.
#ifndef LNGEN_HOST_PLACES_H
#define LNGEN_HOST_PLACES_H

#include "../cpp/names.h"

#ifndef LNGEN_SUMMED
#define LNGEN_SUMMED 0ull
#endif
#ifndef LNGEN_OF_SEGMENT
#define LNGEN_OF_SEGMENT 0ull
#endif
#ifndef LNGEN_SUMMED_BY_SEGMENT
#define LNGEN_SUMMED_BY_SEGMENT 0ull
#endif

namespace lngen {

constexpr int SUMMED_ROWS = __builtin_popcountll(LNGEN_SUMMED);

template <Kind KIND, class N> constexpr bool is_in(unsigned long long set) {
  return N::KIND == KIND && N::THERE && (set >> N::INDEX & 1);
}
template <class N> constexpr bool is_summed(N) { return is_in<ROWS_OUT, N>(LNGEN_SUMMED); }
template <class N> constexpr bool is_summed_by_segment(N) { return is_in<ROWS_OUT, N>(LNGEN_SUMMED_BY_SEGMENT); }
template <class N> constexpr bool is_of_segment(N) { return is_in<ROWS, N>(LNGEN_OF_SEGMENT); }

// The number of a result among those that are summed.
template <class N> constexpr int place_of_sum(N) { return __builtin_popcountll(LNGEN_SUMMED & ((1ull << N::INDEX) - 1)); }

// Sums over a run of rows. Those by segment are of lanes, in sets, so that none waits for the one before.
template <class S> struct RunSums : ColumnSums<S> {
  static constexpr int SETS = TOGETHER * Lanes<S>::COUNT;
  const int D, length;

  LNGEN_INLINE RunSums(S* memory, int D, int length)
      : ColumnSums<S>(memory, SUMMED_ROWS * width(D, length)), D(D), length(length) {
    if constexpr (SUMMED_ROWS > 0) begin();
  }
  static LNGEN_INLINE long long memory(int D, int length) { return 2 * SUMMED_ROWS * width(D, length); }

  // What a row adds to: a copy, since a compiler has to read again what a store may have changed.
  struct Recent {
    S* const sums;
    const bool is_first;
    const long long width;

    template <class N, class W> LNGEN_INLINE void add(N name, int column, W here, const Lanes<S>& value) const {
      constexpr int COUNT = Lanes<S>::COUNT;
      S* to = sums + place_of_sum(name) * width;
      if constexpr (is_summed_by_segment(name)) {
        to += (here.segment * TOGETHER + column / COUNT % TOGETHER) * COUNT;
        write(to, here, read<S>(to, here) + value);
      } else {
        to += column;
        write(to, here, is_first ? value : read<S>(to, here) + value);
      }
    }
  };
  LNGEN_INLINE Recent recent_rows() const { return {this->recent, this->rows == 0, width(D, length)}; }

  LNGEN_INLINE void end_row() {
    // Of long segments fewer rows are added up, as each has many entries.
    const int rows = SUMS_BY_SEGMENT && length > SETS ? ROWS_TOGETHER * SETS / length : ROWS_TOGETHER;
    ColumnSums<S>::end_row(rows > 1 ? rows : 1);
    if (SUMS_BY_SEGMENT && this->rows == 0) clear();
  }
  LNGEN_INLINE void begin() {
    ColumnSums<S>::begin();
    if constexpr (SUMS_BY_SEGMENT) clear();
  }
  template <class N> void write_sums(N name, S* to) const {
    const S* const sums = this->chunk + place_of_sum(name) * width(D, length);
    if constexpr (is_summed_by_segment(name)) {
      for (int segment = 0; segment < D / length; ++segment) {
        typename Wide<S>::type total = 0;
        for (int i = 0; i < SETS; ++i) total += sums[segment * SETS + i];
        to[segment] = S(total);
      }
    } else {
      each_column<S>(D, [&](int column, auto here) { write(to + column, here, read<S>(sums + column, here)); });
    }
  }

 private:
  static constexpr bool SUMS_BY_SEGMENT = LNGEN_SUMMED_BY_SEGMENT != 0, SUMS_BY_COLUMN = LNGEN_SUMMED != LNGEN_SUMMED_BY_SEGMENT;

  static LNGEN_INLINE long long width(int D, int length) {
    return column_entries(SUMS_BY_COLUMN || !SUMS_BY_SEGMENT ? D : D / length * SETS);
  }
  void clear() {
    for (long long i = 0; i < this->entries; ++i) this->recent[i] = S(0);
  }
};

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
      : Start<N>{places.of(N()) ? places.of(N())[1 + row] : N::IN_ROWS ? row * D : row,
                 places.of(N()) ? places.of(N())[0] : 0}... {}

  template <class M> LNGEN_INLINE long long of(M) const { return start<M>().place; }
  template <class M> LNGEN_INLINE long long of_segment(M, int segment) const {
    return start<M>().place + segment * start<M>().apart;
  }
  template <class M> LNGEN_INLINE long long in_segment(M name, int segment) const {
    return SEGMENTED ? of_segment(name, segment) : of(name);
  }

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
  template <class N> LNGEN_INLINE long long of(N) const { return N::IN_ROWS ? offset : row; }
  template <class N> LNGEN_INLINE long long of_segment(N name, int) const { return of(name); }
  template <class N> LNGEN_INLINE long long in_segment(N name, int) const { return of(name); }
};

#endif

}  // namespace lngen

#endif

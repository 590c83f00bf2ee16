// SPDX-License-Identifier: MIT
// What the kernels of all layers for the processor share: sweeps over a row by lanes, and sums over rows.
//
// A kernel works on chunks of rows, whose number goes by the shape alone, so that sums over rows have the same bits
// whoever works on which chunk. Of each chunk there are its sums into columns, then those of the rows that were last
// worked on, then its sums into scalars.
//
// Macros: LNGEN_ROWS, the type that rows are stored in, LNGEN_COMPUTED, that of arithmetic, and LNGEN_PARAMETERS, that of
// parameters, which is LNGEN_COMPUTED if it is not said; LNGEN_WITHOUT_name compiles an argument away.

#include <cstdint>

#include "../cpp/space.h"
#include "simd.h"
#include "simd_functions.h"

#ifndef LNGEN_ROWS
#define LNGEN_ROWS f32
#endif
#ifndef LNGEN_COMPUTED
#define LNGEN_COMPUTED f32
#endif
#ifndef LNGEN_PARAMETERS
#define LNGEN_PARAMETERS LNGEN_COMPUTED
#endif

namespace lngen::LNGEN_SPACE {

using Row = LNGEN_ROWS;
using Parameter = LNGEN_PARAMETERS;
using Computed = LNGEN_COMPUTED;
using Integer = std::int32_t;
using OneInteger = std::int32_t;

// ---------------------------------------------------------------------------------------------- sweeps over a row

// Lanes from a column on: all, or the first few at the end of a row.
struct Whole {};
struct First {
  int count;
};

template <class S, class T> LNGEN_INLINE Lanes<S> read(const T* from, Whole) { return widen<S>(from); }
template <class S, class T> LNGEN_INLINE Lanes<S> read(const T* from, First here) {
  return widen_first<S>(from, here.count);
}
template <class S> LNGEN_INLINE Wholes<S> read_integers(const Integer* from, Whole) { return Wholes<S>::at(from); }
template <class S> LNGEN_INLINE Wholes<S> read_integers(const Integer* from, First here) {
  return Wholes<S>::at(from, here.count);
}
template <class S, class T> LNGEN_INLINE void write(T* to, Whole, Lanes<S> lanes) { narrow(to, lanes); }
template <class S, class T> LNGEN_INLINE void write(T* to, First here, Lanes<S> lanes) {
  narrow_first(to, here.count, lanes);
}
// `lanes` where a width reaches, else others.
template <class S> LNGEN_INLINE Lanes<S> chosen(Whole, Lanes<S> lanes, Lanes<S>) { return lanes; }
template <class S> LNGEN_INLINE Lanes<S> chosen(First here, Lanes<S> lanes, Lanes<S> others) {
  return select(first_lanes<S>(here.count), lanes, others);
}

// Tests whether contiguous rows of D entries begin at addresses where lanes may be streamed to.
template <class T> bool is_even(const T* to, int D) {
  return !((reinterpret_cast<std::uintptr_t>(to) | D * sizeof(T)) % 16);
}

// To memory that is not read soon.
template <class S, class T> LNGEN_INLINE void write_once(T* to, Whole, Lanes<S> lanes, bool streams) {
  if (streams) {
    stream(to, lanes);
  } else {
    narrow(to, lanes);
  }
}
template <class S, class T, class W> LNGEN_INLINE void write_once(T* to, W here, Lanes<S> lanes, bool) {
  write(to, here, lanes);
}

// Prefetches the next row from memory while this one is computed. The address may lie beyond an array.
template <class T> LNGEN_INLINE void prefetch(const T* from) { __builtin_prefetch(from); }

// Calls `body(column, Whole or First)` for the columns of a row.
template <class S, class F> LNGEN_INLINE void each_lanes(int D, F body) {
  constexpr int COUNT = Lanes<S>::COUNT;
  int column = 0;
  for (; column + COUNT <= D; column += COUNT) body(column, Whole());
  if (column < D) body(column, First{D - column});
}

constexpr int TOGETHER = 4;
constexpr int PIECE = 1024;

// Joins two partial reductions, of which MAXIMA and MINIMA are sets of bits.
template <unsigned long long MAXIMA, unsigned long long MINIMA, class A> LNGEN_INLINE A joined(int which, A a, A b) {
  return MAXIMA >> which & 1 ? larger(a, b) : MINIMA >> which & 1 ? smaller(a, b) : A(a + b);
}

// Reductions over a row: `body(column, Whole or First, lanes)` takes entries into lanes, of which there are TOGETHER
// sets, so that none waits for another; a long row is summed in pieces, and the pieces in a wide type.
template <unsigned long long MAXIMA, unsigned long long MINIMA, class S, int N, class F>
LNGEN_INLINE void sweep(int D, S (&results)[N], F body) {
  using A = Lanes<S>;
  constexpr int COUNT = A::COUNT;
  using W = typename Wide<S>::type;
  W totals[N];
  for (int begin = 0; begin < D || begin == 0; begin += PIECE) {
    const int end = D - begin > PIECE ? begin + PIECE : D;
    A lanes[TOGETHER][N];
    for (int set = 0; set < TOGETHER; ++set)
      for (int k = 0; k < N; ++k)
        lanes[set][k] = MAXIMA >> k & 1 ? A(-infinity<S>()) : MINIMA >> k & 1 ? A(infinity<S>()) : A(S(0));
    int column = begin;
    for (; column + TOGETHER * COUNT <= end; column += TOGETHER * COUNT) {
#pragma GCC unroll 4
      for (int set = 0; set < TOGETHER; ++set) body(column + set * COUNT, Whole(), lanes[set]);
    }
    for (; column + COUNT <= end; column += COUNT) body(column, Whole(), lanes[0]);
    if (column < end) {
      A kept[N];
      for (int k = 0; k < N; ++k) kept[k] = lanes[1][k];
      const First some{end - column};
      body(column, some, lanes[1]);
      for (int k = 0; k < N; ++k) lanes[1][k] = chosen(some, lanes[1][k], kept[k]);
    }
    for (int k = 0; k < N; ++k) {
      const A all = joined<MAXIMA, MINIMA>(
          k, joined<MAXIMA, MINIMA>(k, lanes[0][k], lanes[1][k]), joined<MAXIMA, MINIMA>(k, lanes[2][k], lanes[3][k]));
      const S piece = MAXIMA >> k & 1 ? largest(all) : MINIMA >> k & 1 ? smallest(all) : add_up(all);
      totals[k] = begin ? joined<MAXIMA, MINIMA>(k, totals[k], W(piece)) : W(piece);
    }
  }
  for (int k = 0; k < N; ++k) results[k] = S(totals[k]);
}

// The places of the entries that are nearest to extremes, of equals the first: `body(column, Whole or First, least,
// places)` takes entries into the least distances so far and their places.
template <int N, class S, class F> LNGEN_INLINE void sweep_first(int D, S (&results)[N], F body) {
  using A = Lanes<S>;
  constexpr int COUNT = A::COUNT;
  A least[N], places[N];
  for (int k = 0; k < N; ++k) least[k] = places[k] = infinity<A>();
  int column = 0;
  for (; column + COUNT <= D; column += COUNT) body(column, Whole(), least, places);
  if (column < D) {
    A least_before[N], places_before[N];
    for (int k = 0; k < N; ++k) least_before[k] = least[k], places_before[k] = places[k];
    body(column, First{D - column}, least, places);
    const auto there = first_lanes<S>(D - column);
    for (int k = 0; k < N; ++k) {
      least[k] = select(there, least[k], least_before[k]);
      places[k] = select(there, places[k], places_before[k]);
    }
  }
  for (int k = 0; k < N; ++k) {
    results[k] = smallest(select(least[k] == A(smallest(least[k])), places[k], infinity<A>()));
  }
}

// Memory for rows that a pass keeps for later ones.
template <class S> struct Scratch {
  S* const entries;

  explicit Scratch(long long count) : entries(count ? new S[count] : nullptr) {}
  ~Scratch() { delete[] entries; }
  Scratch(const Scratch&) = delete;
};

// ---------------------------------------------------------------------------------------------- sums over rows

// The rows of a call, and how they are cut into chunks.
struct Work {
  long long rows;
  int D;
  long long chunks, first, end;  // of all chunks those from `first` to before `end`

  LNGEN_INLINE long long row(long long chunk) const { return rows / chunks * chunk + min(chunk, rows % chunks); }

 private:
  static LNGEN_INLINE long long min(long long a, long long b) { return a < b ? a : b; }
};

// The workspace has entries for these and what it takes to begin at a cache line; so does each array in it, and none of
// them where the one before it does, modulo a page: a load might wait for a store of the other.
constexpr int LINE = 16;
constexpr long long lines(long long entries) { return (entries + LINE - 1) / LINE * LINE; }
constexpr long long column_entries(int D) { return lines(D) + LINE; }
constexpr long long chunk_entries(int columns, int scalars, int D) {
  return 2 * columns * column_entries(D) + lines(scalars);
}

template <class S> S* first_line(S* workspace) {
  const auto to = reinterpret_cast<std::uintptr_t>(workspace), line = std::uintptr_t(LINE * sizeof(S));
  return reinterpret_cast<S*>((to + line - 1) / line * line);
}

constexpr int ROWS_TOGETHER = 32;

// Sums into columns. The rows that come ROWS_TOGETHER after one another are added up in `recent` before their sum is added
// to that of the chunk: a sum of many entries one by one would lose digits.
template <class S> struct ColumnSums {
  S *const chunk, *recent;
  const long long entries;  // of all columns
  int rows = 0;

  LNGEN_INLINE ColumnSums(S* workspace, long long entries) : chunk(workspace), recent(workspace), entries(entries) {}

  LNGEN_INLINE void end_row() {
    if (++rows == ROWS_TOGETHER) join();
  }

  LNGEN_INLINE void end() {
    if (rows) {
      join();
    } else if (recent == chunk) {
      for (long long i = 0; i < entries; ++i) chunk[i] = S(0);
    }
  }

 private:
  void join() {
    if (recent != chunk) {
      for (long long i = 0; i < entries; ++i) chunk[i] += recent[i];
    }
    recent = chunk + entries, rows = 0;
  }
};

// The sum of the chunks' sums into a column and those beside it.
template <class S, class W>
LNGEN_INLINE Lanes<S> column_total(const S* workspace, long long chunks, long long entries, long long at, W width) {
  Lanes<S> total = read<S>(workspace + at, width);
  for (long long chunk = 1; chunk < chunks; ++chunk) total += read<S>(workspace + chunk * entries + at, width);
  return total;
}

template <class S> S scalar_total(const S* workspace, long long chunks, long long entries, long long at) {
  typename Wide<S>::type total = 0;
  for (long long chunk = 0; chunk < chunks; ++chunk) total += workspace[chunk * entries + at];
  return S(total);
}

}  // namespace lngen::LNGEN_SPACE

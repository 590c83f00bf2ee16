// SPDX-License-Identifier: MIT
// Where the rows of a call lie: one behind the other in every array, or where tables say.
//
// With LNGEN_PLACED, a kernel is passed a table behind its arrays for each of them, in their order: the place at which each
// row of its array starts, in entries. A null pointer stands for rows that are one behind the other. Results in LNGEN_WIDE,
// a set of bits by their number, are in the compute type.
//
// With LNGEN_RUNS, the rows in LNGEN_OF_RUNS have one entry for each run of sizes[6] columns, and the results in
// LNGEN_SUMMED_BY_RUN get the sum of each, in the compute type.

#ifndef LNGEN_WIDE
#define LNGEN_WIDE 0ull
#endif
#ifndef LNGEN_OF_RUNS
#define LNGEN_OF_RUNS 0ull
#endif
#ifndef LNGEN_SUMMED_BY_RUN
#define LNGEN_SUMMED_BY_RUN 0ull
#endif

namespace lngen::LNGEN_SPACE {

constexpr int SUMS_BY_RUN = __builtin_popcountll(LNGEN_SUMMED_BY_RUN);

template <Kind KIND, class N> constexpr bool is_in(unsigned long long set) {
  return N::KIND == KIND && N::THERE && (set >> N::INDEX & 1);
}
template <class N> constexpr bool is_wide(N) { return is_in<ROWS_OUT, N>(LNGEN_WIDE); }
template <class N> constexpr bool is_of_runs(N) { return is_in<ROWS, N>(LNGEN_OF_RUNS); }
template <class N> constexpr bool is_summed_by_run(N) { return is_in<ROWS_OUT, N>(LNGEN_SUMMED_BY_RUN); }

// Sums over the runs of a row: of lanes, in sets, so that none waits for the one before.
template <class S> struct RunSums {
  static constexpr int SETS = TOGETHER * Lanes<S>::COUNT;
  S* const sums;
  const int runs;

  template <class N, class W> LNGEN_INLINE void add(N name, int column, W here, const Lanes<S>& value) const {
    constexpr int COUNT = Lanes<S>::COUNT;
    S* const to = of(name) + (here.run * TOGETHER + column / COUNT % TOGETHER) * COUNT;
    write(to, here, read<S>(to, here) + value);
  }
  void clear() const {
    for (long long i = 0; i < (long long)SUMS_BY_RUN * runs * SETS; ++i) sums[i] = S(0);
  }
  template <class N> void write_sums(N name, S* to) const {
    for (int run = 0; run < runs; ++run) {
      typename Wide<S>::type total = 0;
      for (int i = 0; i < SETS; ++i) total += of(name)[run * SETS + i];
      to[run] = S(total);
    }
  }

 private:
  template <class N> LNGEN_INLINE S* of(N) const {
    return sums + __builtin_popcountll(LNGEN_SUMMED_BY_RUN & ((1ull << N::INDEX) - 1)) * (long long)runs * SETS;
  }
};

#ifdef LNGEN_PLACED

constexpr bool is_passed_as_array(Kind kind) { return kind != NUMBER && kind != LONG && kind != INT; }

template <class N> struct Table { const long long* starts; };
template <class Given> struct Places;
template <class... N> struct Places<Names<N...>> : Table<N>... {
  const int run;

  Places(void* const* arrays, const long long* sizes)
      : Places(Next{arrays + (0 + ... + int(is_passed_as_array(N::KIND)))}, int(sizes[6])) {}

  template <class M> LNGEN_INLINE const long long* of(M) const { return static_cast<const Table<M>&>(*this).starts; }
  LNGEN_INLINE int length(int D) const { return RUNS ? run : D; }

 private:
  struct Next {
    void* const* tables;
    template <class M> const long long* next() {
      return is_passed_as_array(M::KIND) ? static_cast<const long long*>(*tables++) : nullptr;
    }
  };
  Places(Next from, int run) : Table<N>{from.template next<N>()}..., run(run) {}
};

template <class N> struct Start { long long place; };
template <class Given> struct Starts;
template <class... N> struct Starts<Names<N...>> : Start<N>... {
  LNGEN_INLINE Starts(const Places<Names<N...>>& places, long long row, int D)
      : Start<N>{places.of(N()) ? places.of(N())[row] : N::IN_ROWS ? row * D : row}... {}

  template <class M> LNGEN_INLINE long long of(M) const { return static_cast<const Start<M>&>(*this).place; }
};

#else

template <class Given> struct Places {
  Places(void* const*, const long long*) {}
  LNGEN_INLINE int length(int D) const { return D; }
};

template <class Given> struct Starts {
  const long long row, offset;

  LNGEN_INLINE Starts(const Places<Given>&, long long row, int D) : row(row), offset(row * D) {}
  template <class N> LNGEN_INLINE long long of(N) const { return N::IN_ROWS ? offset : row; }
};

#endif

}  // namespace lngen::LNGEN_SPACE

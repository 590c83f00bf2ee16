// SPDX-License-Identifier: MIT
// Where the rows of a call lie: one behind the other in every array, or where tables say.
//
// With LNGEN_PLACED, a kernel is passed a table behind its arrays for each of them, in their order: the place at which each
// row of its array starts, in entries. A null pointer stands for rows that are one behind the other. Results in LNGEN_WIDE,
// a set of bits by their number, are in the compute type.
//
// The rows in LNGEN_OF_RUNS have one entry for each run of sizes[6] columns, and are written out before a row is worked on;
// the results in LNGEN_SUMMED_BY_RUN get the sum of each run, in the compute type, after it.

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

template <Kind KIND, class N> constexpr bool is_in(unsigned long long set) {
  return N::KIND == KIND && N::THERE && (set >> N::INDEX & 1);
}
template <class N> constexpr bool is_wide(N) { return is_in<ROWS_OUT, N>(LNGEN_WIDE); }
template <class N> constexpr bool is_of_runs(N) { return is_in<ROWS, N>(LNGEN_OF_RUNS); }
template <class N> constexpr bool is_summed_by_run(N) { return is_in<ROWS_OUT, N>(LNGEN_SUMMED_BY_RUN); }

// Memory for one row of each of the arrays that have an entry for a run.
template <class S> struct RunRows {
  static constexpr int COUNT = __builtin_popcountll(LNGEN_OF_RUNS) + __builtin_popcountll(LNGEN_SUMMED_BY_RUN);
  static constexpr long long entries_of(int D) { return COUNT ? COUNT * (long long)D + Lanes<S>::COUNT : 0; }

  S* const entries;
  const int D, run;

  template <class N> LNGEN_INLINE S* of(N) const {
    constexpr unsigned long long BELOW = (1ull << N::INDEX) - 1;
    constexpr int BEFORE = N::KIND == ROWS ? __builtin_popcountll(LNGEN_OF_RUNS & BELOW)
                                           : __builtin_popcountll(LNGEN_OF_RUNS) + __builtin_popcountll(LNGEN_SUMMED_BY_RUN & BELOW);
    return entries + (long long)BEFORE * D;
  }
  template <class N, class T> void write_out(N name, const T* from) const {
    if (run == 1) return copy(of(name), from);
    // Whole lanes, of which the next run writes over what is too much; so there is memory for some behind the last row.
    S* to = of(name);
    for (S* const end = to + D; to < end; to += run, ++from)
      for (int i = 0; i < run; i += Lanes<S>::COUNT) write(to + i, Whole(), Lanes<S>(widen<S>(*from)));
  }
  template <class N> void add_up(N name, S* to) const {
    if (run == 1) return copy(to, of(name));
    const S* from = of(name);
    for (const S* const end = from + D; from < end; from += run) {
      S total[1] = {from[0]};
      if (run < Lanes<S>::COUNT)
        for (int i = 1; i < run; ++i) total[0] += from[i];
      else
        sweep<0, 0>(run, total, [&](int column, auto width, auto& lanes) __attribute__((always_inline)) {
          lanes[0] += read<S>(from + column, width);
        });
      *to++ = total[0];
    }
  }

 private:
  template <class T> void copy(S* to, const T* from) const {
    each_lanes<S>(D, [&](int column, auto width) { write(to + column, width, read<S>(from + column, width)); });
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
      : Start<N>{places.of(N()) ? places.of(N())[row] : is_summed_by_run(N()) ? row * (D / places.run) : N::IN_ROWS ? row * D : row}... {}

  template <class M> LNGEN_INLINE long long of(M) const { return static_cast<const Start<M>&>(*this).place; }
};

#else

template <class Given> struct Places {
  Places(void* const*, const long long*) {}
  static constexpr int run = 1;
};

template <class Given> struct Starts {
  const long long row, offset;

  LNGEN_INLINE Starts(const Places<Given>&, long long row, int D) : row(row), offset(row * D) {}
  template <class N> LNGEN_INLINE long long of(N) const { return N::IN_ROWS ? offset : row; }
};

#endif

}  // namespace lngen::LNGEN_SPACE

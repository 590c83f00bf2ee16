// SPDX-License-Identifier: MIT
// Few rows: one block has them all, or the blocks of one cluster. So it ends the sums over rows by itself, and no second
// kernel is launched. A block adds up its rows in its shared memory; then each ends some of the columns, for which it
// reads the parts of all blocks, in their order.
#ifndef LNGEN_FEW_ROWS_CUH
#define LNGEN_FEW_ROWS_CUH

#include "layer_rows.cuh"

#if LNGEN_FEW_ROWS
#if LNGEN_SUMMED
#error "LNGEN_FEW_ROWS is for sums over all rows: define LNGEN_SUMMED without it"
#endif
namespace lngen {

// What reduces over columns is the work of one block.
template <class G, int MOST_SUMS> struct EndsGeometry {
  using A = typename G::A;
  static constexpr int THREADS = G::THREADS, THREADS_PER_ROW = THREADS, WARPS = THREADS / 32;
  static constexpr int BLOCKS_PER_ROW = 1, ALL_THREADS = THREADS, ALL_WARPS = WARPS, HALF = MOST_SUMS * WARPS;
  static constexpr bool OF_WARPS = true;
};

// The end of the sums over rows: what `Columns` is to a kernel of its own.
template <class G, class P, class To, class Layer, class Numbers, class Sums>
struct EndOfFew : Stages<G, typename G::A, EndOfFew<G, P, To, Layer, Numbers, Sums>> {
  using A = typename G::A;
  struct TotalOfColumn {
    const Sums& sums;
    const int column;
    LNGEN_INLINE A operator()(int k) const { return sums.total(k, column); }
  };
  using At = ColumnEntry<P, A, To, TotalOfColumn>;
  const A D;
  const To& to;
  const Numbers& numbers;
  const Sums& sums;
  const A* const scalars;
  A* const slots;
  int& turn;

  LNGEN_INLINE EndOfFew(const To& to, const Numbers& numbers, const Sums& sums, const A* scalars, A* slots, int& turn)
      : D(A(LNGEN_D)), to(to), numbers(numbers), sums(sums), scalars(scalars), slots(slots), turn(turn) {}

  template <class N> LNGEN_INLINE auto operator()(N name) const {
    if constexpr (N::KIND != OVER_ALL) return numbers.of(name);
    else if constexpr (N::THERE) return over_blocks(scalars + N::INDEX);
    else return Zero();
  }
  LNGEN_INLINE long long entries() const { return LNGEN_D; }
  template <class F> LNGEN_INLINE void each(F f) const {
    constexpr bool IN_ONE_BLOCK = Layer::COLUMNS_PER_BLOCK == 0;
    const int first = IN_ONE_BLOCK ? threadIdx.x : blockIdx.x * G::THREADS + threadIdx.x;
    for (int column = first; column < LNGEN_D; column += (IN_ONE_BLOCK ? 1 : LNGEN_FEW_ROWS) * G::THREADS) {
      const TotalOfColumn total{sums, column};
      f(At{to, total, column});
    }
  }
  template <class N, class V> LNGEN_INLINE void store(N name, V value) const {
    if constexpr (N::THERE) {
      if (blockIdx.x == 0 && threadIdx.x == 0) *to.of(name) = narrow<P>(A(value));
    }
  }
};

template <class T, class Layer, class Ends> struct FewRowsLaunch : Chosen<Needs<T, Layer>> {
  using G = Chosen<Needs<T, Layer>>;
  using A = typename G::A;
  using Given = typename Layer::Given;
  using To = ArgumentsOf<T, Given>;
  using ToOfEnds = ArgumentsOf<T, typename Ends::Given>;
  using Numbers = typename NumbersAmong<A, typename Ends::Given>::type;
  using EndsG = EndsGeometry<G, Ends::COLUMNS_PER_BLOCK == 0 ? Ends::MOST_SUMS : 0>;
  static constexpr int SLOTS_AT = ceiling(G::SHARED_BYTES, 16) * 16;
  static constexpr int SHARED_BYTES = EndsG::HALF ? SLOTS_AT + 2 * EndsG::HALF * int(sizeof(A)) : G::SHARED_BYTES;
  static_assert(G::SUMS != IN_WORKSPACE, "sums over rows have no room in shared memory");
  static_assert(SHARED_BYTES <= at_least(LNGEN_SHARED, 49152), "LNGEN_SHARED is too small for the end of these sums");

  static LNGEN_INLINE void run(const To& to, const ToOfEnds& ends) {
    if constexpr (LNGEN_FEW_ROWS > 1) expect_cluster<at_least(LNGEN_FEW_ROWS, 1)>();
    work<Layer, G>(to, Given(), [&](const auto& sums, const A* scalars) {
      meet_blocks();
      if (Ends::COLUMNS_PER_BLOCK > 0 || blockIdx.x == 0) end(ends, sums, scalars);
      if constexpr (LNGEN_FEW_ROWS > 1) meet_blocks();
    });
  }

 private:
  template <class Sums> static LNGEN_INLINE void end(const ToOfEnds& to, const Sums& sums, const A* scalars) {
    Numbers numbers;
    numbers.read(to);
    A* slots = reinterpret_cast<A*>(shared_memory() + SLOTS_AT);
    int turn = 0;
    Ends::work(EndOfFew<EndsG, Parameter<T>, ToOfEnds, Ends, Numbers, Sums>(to, numbers, sums, scalars, slots, turn));
  }
};

}  // namespace lngen
#endif

#endif

// SPDX-License-Identifier: MIT
// The driver of every layer on a GPU: it takes rows, reduces and stores, and the layer says what of. `Layer::work` is a
// function of a row:
//
//     row(NAME)               a number of the row or of the call, row.D among them
//     row.sums(f)             f(at) gives terms(...) of an entry; the sum of each over the row
//     row.means(f)            the sums divided by D; row.reduce(f) extremes beside sums
//     row.firsts(f)           f(at) gives distances; of each, the first place in the row that has the least
//     row.each(f)             a stage without a reduction
//     row.max_and_sums<I, SCALED>(f, g)   row.reduce(f), and the sums of g(at, m) for m, the largest of the I-th value; those
//                             of the set SCALED have exp(-m) as a factor, and the others are free of m
//     row.store(NAME, v)      a result of the row; row.save(NAME, v) a number that backward reads
//     row.over_rows(NAME, v)  adds to a sum over rows that is one number
//     at(NAME)                an entry of a row or of a Feature, in the compute type; at.place() is its position
//     at.index(), row.entries()   the same position and the length of the row as integers
//     at.uniform(NAME, seed)  a random number of the entry, which goes by the row's number and the position
//     at.over_rows(NAME, v)   adds to a sum over rows of the entry's column
//     at.store(NAME, v)       a result's entry
//
// `Layer::before` is one of a call, whose stages go over Features alone, and the end of the sums over rows is another.

#include "../cpp/space.h"
#include "copies.cuh"
#include "cpp.cuh"
#include "shapes.cuh"
// Of the layer; each needs those before it.
#include "geometry.cuh"
#include "../cpp/names.h"
#include "places.cuh"
#include "reductions.cuh"
#include "row_loop.cuh"
#include "below.cuh"
#include "kernels.cuh"

namespace lngen::LNGEN_SPACE {

// What is computed with of an entry of an array.
template <class A, class N, class T> LNGEN_INLINE auto number_of(T value) {
  if constexpr (N::IS_INTEGER) return whole(value);
  else return widen<A>(value);
}

// ------------------------------------------------------------------------------------------------------- reductions

// The reductions of a stage of nothing.
template <class Terms, class A> LNGEN_INLINE auto nothing_reduced() {
  Found<A, Terms::NEEDED, Terms::COUNT> found;
#pragma unroll
  for (int i = 0; i < Terms::COUNT; ++i)
    found.values[i] = neutral<Terms::MAXIMA, Terms::MINIMA, A>(i);
  return found;
}

// The reductions of a stage, of which each thread of G gathers its part by visit(values).
template <class G, class Terms, class A, class F> LNGEN_INLINE auto reduced(A* slots, int& turn, F visit) {
  auto found = nothing_reduced<Terms, A>();
  visit(found.values);
  reduce_row<G, Terms::NEEDED, Terms::MAXIMA, Terms::MINIMA>(found.values, slots, turn);
  return found;
}

// The first places of the least distances.
template <class G, class Terms, class A, class F> LNGEN_INLINE auto first_places(A* slots, int& turn, F visit) {
  constexpr int N = Terms::COUNT;
  A values[2 * N];
#pragma unroll
  for (int i = 0; i < 2 * N; ++i) values[i] = infinity<A>();
  visit(values);
  reduce_first<G, Terms::NEEDED>(values, slots, turn);
  Found<A, Terms::NEEDED, N> found;
#pragma unroll
  for (int i = 0; i < N; ++i) found.values[i] = values[N + i];
  return found;
}

// The stages of what has each(f) and an entry `At`.
template <class G, class A, class Self> struct Stages {
  template <class F> LNGEN_INLINE auto reduce(F f) const {
    using Terms = decltype(f(*static_cast<typename Self::At*>(nullptr)));
    return reduced<G, Terms>(self().slots, self().turn, [&](A* values) {
      self().each([&](auto at) { f(at).add_to(values); });
    });
  }
  template <class F> LNGEN_INLINE auto sums(F f) const { return reduce(f); }
  template <class F> LNGEN_INLINE auto means(F f) const {
    auto found = reduce(f);
#pragma unroll
    for (A& value : found.values) value = math::quotient(value, self().D);
    return found;
  }
  template <class F> LNGEN_INLINE auto firsts(F f) const {
    using Terms = decltype(f(*static_cast<typename Self::At*>(nullptr)));
    return first_places<G, Terms>(self().slots, self().turn, [&](A* values) {
      self().each([&](auto at) {
        f(at).each([&](auto distance, int i) { nearest(values[i], values[Terms::COUNT + i], A(distance), at.place()); });
      });
    });
  }
  template <int I, unsigned long long SCALED, class F, class S> LNGEN_INLINE auto max_and_sums(F f, S g) const {
    return one_after_the_other<I>(self(), f, g);
  }

 private:
  LNGEN_INLINE const Self& self() const { return static_cast<const Self&>(*this); }
};

// --------------------------------------------------------------------------------------------------------- the call

// Numbers that no row changes: read once.
template <class A, class N, Kind K = N::KIND> struct OfTheCall {
  template <class To> LNGEN_INLINE void read(const To&) {}
};
template <class A, class N> struct OfTheCall<A, N, NUMBER> {
  A value;
  template <class To> LNGEN_INLINE void read(const To& to) { value = to.of(N()); }
};
template <class A, class N> struct OfTheCall<A, N, SCALAR> {
  A value;
  template <class To> LNGEN_INLINE void read(const To& to) {
    if constexpr (N::THERE) value = widen<A>(*to.of(N()));
  }
};
template <class A, class N> struct OfTheCall<A, N, INTEGER> {
  long long value;
  template <class To> LNGEN_INLINE void read(const To& to) {
    if constexpr (N::THERE) value = whole(*to.of(N()));
  }
};
template <class A, class... N> struct Numbers : OfTheCall<A, N>... {
  template <class To> LNGEN_INLINE void read(const To& to) { (OfTheCall<A, N>::read(to), ...); }
  template <class M> LNGEN_INLINE auto of(M) const {
    if constexpr (M::THERE) return static_cast<const OfTheCall<A, M>&>(*this).value;
    else return absent<A, typename M::Absent>();
  }
};

// An entry of the Features.
template <class A_, class To> struct FeatureEntry {
  using A = A_;
  const To& to;
  const int column;
  template <class N> LNGEN_INLINE auto operator()(N name) const {
    if constexpr (N::THERE) return number_of<A, N>(to.of(name)[column]);
    else return absent<A, typename N::Absent>();
  }
  LNGEN_INLINE A place() const { return A(column); }
  LNGEN_INLINE long long index() const { return column; }
};

template <class G, class To, class Numbers> struct Call : Stages<G, typename G::A, Call<G, To, Numbers>> {
  using A = typename G::A;
  using At = FeatureEntry<A, To>;
  const A D;
  const To& to;
  const Here& here;
  const Numbers& numbers;
  A* const slots;
  int& turn;

  LNGEN_INLINE Call(A D, const To& to, const Here& here, const Numbers& numbers, A* slots, int& turn)
      : D(D), to(to), here(here), numbers(numbers), slots(slots), turn(turn) {}
  template <class N> LNGEN_INLINE auto operator()(N name) const { return numbers.of(name); }
  LNGEN_INLINE long long entries() const { return here.D; }
  template <class F> LNGEN_INLINE void each(F f) const {
    for (int column = here.lane; column < here.D; column += G::ALL_THREADS) f(At{to, column});
  }
};

// -------------------------------------------------------------------------------------------- what a thread has of a row

template <class G, class N, Kind K = N::KIND> struct Part {};
template <class G, class N> struct Part<G, N, ROWS> : RowTile<G, N::THERE> {};
template <class G, class N> struct Part<G, N, ROW_NUMBERS> : RowValue<G, N::THERE, typename G::T> {};
template <class G, class N> struct Part<G, N, ROW_INTEGERS> : RowValue<G, N::THERE, Integer> {};
template <class G, class N> struct Part<G, N, SAVED> : RowValue<G, N::THERE, typename G::A> {};
template <class G, class N> struct Part<G, N, FEATURES> { Pack<typename G::P, G::VECTOR> held[G::HELD]; };

// What a stage reads of a chunk of the row, once it asks for it, and what it stores there. A Pack is filled where it
// stands: of one that a function returns, the compiler would take every entry apart.
template <class P> struct Used {
  P pack;
  bool is_used = false;
};
template <class G, class N, Kind K = N::KIND> struct Access {};
template <class G, class N> struct Access<G, N, ROWS> : Used<HeldChunk<G>> {};
template <class G, class N> struct Access<G, N, FEATURES> : Used<Pack<typename G::P, G::VECTOR>> {};
template <class G, class N> struct Access<G, N, INTEGER_ROWS> : Used<Pack<Integer, G::VECTOR>> {};
template <class G, class N> struct Access<G, N, INTEGER_FEATURES> : Used<Pack<Integer, G::VECTOR>> {};
template <class G, class N> struct Access<G, N, ROWS_OUT> : Used<Pack<StoredAs<N, typename G::T>, G::VECTOR>> {};
template <class G, class... N> struct Chunk : Access<G, N>... {
  template <class M> LNGEN_INLINE Access<G, M>& of(M) { return *this; }

  template <class To> LNGEN_INLINE void store(const To& to, const Here& here, int chunk, int column) {
    const auto one = [&](auto name) {
      if constexpr (decltype(name)::KIND == ROWS_OUT) {
        if constexpr (G::BY_ENTRIES) {
          const auto own = own_entries<G>(to.of(name) + place_of<decltype(name)>(to, here), here);
          if (of(name).is_used && here.live) lngen::store<true>(own + chunk * G::ALL_THREADS, of(name).pack);
        } else if (of(name).is_used && here.live) {
          lngen::store<true>(to.of(name) + place_of<decltype(name)>(to, here) + column, of(name).pack);
        }
      }
    };
    (one(N()), ...);
  }
};

template <class G, class... N> struct Tile : Part<G, N>... {
  template <class M> LNGEN_INLINE Part<G, M>& of(M) { return *this; }

  // visit(part, name) for each array with entries or a number of a row.
  template <class F> LNGEN_INLINE void each(F visit) {
    const auto one = [&](auto name) {
      if constexpr (decltype(name)::PER_ROW) visit(of(name), name);
    };
    (one(N()), ...);
  }

  // Before the first row.
  template <class To> LNGEN_INLINE void begin(const To& to, const Here& here) {
    const auto one = [&](auto name) {
      if constexpr (decltype(name)::PER_ROW) of(name).array = to.of(name);
    };
    (one(N()), ...);
    if constexpr (G::HOLDS_FEATURES) {
#pragma unroll
      for (int chunk = 0; chunk < G::HELD; ++chunk) {
        const int column = here.template column<G>(chunk);
        const auto feature = [&](auto name) {
          using M = decltype(name);
          if constexpr (M::KIND == FEATURES && M::THERE) of(name).held[chunk] = load<G::VECTOR>(to.of(name) + column);
        };
        if (here.template reaches<G>(chunk, column)) (feature(N()), ...);
      }
    }
  }
};

// --------------------------------------------------------------------------------------------------------- the row

// What an entry adds to the sums over rows of its column, once the text is done with it.
template <class A> struct UsedValue {
  A value;
  bool is_used = false;
};
template <class A, class N, Kind K = N::KIND> struct Addend {};
template <class A, class N> struct Addend<A, N, OVER_ROWS> : UsedValue<A> {};
template <class A, class Summed> struct Addends;
template <class A, class... N> struct Addends<A, Names<N...>> : Addend<A, N>... {
  template <class X> LNGEN_INLINE Addend<A, X>& of(X) { return *this; }
  template <class Columns> LNGEN_INLINE void add_to(Columns& columns, int entry, int column) {
    [[maybe_unused]] const auto one = [&](auto name) {
      using X = decltype(name);
      if constexpr (X::KIND == OVER_ROWS && X::THERE) {
        if (of(name).is_used) columns.template add_one<X::INDEX>(entry, column, of(name).value);
      }
    };
    (one(N()), ...);
  }
};

template <class Row> struct RowEntry {
  using A = typename Row::A;
  const Row& row;
  typename Row::Chunk& all;
  typename Row::Added& added;
  const int chunk, start, i;  // the entry is the i-th of the chunk that starts at a column

  template <class N> LNGEN_INLINE auto operator()(N name) const {
    if constexpr (!N::THERE) {
      return absent<A, typename N::Absent>();
    } else {
      auto& access = all.of(name);
      if (!access.is_used) {
        access.is_used = true;
        if constexpr (N::KIND == ROWS) access.pack = row.tile.of(name).chunk(place_in<N>(row.to), chunk, start);
        else if constexpr (N::IS_INTEGER)
          access.pack = load<Row::G::VECTOR>(row.to.of(name) + (N::IN_ROWS ? place_of<N>(row.to, row.here) : 0) + start);
        else access.pack = read<Row::G::HOLDS_FEATURES>(row.tile.of(name).held, chunk, row.to.of(name), start);
      }
      return number_of<A, N>(access.pack.entries[i]);
    }
  }
  LNGEN_INLINE A place() const { return A(start + i); }
  LNGEN_INLINE long long index() const { return start + i; }
  // The entries of a chunk that share four words share their calls, which are the same: i is known where it is unrolled.
  template <class N, class V> LNGEN_INLINE auto uniform(N, V seed) const {
    if constexpr (!N::THERE) {
      return absent<A, typename N::Absent>();
    } else {
      const int fours = Row::G::VECTOR % 4 == 0 ? start / 4 + i / 4 : (start + i) / 4;
      const int place = Row::G::VECTOR % 4 == 0 ? i % 4 : (start + i) % 4;
      const RandomWords words = random_words(row.here.row, fours, {RandomWord(seed), N::INDEX});
      return to_unit_interval(A(leading_bits(one_of(words, place))));
    }
  }
  template <class N, class V> LNGEN_INLINE void over_rows(N name, V value) const {
    if constexpr (N::THERE && !is_zero<V>) {
      added.of(name).value = A(value);
      added.of(name).is_used = true;
    }
  }
  template <class N, class V> LNGEN_INLINE void store(N name, V value) const {
    if constexpr (N::THERE) {
      all.of(name).pack.entries[i] = narrow<StoredAs<N, typename Row::T>>(A(value));
      all.of(name).is_used = true;
    }
  }
  // A GPU computes again what a processor keeps.
  template <class N, class V> LNGEN_INLINE V keep(N, V value) const { return value; }
  template <class N, class F> LNGEN_INLINE auto recall(N, F f) const { return f(); }
};

template <class G_, class To, class Numbers, class Before, class Summed, class Columns, int SCALAR_SUMS, class... N>
struct DeviceRow : Stages<G_, typename G_::A, DeviceRow<G_, To, Numbers, Before, Summed, Columns, SCALAR_SUMS, N...>> {
  using G = G_;
  using A = typename G::A;
  using T = typename G::T;
  using Chunk = LNGEN_SPACE::Chunk<G, N...>;
  using Added = Addends<A, Summed>;
  using At = RowEntry<DeviceRow>;
  const A D;
  const Before& call;
  const To& to;
  const Here& here;
  const Numbers& numbers;
  Tile<G, N...>& tile;
  Columns& columns;
  A (&all)[SCALAR_SUMS];
  A* const slots;
  int& turn;

  LNGEN_INLINE DeviceRow(A D, const Before& call, const To& to, const Here& here, const Numbers& numbers,
                         Tile<G, N...>& tile, Columns& columns, A (&all)[SCALAR_SUMS],
                         A* slots, int& turn)
      : D(D), call(call), to(to), here(here), numbers(numbers), tile(tile), columns(columns), all(all), slots(slots), turn(turn) {}

  template <class M> LNGEN_INLINE auto operator()(M name) const {
    if constexpr (!M::THERE || !M::PER_ROW) return numbers.of(name);
    else return number_of<A, M>(tile.of(name).now);
  }
  LNGEN_INLINE long long entries() const { return here.D; }
  template <class F> LNGEN_INLINE void each(F f) const {
    each_chunk<G>(here, [&](int chunk, int column) { work_on(f, chunk, column); });
  }
  // One sweep where the row is read again in each: registers are read again at no cost.
  template <int I, unsigned long long SCALED, class F, class S> LNGEN_INLINE auto max_and_sums(F f, S g) const {
    using Terms = decltype(f(*static_cast<At*>(nullptr)));
    if constexpr (G::KEEPS_ROW || !EXP_MULTIPLIES || !(Terms::NEEDED >> I & 1)) {
      return one_after_the_other<I>(*this, f, g);
    } else {
      using Sums = decltype(g(*static_cast<At*>(nullptr), A()));
      auto first = nothing_reduced<Terms, A>();
      auto second = nothing_reduced<Sums, A>();
      each_group<G>(here, [&](int start, auto is_there) {
        Chunk all[G::TOGETHER];
        const auto each_entry = [&](auto take) {
#pragma unroll
          for (int k = 0; k < G::TOGETHER; ++k) {
            if (!is_there(k)) continue;
#pragma unroll
            for (int i = 0; i < G::VECTOR; ++i) {
              Added none;
              take(At{*this, all[k], none, start + k, here.template column<G>(start + k), i});
            }
          }
        };
        const A before = first.values[I];
        each_entry([&](auto at) { f(at).add_to(first.values); });
        put_below<SCALED>(second.values, before, first.values[I]);
        const A m = finite_or_zero(first.values[I]);
        each_entry([&](auto at) { g(at, m).add_to(second.values); });
      });
      const A own = first.values[I];
      reduce_row<G, Terms::NEEDED, Terms::MAXIMA, Terms::MINIMA>(first.values, slots, turn);
      put_below<SCALED>(second.values, own, first.values[I]);
      reduce_row<G, Sums::NEEDED, 0, 0>(second.values, slots, turn);
      return both(first, second);
    }
  }
  template <class M, class V> LNGEN_INLINE void save(M name, V value) const {
    if (SAVES && here.live && here.lane == 0) to.of(name)[place_of<M>(to, here)] = A(value);
  }
  template <class M, class V> LNGEN_INLINE void store(M name, V value) const {
    if constexpr (M::THERE) {
      if (here.live && here.lane == 0) to.of(name)[place_of<M>(to, here)] = narrow<StoredAs<M, T>>(A(value));
    }
  }
  template <int K, bool WANTED, class V> LNGEN_INLINE void over_rows(Name<OVER_ALL, K, WANTED>, V value) const {
    if constexpr (WANTED) all[K] += here.live ? A(value) : A(0);
  }

 private:
  template <class F>
  LNGEN_INLINE void work_on(F& f, int chunk, int column) const {
    Chunk all;
#pragma unroll
    for (int i = 0; i < G::VECTOR; ++i) {
      Added added;
      f(At{*this, all, added, chunk, column, i});
      if constexpr (Summed::all(OVER_ROWS) > 0)
        if (here.live) added.add_to(columns, chunk * G::VECTOR + i, column + i);
    }
    all.store(to, here, chunk, column);
  }
};

// ------------------------------------------------------------------------------------------------- kernels of a layer

struct NoColumns {
  template <class A> LNGEN_INLINE NoColumns(A*, A*, const Here&) {}
  template <class A> LNGEN_INLINE void finish(A*, const Here&) {}
};

// Works on the rows of a block, and leaves its parts of the sums over rows.
template <class Layer, class G, class To, class... N> LNGEN_INLINE void work(const To& to, Names<N...>) {
  using A = typename G::A;
  using Summed = typename Layer::Summed;
  constexpr int COLUMN_SUMS = Summed::all(OVER_ROWS), SCALAR_SUMS = Summed::all(OVER_ALL);
  using Columns =
      typename Either<(COLUMN_SUMS > 0), ColumnSums<G, Summed::wanted(OVER_ROWS), COLUMN_SUMS>, NoColumns>::type;
  A* slots = reinterpret_cast<A*>(shared_memory());
  int turn = 0;
  open_row<G>();
  Here here;
  here.begin<G>();
  const A features = A(here.D);
  Numbers<A, N...> numbers;
  numbers.read(to);
  const auto before = Layer::before(Call<G, To, Numbers<A, N...>>(features, to, here, numbers, slots, turn));
  Tile<G, N...> tile;
  tile.begin(to, here);
  A* workspace = nullptr;
  if constexpr (COLUMN_SUMS + SCALAR_SUMS > 0) workspace = to.of(WORKSPACE);
  Columns columns(workspace, slots + G::SLOTS, here);
  A all[at_least(SCALAR_SUMS, 1)] = {};
  using Row = DeviceRow<G, To, Numbers<A, N...>, decltype(before), Summed, Columns,
                        at_least(SCALAR_SUMS, 1), N...>;
  each_row<G>(here, to, tile, shared_memory() + G::COPIES_AT, [&] {
    Layer::work(Row(features, before, to, here, numbers, tile, columns, all, slots, turn));
  });
  columns.finish(slots + G::SLOTS, here);
  if constexpr (SCALAR_SUMS > 0)
    finish_scalars<G, Summed::wanted(OVER_ALL)>(all, slots, workspace, COLUMN_SUMS, here);
}

// What the geometry goes by.
template <class T, class Layer>
using Needs = Demand<T, Parameter<T>, Layer::Given::count(ROWS), Layer::Given::count(FEATURES),
                     Layer::Summed::wanted(OVER_ROWS) ? Layer::Summed::all(OVER_ROWS) : 0,
                     Layer::Summed::all(OVER_ALL),
                     Layer::MOST_SUMS, Layer::CALLS, Layer::NUMBERS, Layer::RESULTS>;

template <class T, class Layer> struct RowsLaunch : Geometry<Needs<T, Layer>> {
  using Given = typename Layer::Given;
  using To = ArgumentsOf<T, Given>;
  static LNGEN_INLINE void run(const To& to) {
    work<Layer, Geometry<Needs<T, Layer>>>(to, Given());
  }
};

// ---------------------------------------------------------------------------------------- the end of the sums over rows

// A column: its totals, by where(k), and its Features.
template <class P, class A_, class To, class F> struct ColumnEntry {
  using A = A_;
  const To& to;
  const F& total;
  const int column;
  template <class N> LNGEN_INLINE auto operator()(N name) const {
    if constexpr (!N::THERE) return absent<A, typename N::Absent>();
    else if constexpr (N::KIND == OVER_ROWS) return total(N::INDEX);
    else return number_of<A, N>(to.of(name)[column]);
  }
  LNGEN_INLINE A place() const { return A(column); }
  LNGEN_INLINE long long index() const { return column; }
  template <class N, class V> LNGEN_INLINE void store(N name, V value) const {
    if constexpr (N::THERE) to.of(name)[column] = narrow<P>(A(value));
  }
};

// Totals in the workspace, in the place of the first block's parts.
template <class A> struct InWorkspace {
  const A* workspace;
  const long long stride;
  const int column;
  LNGEN_INLINE A operator()(int k) const { return workspace[k * stride + column]; }
};

template <class G, class P, class To, class Layer, class Numbers, class Totals>
struct Columns : Stages<G, typename G::A, Columns<G, P, To, Layer, Numbers, Totals>> {
  using A = typename G::A;
  using At = ColumnEntry<P, A, To, InWorkspace<A>>;
  const A D;
  const To& to;
  const int features;
  const Numbers& numbers;
  const Totals& totals;
  A* const slots;
  int& turn;

  LNGEN_INLINE Columns(A D, const To& to, int features, const Numbers& numbers, const Totals& totals, A* slots, int& turn)
      : D(D), to(to), features(features), numbers(numbers), totals(totals), slots(slots), turn(turn) {}

  template <class N> LNGEN_INLINE auto operator()(N name) const {
    if constexpr (N::KIND == OVER_ALL) return totals.of(name);
    else return numbers.of(name);
  }
  LNGEN_INLINE long long entries() const { return features; }
  template <class F> LNGEN_INLINE void each(F f) const {
    if constexpr (Layer::COLUMNS_PER_BLOCK == 0) {
      for (int column = threadIdx.x; column < features; column += G::THREADS) {
        const InWorkspace<A> total{to.of(WORKSPACE), (long long)to.of(BLOCKS) * features, column};
        f(At{to, total, column});
      }
    } else if constexpr (G::TOTALS > 0) {
      add_columns<G, Layer::Summed::wanted(OVER_ROWS)>(
          to.of(WORKSPACE), to.of(BLOCKS), features, slots + G::SLOTS, [&](int column, const A (&totals)[G::TOTALS]) {
            const auto total = [&](int k) { return totals[k]; };
            f(ColumnEntry<P, A, To, decltype(total)>{to, total, column});
          });
    } else {
      const int first = G::COLUMNS * blockIdx.x + threadIdx.x;
      for (int column = first; column < features && threadIdx.x < G::COLUMNS; column += G::COLUMNS * gridDim.x) {
        const auto total = [](int) { return Zero(); };
        f(ColumnEntry<P, A, To, decltype(total)>{to, total, column});
      }
    }
  }
  template <class N, class V> LNGEN_INLINE void store(N name, V value) const {
    if constexpr (N::THERE) {
      if (blockIdx.x == 0 && threadIdx.x == 0) *to.of(name) = narrow<P>(A(value));
    }
  }
};

// Totals of the sums over rows that are one number.
template <class A, class N, Kind K = N::KIND> struct TotalOf {};
template <class A, class N> struct TotalOf<A, N, OVER_ALL> { A value; };
template <class A, class Summed> struct Totals;
template <class A, class... N> struct Totals<A, Names<N...>> : TotalOf<A, N>... {
  template <class G, class To> LNGEN_INLINE void read(const To& to, int D, A* slots, int& turn) {
    const auto one = [&](auto name) {
      using M = decltype(name);
      if constexpr (M::KIND == OVER_ALL && M::THERE) {
        const A* parts = to.of(WORKSPACE) + (long long)to.of(BLOCKS) * (G::TOTALS * (long long)D + M::INDEX);
        static_cast<TotalOf<A, M>&>(*this).value = add_parts<G>(parts, to.of(BLOCKS), slots, turn);
      }
    };
    (one(N()), ...);
  }
  template <class M> LNGEN_INLINE auto of(M) const {
    if constexpr (M::THERE) return static_cast<const TotalOf<A, M>&>(*this).value;
    else return Zero();
  }
};

template <class A, class Given> struct NumbersAmong;
template <class A, class... N> struct NumbersAmong<A, Names<N...>> { using type = Numbers<A, N...>; };

template <class T, class Layer>
struct ColumnsLaunch
    : ColumnsGeometry<Computed<T>, Layer::Summed::all(OVER_ROWS), Layer::MOST_SUMS, Layer::COLUMNS_PER_BLOCK> {
  using A = Computed<T>;
  using Given = typename Layer::Given;
  using To = ArgumentsOf<T, Given>;
  using Numbers = typename NumbersAmong<A, Given>::type;
  using Totals = LNGEN_SPACE::Totals<A, typename Layer::Summed>;

  static LNGEN_INLINE void run(const To& to) {
    A* slots = reinterpret_cast<A*>(shared_memory());
    constexpr int features = LNGEN_D;
    int turn = 0;
    Numbers numbers;
    numbers.read(to);
    Totals totals;
    totals.template read<ColumnsLaunch>(to, features, slots, turn);
    if constexpr (Layer::COLUMNS_PER_BLOCK == 0 && ColumnsLaunch::TOTALS > 0) {
      add_columns<ColumnsLaunch, Layer::Summed::wanted(OVER_ROWS)>(
          to.of(WORKSPACE), to.of(BLOCKS), features, slots + ColumnsLaunch::SLOTS,
          [&](int column, const A (&totals)[ColumnsLaunch::TOTALS]) {
#pragma unroll
            for (int k = 0; k < ColumnsLaunch::TOTALS; ++k)
              to.of(WORKSPACE)[k * (long long)to.of(BLOCKS) * features + column] = totals[k];
          });
      __syncthreads();
    }
    Layer::work(Columns<ColumnsLaunch, Parameter<T>, To, Layer, Numbers, Totals>(A(features), to, features, numbers, totals, slots, turn));
  }
};

template <class T, class Layer>
using Launch = typename Either<Layer::ENDS_SUMS, ColumnsLaunch<T, Layer>, RowsLaunch<T, Layer>>::type;

}  // namespace lngen::LNGEN_SPACE

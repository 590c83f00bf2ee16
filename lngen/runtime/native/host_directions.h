// SPDX-License-Identifier: MIT
// The driver of every layer on a processor: it sweeps over rows and columns, reduces and stores; a layer's text
// (layer.h) says what of. The text is a function of a row, which has
//
//     row(NAME), row.D                a number of the row or of the call
//     row.sums(f), row.means(f)       f(at) gives terms(...) of an entry; their sums over the row, or those by D
//     row.reduce(f), row.firsts(f)    the same with largest and least among them; places of the least, the first of equals
//     row.each(f)                     a stage without a reduction
//     row.max_and_sums<I, SCALED>(f, g)  row.reduce(f) and then the sums of g(at, m) for m, the largest of the I-th value
//     row.save(NAME, v), row.store(NAME, v), row.over_rows(NAME, v)
//     row.call                        what Layer::before has made of the arguments that are the same for all rows
//     at(NAME), at.place()            an entry of a row or a Feature, lanes of them; its place in the row
//     at.index(), row.entries()       the same place and the length of the row as integers
//     at.uniform(NAME, seed)          random numbers of the entry, which go by the row's number and the place
//     at.store(NAME, v), at.over_rows(NAME, v)
//     at.keep(NAME, v), at.recall(NAME, f)    v, which a later stage reads in the place of f()

#include "simd_random.h"

#include "../cpp/absence.h"
// Of the layer; each needs those before it.
#include "host_rows.h"
#include "../cpp/names.h"
#include "host_places.h"

namespace lngen::LNGEN_SPACE {

// The arguments of a kernel out of the pointers, the numbers and the sizes that it is passed.
struct Passed {
  void* const* arrays;
  const double* numbers;
  const long long* sizes;

  template <class V, Kind KIND, int INDEX> V next() {
    if constexpr (KIND == NUMBER) return V(*numbers++);
    else if constexpr (KIND == LONG) return sizes[0];
    else if constexpr (KIND == INT) return int(sizes[1 + INDEX]);
    else return static_cast<V>(*arrays++);
  }
};
template <class To, class... N> To arguments(Passed from, Names<N...>) {
  return {{from.next<decltype(To().of(N())), N::KIND, N::INDEX>()}...};
}

// ---------------------------------------------------------------------------------------------- stages

template <class S, class N, class T> LNGEN_INLINE auto number_of(T value) {
  if constexpr (N::IS_INTEGER) return (long long)value;
  else return widen<S>(value);
}
// Entries of an array from a column on.
template <class S, class N, class T, class W> LNGEN_INLINE auto entries_at(const T* from, W width) {
  if constexpr (N::IS_INTEGER) return read_integers<S>(from, width);
  else return read<S>(from, width);
}

// Entries of some columns, of the rows or the columns that `Of` works on.
template <class Of, class W> struct Entry {
  using S = typename Of::A;
  using A = Lanes<S>;
  const Of& of;
  const int column;
  const W width;

  template <class N> LNGEN_INLINE auto operator()(N name) const {
    if constexpr (N::THERE) return of.lanes(name, column, width);
    else return absent<A, typename N::Absent>();
  }
  template <class N, class V> LNGEN_INLINE void store(N name, const V& value) const {
    if constexpr (N::THERE) of.put(name, column, width, A(value));
  }
  template <class N, class V> LNGEN_INLINE void over_rows(N name, const V& value) const {
    if constexpr (N::THERE && !is_zero<V>) of.add(name, column, width, A(value));
  }
  template <class N, class V> LNGEN_INLINE auto keep(N name, const V& value) const {
    if constexpr (!is_known<V>) write(of.kept(name) + column, width, A(value));
    return value;
  }
  template <class N, class F> LNGEN_INLINE auto recall(N name, const F& compute) const {
    if constexpr (is_known<decltype(compute())>) return compute();
    else return read<S>(of.kept(name) + column, width);
  }
  LNGEN_INLINE A place() const { return counting<S>() + A(column); }
  LNGEN_INLINE Wholes<S> index() const { return Wholes<S>::counting() + Wholes<S>(column); }
  template <class N, class V> LNGEN_INLINE auto uniform(N, V seed) const {
    if constexpr (N::THERE) return random_lanes<S>(of.row, column, {RandomWord(seed), N::INDEX});
    else return absent<A, typename N::Absent>();
  }
};

// What rows, columns and calls have alike: stages over D columns.
template <class Self, class S> struct Stages {
  using A = S;
  const S D;
  const int columns;

  LNGEN_INLINE Stages(int D) : D(D), columns(D) {}

  template <class W> LNGEN_INLINE Entry<Self, W> entry(int column, W width) const {
    return {static_cast<const Self&>(*this), column, width};
  }
  template <class F> LNGEN_INLINE void each(const F& f) const {
    const Self& self = static_cast<const Self&>(*this);
    each_lanes<S>(columns, [&](int column, auto width) __attribute__((always_inline)) {
      self.ahead(column);
      f(entry(column, width));
    });
  }
  template <class F> LNGEN_INLINE auto reduce(const F& f) const {
    using Terms = decltype(f(entry(0, Whole())));
    Found<S, Terms::NEEDED, Terms::COUNT> found;
    if constexpr (Terms::NEEDED) {
      sweep<Terms::MAXIMA, Terms::MINIMA>(
          columns, found.values,
          [&](int column, auto width, auto& lanes) __attribute__((always_inline)) { f(entry(column, width)).add_to(lanes); });
    } else {
      each(f);
    }
    return found;
  }
  template <class F> LNGEN_INLINE auto sums(const F& f) const { return reduce(f); }
  template <class F> LNGEN_INLINE auto means(const F& f) const {
    auto found = reduce(f);
    for (S& value : found.values) value = math::quotient(value, D);
    return found;
  }
  template <class F> LNGEN_INLINE auto firsts(const F& f) const {
    using Terms = decltype(f(entry(0, Whole())));
    Found<S, Terms::NEEDED, Terms::COUNT> found;
    sweep_first<Terms::COUNT>(
        columns, found.values,
        [&](int column, auto width, auto& least, auto& places) __attribute__((always_inline)) {
          const auto at = entry(column, width);
          f(at).each([&](const auto& distance, int k) __attribute__((always_inline)) {
            nearest(least[k], places[k], Lanes<S>(distance), at.place());
          });
        });
    return found;
  }
  template <int I, unsigned long long SCALED, class F, class G> LNGEN_INLINE auto max_and_sums(const F& f, const G& g) const {
    return one_after_the_other<I>(static_cast<const Self&>(*this), f, g);
  }
  LNGEN_INLINE void ahead(int) const {}
  LNGEN_INLINE long long entries() const { return columns; }
};

// ---------------------------------------------------------------------------------------------- a call, a row, columns

template <class S, class To> struct Call : Stages<Call<S, To>, S> {
  const To& to;

  LNGEN_INLINE Call(const To& to) : Stages<Call, S>(to.of(LNGEN_SPACE::D)), to(to) {}

  template <class N> LNGEN_INLINE auto operator()(N name) const {
    if constexpr (!N::THERE) return absent<S, typename N::Absent>();
    else if constexpr (N::KIND == NUMBER) return to.of(name);
    else return number_of<S, N>(*to.of(name));
  }
  template <class N, class W> LNGEN_INLINE auto lanes(N name, int column, W width) const {
    return entries_at<S, N>(to.of(name) + column, width);
  }
};

// Sums over the rows of a chunk.
template <class S, class Summed> struct Sums {
  static constexpr int COLUMNS = Summed::all(OVER_ROWS), SCALARS = Summed::all(OVER_ALL);
  ColumnSums<S> columns;
  typename Wide<S>::type scalars[SCALARS + 1] = {};

  LNGEN_INLINE Sums(S* workspace, int D) : columns(workspace, COLUMNS * column_entries(D)) {}
  LNGEN_INLINE void end_row() {
    if constexpr (COLUMNS > 0) columns.end_row();
  }
  LNGEN_INLINE void end(S* workspace, int D) {
    if constexpr (COLUMNS > 0) columns.end();
    for (int k = 0; k < SCALARS; ++k) workspace[chunk_entries(COLUMNS, 0, D) + k] = S(scalars[k]);
  }
};

// What does not change from row to row.
template <class S, class To, class Before, class Given> struct Rows {
  using Places = LNGEN_SPACE::Places<Given>;
  using Starts = LNGEN_SPACE::Starts<Given>;
  const To& to;
  const Before call;
  S* const kept;
  const bool streams;
  const Places& places;
  const RunRows<S> of_runs;

  // What comes before and after the work on a row that has runs.
  void begin_runs(long long row) const {
    const Starts starts(places, row, of_runs.D);
    to.each([&](auto name, auto array) {
      if constexpr (is_of_runs(name)) of_runs.write_out(name, array + starts.of(name));
    });
  }
  void end_runs(long long row) const {
    const Starts starts(places, row, of_runs.D);
    to.each([&](auto name, auto array) {
      if constexpr (is_summed_by_run(name)) of_runs.add_up(name, reinterpret_cast<S*>(array) + starts.of(name));
    });
  }
};

template <class S, class Of, class Summed> struct HostRow : Stages<HostRow<S, Of, Summed>, S> {
  const Of& of;
  const decltype(Of::call)& call;
  Sums<S, Summed>& sums_over_rows;
  const long long row;
  const typename Of::Starts starts;
  // Of the sums into columns; here, since a compiler has to read again what a store may have changed.
  S* const recent;
  const bool is_first;

  LNGEN_INLINE HostRow(const Of& of, Sums<S, Summed>& sums, int D, long long row)
      : Stages<HostRow, S>(D), of(of), call(of.call), sums_over_rows(sums), row(row),
        starts(of.places, row, D), recent(sums.columns.recent), is_first(sums.columns.rows == 0) {}

  template <class N> LNGEN_INLINE auto operator()(N name) const {
    if constexpr (!N::THERE) return absent<S, typename N::Absent>();
    else if constexpr (N::KIND == NUMBER) return of.to.of(name);
    else if constexpr (N::KIND == SCALAR || N::KIND == INTEGER) return number_of<S, N>(*of.to.of(name));
    else return number_of<S, N>(of.to.of(name)[starts.of(name)]);
  }
  template <class N, class V> LNGEN_INLINE void save(N name, const V& value) const {
    of.to.of(name)[starts.of(name)] = S(value);
  }
  template <class N, class V> LNGEN_INLINE void store(N name, const V& value) const {
    if constexpr (N::THERE) of.to.of(name)[starts.of(name)] = narrow<StoredAs<N, Row>>(S(value));
  }
  template <class N, class V> LNGEN_INLINE void over_rows(N, const V& value) const {
    if constexpr (N::THERE && !is_zero<V>) sums_over_rows.scalars[N::INDEX] += S(value);
  }

  template <class N, class W> LNGEN_INLINE auto lanes(N name, int column, W width) const {
    const auto* const from = of.to.of(name);
    if constexpr (is_of_runs(name)) return read<S>(of.of_runs.of(name) + column, width);
    else if constexpr (N::IN_ROWS) return entries_at<S, N>(from + starts.of(name) + column, width);
    else return entries_at<S, N>(from + column, width);
  }
  template <class N, class W> LNGEN_INLINE void put(N name, int column, W width, const Lanes<S>& value) const {
    if constexpr (is_summed_by_run(name)) {
      write(of.of_runs.of(name) + column, width, value);
    } else if constexpr (is_wide(name)) {
      write(reinterpret_cast<S*>(of.to.of(name)) + starts.of(name) + column, width, value);
    } else {
      auto* const array = of.to.of(name);
      // The same for all entries of a row, so that a compiler makes a loop for each case, and fuses the same products.
      const bool streams = of.streams && is_even(array + starts.of(name), this->columns);
      write_once(array + starts.of(name) + column, width, value, streams);
    }
  }
  template <class N, class W> LNGEN_INLINE void add(N, int column, W width, const Lanes<S>& value) const {
    S* const to = recent + N::INDEX * column_entries(this->columns) + column;
    write(to, width, is_first ? value : read<S>(to, width) + value);
  }
  template <class N> LNGEN_INLINE S* kept(N) const { return of.kept + (long long)N::INDEX * this->columns; }
  // The next row comes from memory while this one is stored past the caches.
  LNGEN_INLINE void ahead(int column) const {
    if (of.streams) of.to.each([&](auto name, auto array) __attribute__((always_inline)) {
      if constexpr (decltype(name)::KIND == ROWS && decltype(name)::THERE) prefetch(array + starts.of(name) + this->columns + column);
    });
  }
};

// The sums over all rows, from those of the chunks.
template <class S, class To, class Summed> struct Totals : Stages<Totals<S, To, Summed>, S> {
  static constexpr int COLUMNS = Summed::all(OVER_ROWS), SCALARS = Summed::all(OVER_ALL);
  const To& to;
  const S* const workspace;
  const long long chunks, entries;

  LNGEN_INLINE Totals(const To& to, long long chunks)
      : Stages<Totals, S>(to.of(LNGEN_SPACE::D)), to(to), workspace(first_line(to.of(WORKSPACE))), chunks(chunks),
        entries(chunk_entries(COLUMNS, SCALARS, this->columns)) {}

  template <class N> LNGEN_INLINE auto operator()(N name) const {
    if constexpr (!N::THERE) return absent<S, typename N::Absent>();
    else if constexpr (N::KIND == NUMBER) return to.of(name);
    else if constexpr (N::KIND == SCALAR || N::KIND == INTEGER) return number_of<S, N>(*to.of(name));
    else return scalar_total(workspace, chunks, entries, chunk_entries(COLUMNS, 0, this->columns) + N::INDEX);
  }
  template <class N, class V> LNGEN_INLINE void store(N name, const V& value) const {
    if constexpr (N::THERE) *to.of(name) = narrow<Parameter>(S(value));
  }
  template <class N, class W> LNGEN_INLINE auto lanes(N name, int column, W width) const {
    if constexpr (N::KIND == FEATURES || N::KIND == INTEGER_FEATURES) return entries_at<S, N>(to.of(name) + column, width);
    else return column_total(workspace, chunks, entries, N::INDEX * column_entries(this->columns) + column, width);
  }
  template <class N, class W> LNGEN_INLINE void put(N name, int column, W width, const Lanes<S>& value) const {
    write(to.of(name) + column, width, value);
  }
};

// ---------------------------------------------------------------------------------------------- kernels

template <class Layer, class S, class To>
void over_chunks(const To& to, const Places<typename Layer::Given>& places, const Work& on, bool streams) {
  using Summed = typename Layer::Summed;
  using Rows = LNGEN_SPACE::Rows<S, To, decltype(Layer::before(Call<S, To>(to))), typename Layer::Given>;
  constexpr int COLUMNS = Summed::all(OVER_ROWS), SCALARS = Summed::all(OVER_ALL);
  const Scratch<S> kept((long long)Layer::KEEPS * on.D);
  const Scratch<S> of_runs(RunRows<S>::entries_of(on.D));
  const Rows rows{to, Layer::before(Call<S, To>(to)), kept.entries, streams, places, {of_runs.entries, on.D, places.run}};
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* workspace = nullptr;
    if constexpr (COLUMNS + SCALARS > 0)
      workspace = first_line(to.of(WORKSPACE)) + chunk * chunk_entries(COLUMNS, SCALARS, on.D);
    Sums<S, Summed> sums(workspace, on.D);
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      if constexpr (LNGEN_OF_RUNS != 0) rows.begin_runs(i);
      Layer::work(HostRow<S, Rows, Summed>(rows, sums, on.D, i));
      sums.end_row();
      if constexpr (LNGEN_SUMMED_BY_RUN != 0) rows.end_runs(i);
    }
    sums.end(workspace, on.D);
  }
  fence();
}

// Flattened: what is computed of an entry is part of the loop over entries, and addresses stay in registers.
template <class Layer> __attribute__((flatten)) void kernel(void* const* arrays, const double* numbers, const long long* sizes) {
  using To = Arguments<Row, Parameter, Computed, typename Layer::Given>;
  const To to = arguments<To>(Passed{arrays, numbers, sizes}, typename Layer::Given());
  const Places<typename Layer::Given> places(arrays, sizes);
  const Work on{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]};
  if constexpr (Layer::ENDS_SUMS) Layer::work(Totals<Computed, To, typename Layer::Summed>(to, on.chunks));
  else over_chunks<Layer, Computed>(to, places, on, sizes[5]);
}

}  // namespace lngen::LNGEN_SPACE

#define LNGEN_KERNEL(NAME, LAYER)                                                                           \
  extern "C" void LNGEN_OWN(NAME)(void* const* arrays, const double* numbers, const long long* sizes) {     \
    lngen::LNGEN_SPACE::kernel<lngen::LNGEN_SPACE::LAYER>(arrays, numbers, sizes);                          \
  }

// SPDX-License-Identifier: MIT
// Calls of kernels on symbolic numbers: what launchers promise, and a layer that makes every access that there is.
//
// Macros: those of rows.cuh for LNGEN_AXES and with it, and ANY_D if kernels do not know the length of a row.
#include "layer_rows.cuh"

using namespace symbolic;

namespace lngen {

constexpr long long MOST_ROWS = 1ll << 40, MOST_BYTES = 1ll << 60, MOST_BLOCKS = 1 << 30;

#ifdef LNGEN_AXES
constexpr int AXES = LNGEN_AXES;
#endif

// A call: its sizes, and arrays that are as long as the launcher checks.
struct Made {
  I64 rows = I64::symbol("rows");
  I32 D, blocks = I32::symbol("blocks");
#ifdef LNGEN_AXES
  I64 sizes[AXES];
#endif
#if LNGEN_SUMMED
  I64 run = I64::symbol("run"), blocks_of_run = I64::symbol("blocks_of_run");
#endif
};
inline Made* made;

template <class T, int V, class N> auto argument(N name) {
  using Type = Passing<N, T, Parameter<T>, Computed<T>>;
  const std::string said = text_of(N::KIND) + (N::INDEX ? " " + std::to_string(N::INDEX) : "");
  const auto array_of = [&](auto pointer, const I64& entries, int aligned) {
    using X = std::decay_t<decltype(*pointer)>;
    return symbolic::array<X>(said, entries, aligned * int(sizeof(X)) < 16 ? aligned * int(sizeof(X)) : 16);
  };
  if constexpr (N::KIND == NUMBER) return Type(0);
  else if constexpr (N::KIND == LONG) return made->rows;
  else if constexpr (N::KIND == INT) return N::INDEX ? made->blocks : made->D;
  else if constexpr (N::KIND == FEATURES || N::KIND == INTEGER_FEATURES || N::KIND == FEATURES_OUT)
    return array_of(Type(), made->D, V);
  else if constexpr (N::KIND == SCALAR || N::KIND == INTEGER || N::KIND == SCALARS_OUT) return array_of(Type(), 1, 1);
  else if constexpr (N::KIND == PARTS) return Type();
#ifndef LNGEN_AXES
  else if constexpr (N::IN_ROWS) return array_of(Type(), made->rows * made->D, V);
  else return array_of(Type(), made->rows, 1);
#else
  else {
    const I64 entries = I64::symbol("entries of " + said);
    assume(entries >= 0), assume(entries <= MOST_BYTES / 8);
    return array_of(Type(), entries, N::IN_ROWS ? V : 1);
  }
#endif
}

#ifdef LNGEN_AXES
// Rows of an array are as far apart as the launcher says, and the last of them ends where the array does.
template <int V, class Given> void set_places(Places<Given>& places, const Made& call);
template <int V, class... N> void set_places_of(Places<Names<N...>>& places, const Made& call, const auto& to) {
  for (int axis = 0; axis < AXES; ++axis) places.numbers[axis] = call.sizes[axis];
  int place = 1;
  const auto one = [&](auto name) {
    using M = decltype(name);
    if constexpr (M::IN_ROWS || M::OF_ROWS) {
      const std::string said = std::string(text_of(M::KIND)) + " " + std::to_string(M::INDEX);
      I64 last = 0;
      for (int axis = 0; axis < AXES; ++axis) {
        I64 step = I64::symbol("step " + std::to_string(axis) + " of " + said);
        assume(step >= 0), assume(step <= MOST_BYTES);
        if (M::IN_ROWS && V > 1) assume(step % V == 0);
        places.numbers[place * AXES + axis] = step;
        last += (call.sizes[axis] - 1) * step;
      }
      I64 row = M::IN_ROWS ? I64(call.D) : I64(1);
#if LNGEN_SEGMENT
      if (M::KIND == ROWS || M::KIND == ROWS_OUT) {
        constexpr bool IS_ONE = IS_OF_SEGMENT<M> || BySegment<M>::IS_SUM;
        // In accesses, where there are such.
        const I64 apart = I64::symbol("apart in " + said) * (IS_ONE ? 1 : V);
        assume(apart >= 0), assume(apart <= MOST_BYTES);
        places.numbers[(1 + Places<Names<N...>>::ARRAYS) * AXES + place - 1] = apart;
        row = (call.D / LNGEN_SEGMENT - 1) * apart + (IS_ONE ? 1 : LNGEN_SEGMENT);
      }
#endif
      ++place;
      const auto pointer = to.of(name);
      using X = std::decay_t<decltype(*pointer)>;
      assume((last + row) * int(sizeof(X)) <= I64::of(arrays[pointer.array].bytes));
    }
  };
  (one(N()), ...);
#if LNGEN_SUMMED
  for (int axis = 0; axis < AXES; ++axis) places.of_number[axis] = I64::symbol("number " + std::to_string(axis));
  places.run = call.run, places.blocks_of_run = call.blocks_of_run;
#endif
}
#endif

// ------------------------------------------------------------------------------------------------------------- a layer

constexpr Name<ROWS, 0> X;
constexpr Name<ROWS, 1> X1;
constexpr Name<INTEGER_ROWS, 0> LABELS;
constexpr Name<FEATURES, 0> GAMMA;
constexpr Name<INTEGER_FEATURES, 0> KINDS;
constexpr Name<SAVED, 0> RSTD;
constexpr Name<ROW_NUMBERS, 0> SCALE;
constexpr Name<ROW_INTEGERS, 0> LABEL;
constexpr Name<SCALAR, 0> FACTOR;
constexpr Name<INTEGER, 0> SEED;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<ROWS_OUT, 1> BYTES_OUT;
constexpr Name<ROW_NUMBERS_OUT, 0> LOSS;
constexpr Name<SAVED_OUT, 0> MU;
constexpr Name<FEATURES_OUT, 0> DGAMMA;
constexpr Name<SCALARS_OUT, 0> DFACTOR;
constexpr Name<OVER_ROWS, 0> COLUMN_SUM;
constexpr Name<OVER_ROWS, 1> COLUMN_SUM1;
constexpr Name<OVER_ALL, 0> TOTAL;
constexpr Name<OVER_ALL, 1> TOTAL1;

// Reads and writes what a row has.
struct Reading : Direction<decltype(names(X, X1, LABELS, GAMMA, KINDS, RSTD, SCALE, LABEL, FACTOR, SEED, EPS, Y, LOSS, MU, ROW_COUNT, D)),
                           decltype(over_rows()), 2, 0, 7, 1> {
  template <class Call> static auto before(const Call& call) {
    call.each([&](auto at) { at(GAMMA), at(KINDS); });
    return terms();
  }
  template <class Row> static void work(const Row& row) {
    row(RSTD), row(SCALE), row(LABEL), row(FACTOR), row(SEED), row(EPS);
    row.each([&](auto at) {
      at(X), at(LABELS), at(GAMMA), at(KINDS);
      at.store(Y, typename Row::A(0));
    });
    using G = typename Row::G;
    if constexpr (!G::KEEPS_ROW) each_group<G>(row.here, [&](const I32& start, auto is_there) {
      for (int k = 0; k < G::TOGETHER; ++k)
        if (is_there(k)) row.tile.of(X).chunk(place_in<decltype(X)>(row.to), start + k, row.here.template column<G>(start + k));
    });
    row.store(LOSS, typename Row::A(0));
    row.save(MU, typename Row::A(0));
  }
};
// Reads and writes rows and numbers of rows, where they lie.
struct Placed : Direction<decltype(names(X, RSTD, Y, MU, ROW_COUNT, D)), decltype(over_rows()), 2, 0, 7, 1> {
  template <class Row> static void work(const Row& row) {
    row(RSTD);
    row.each([&](auto at) { at(X), at.store(Y, typename Row::A(0)); });
    row.save(MU, typename Row::A(0));
  }
};
// Reads and writes rows in segments, of which X1 has one entry for each, and BYTES_OUT a sum.
struct Segmented : Direction<decltype(names(X, X1, Y, BYTES_OUT, ROW_COUNT, D)), decltype(over_rows()), 2, 0, 7, 1> {
  template <class Row> static void work(const Row& row) {
    row.each([&](auto at) {
      at(X), at(X1);
      at.store(Y, typename Row::A(0)), at.store(BYTES_OUT, typename Row::A(0));
    });
  }
};
// Adds up over rows.
struct Summing : Direction<decltype(names(X, Y, WORKSPACE, ROW_COUNT, D)), decltype(over_rows(COLUMN_SUM, COLUMN_SUM1, TOTAL, TOTAL1)), 2, 0, 7, 1> {
  template <class Row> static void work(const Row& row) {
    row.each([&](auto at) {
      at.over_rows(COLUMN_SUM, typename Row::A(0));
      at.over_rows(COLUMN_SUM1, typename Row::A(0));
      at.store(Y, typename Row::A(0));
    });
    row.over_rows(TOTAL, typename Row::A(0));
    row.over_rows(TOTAL1, typename Row::A(0));
  }
};
// The end of the sums; a block takes columns in turn, or one takes all.
template <int COLUMNS> struct Ending : ColumnsOf<Summing, decltype(names(WORKSPACE, BLOCKS, GAMMA, FACTOR, DGAMMA, DFACTOR, D)), 2, COLUMNS> {
  template <class Row> static void work(const Row& row) {
    row.each([&](auto at) {
      at(COLUMN_SUM), at(COLUMN_SUM1), at(GAMMA);
      at.store(DGAMMA, typename Row::A(0));
    });
    row(TOTAL), row(FACTOR);
    row.store(DFACTOR, typename Row::A(0));
  }
};

template <class To, class T, int V, class... N> To arguments_of(Names<N...>) {
  const Given given;
#ifdef LNGEN_AXES
  To to{{{argument<T, V>(N())}...}};
  set_places_of<V>(to.places, *made, to);
#else
  To to{{argument<T, V>(N())}...};
#endif
  return to;
}

// ------------------------------------------------------------------------------------------------------------- a call

// Sizes of a call of which a block of so many rows is one.
inline void begin_call(Made& call, int V) {
  const Given given;
  made = &call;
  arrays.clear();
  assume(call.rows >= 1), assume(call.rows <= MOST_ROWS);
  const I32 accesses = I32::symbol(V == 1 ? "D" : "D / " + std::to_string(V));
  // Whatever an access has divides a row, so that D is no symbol of its own.
  call.D = LNGEN_SEGMENT ? accesses * LNGEN_SEGMENT : accesses * V;
  assume(accesses >= 1), assume(call.D <= MOST_FEATURES);
  assume(call.rows * call.D <= MOST_BYTES / 64);
  assume(call.blocks >= 1), assume(call.blocks <= MOST_BLOCKS);
  gridDim.x = U32::symbol("gridDim"), blockIdx.x = U32::symbol("blockIdx"), threadIdx.x = U32::symbol("threadIdx");
  assume(blockIdx.x < gridDim.x), assume(gridDim.x <= MOST_BLOCKS);
#ifdef ANY_D
  fixed_D = 0;
#else
  fixed_D = call.D;
  assume(fixed_D > 0);
#endif
#ifdef LNGEN_AXES
  I64 all = 1;
  for (int axis = AXES - 1; axis >= 0; --axis) {
    call.sizes[axis] = I64::symbol("size " + std::to_string(axis));
    assume(call.sizes[axis] >= 1);
    all = axis == AXES - 1 ? call.sizes[axis] : I64::of(operation("multiply", all.id, call.sizes[axis].id));
  }
  assume(call.rows == all);
#endif
}

#ifdef LNGEN_AXES
// What `divided` gives: symbolic::quotient_and_rest takes its place where it is called.
inline void divided_call() {
  I64 number, before;
  const I64 size = I64::symbol("size");
  {
    const Given given;
    before = number = I64::symbol("number");
    assume(number >= 0), assume(size >= 1);
  }
  const I64 rest = divided(number, size);
  claimed("a rest is not negative", [&] { return rest >= 0; });
  claimed("a rest is less", [&] { return rest < size; });
  claimed("a quotient is not negative", [&] { return number >= 0; });
  claimed("quotient and rest", [&] { return before == number * size + rest; });
}
#endif

template <class Layer> struct Of {
  static constexpr int ROWS = ones(Layer::Given::wanted(lngen::ROWS) & ~(0ull + LNGEN_OF_SEGMENT)),
                       SUMS = RUN_SUMS + Layer::Summed::all(OVER_ROWS), SCALARS = Layer::Summed::all(OVER_ALL),
                       SEGMENT = LNGEN_SEGMENT, SEGMENT_SUMS = lngen::SEGMENT_SUMS;
};
template <class Layer, class T, class G> void rows_call() {
  Made call;
  begin_call(call, G::VECTOR);
  G::begin(Of<Layer>(), call.D);
  shared = symbolic::array<unsigned char>("shared memory", G::SHARED_BYTES, 16);
  assume(threadIdx.x < G::THREADS);
#if LNGEN_SUMMED
  {
    const Given given;
    const I64 runs = I64::symbol("runs");
    assume(runs >= 1), assume(call.run >= 1), assume(call.blocks_of_run >= 1);
    assume(call.rows == runs * call.run), assume(gridDim.x == runs * call.blocks_of_run);
  }
#endif
  using To = ArgumentsOf<T, typename Layer::Given>;
  To to = arguments_of<To, T, G::VECTOR>(typename Layer::Given());
  constexpr int COLUMNS = RUN_SUMS + Layer::Summed::all(OVER_ROWS), SCALARS = Layer::Summed::all(OVER_ALL);
  // As kernels.py reserves it.
  Pointer<Computed<T>> workspace;
  {
    const Given given;
    const I64 parts = I64(gridDim.x) * (COLUMNS * I64(call.D) + SCALARS);
    assume(parts <= MOST_BYTES / 8);
    workspace = symbolic::array<Computed<T>>("workspace", parts, 16);
  }
#if LNGEN_SUMMED
  to.parts_of_runs = workspace;
#else
  if constexpr (COLUMNS + SCALARS > 0) static_cast<Argument<std::decay_t<decltype(WORKSPACE)>, Pointer<Computed<T>>>&>(to).value = workspace;
#endif
  work<Layer, G>(to, typename Layer::Given(), [](const auto&, auto) {});
}


// The second kernel, on the workspace that the first one left.
template <class Launch, class T> void columns_call() {
  Made call;
  begin_call(call, 1);
  const int sums = Launch::TOTALS;
  assume(threadIdx.x < Launch::THREADS);
  shared = symbolic::array<unsigned char>("shared memory", Launch::SHARED_BYTES, 16);
  auto to = arguments_of<typename Launch::To, T, 1>(typename Launch::Given());
  {
    const Given given;
    const I64 parts = I64(call.blocks) * (sums * I64(call.D) + Summing::Summed::all(OVER_ALL));
    assume(parts <= MOST_BYTES / 8);
    static_cast<Argument<std::decay_t<decltype(WORKSPACE)>, Pointer<Computed<T>>>&>(to).value =
        symbolic::array<Computed<T>>("workspace", parts, 16);
    if (Launch::ROWS > 0) assume(gridDim.x == (call.D + Launch::ROWS - 1) / Launch::ROWS);
    else assume(gridDim.x == 1);
  }
  Launch::run(to);
}

#if LNGEN_SUMMED
// The sums over runs, which kernels.py launches by columns for each run.
template <class T> void ends_call() {
  using Ends = EndsOfRuns<T, Summing>;
  Made call;
  begin_call(call, 1);
  assume(threadIdx.x < Ends::THREADS);
  shared = symbolic::array<unsigned char>("shared memory", Ends::SHARED_BYTES, 16);
  auto to = arguments_of<typename Ends::To, T, 1>(typename Summing::Given());
  {
    const Given given;
    const I64 runs = I64::symbol("runs"), columns = I64::symbol("columns of a run");
    assume(columns * Ends::COLUMNS >= call.D), assume((columns - 1) * Ends::COLUMNS < call.D);
    assume(runs >= 1), assume(call.run >= 1), assume(call.blocks_of_run >= 1), assume(call.blocks_of_run <= MOST_BLOCKS);
    assume(call.rows == runs * call.run), assume(gridDim.x == runs * columns);
    to.parts_of_runs = symbolic::array<Computed<T>>(
        "workspace", runs * call.blocks_of_run * ((RUN_SUMS + Summing::Summed::all(OVER_ROWS)) * I64(call.D) + Summing::Summed::all(OVER_ALL)), 16);
    assume(I64::of(arrays.back().bytes) <= MOST_BYTES);
  }
  Ends::run(to);
}
#endif

}  // namespace lngen

int main() {
  using namespace lngen;
#include "calls.h"
}

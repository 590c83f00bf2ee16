// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
// Evidence: 1 output, 35 steps, 30 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// forward:
//     m = max(scale*x)
//     e_shifted = exp(scale*x - m)
//     Z = sum(e_shifted)
//     inv_Z = 1/Z
//     y = inv_Z*e_shifted
// backward:
//     du = y*(dy - sum(dy*y))
//     dx = scale*du
//     dscale = sum_rows(sum(du*x))
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, const Parameter* scale, Row* out_y, Computed* save_m, Computed* save_inv_Z,
//         long long rows, int D)
//     backward_<type>(const Row* x, const Row* dy, const Computed* m, const Computed* inv_Z, const Parameter*
//         scale, Row* out_dx, Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* scale, Parameter* out_dscale, int
//         D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_scale    scale is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

#ifdef LNGEN_WITHOUT_scale
constexpr bool HAS_scale = false;
#else
constexpr bool HAS_scale = true;
#endif

}  // namespace lngen

// ================================================================================================ forward

namespace lngen {
namespace forward {

constexpr bool READS_x = true;
constexpr bool READS_scale = HAS_scale;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const P* scale;
  T* out_y;
  A* save_m;
  A* save_inv_Z;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A scale;
  A m;
  A Z_;
  A inv_Z;
};

// Stage 1 of 3: m = max(x*scale)
template <class A, class S>
LNGEN_INLINE void m(A x, const Scalars<S>& row, A (&sums)[1]) {
  const A scale = row.scale;
  sums[0] = larger(sums[0], x*scale);  // step 1: m
}

template <class A>
LNGEN_INLINE void after_m(Scalars<A>& row, const A (&sums)[1]) {
  const A m = finite_or_zero(sums[0]);  // step 1: max(x*scale)
  row.m = m;
}

// Stage 2 of 3: Z_ = sum(e_shifted)
template <class A, class S>
LNGEN_INLINE void Z_(A x, const Scalars<S>& row, A (&sums)[1], A& kept_e_shifted) {
  const A m = row.m, scale = row.scale;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  sums[0] += e_shifted;  // step 4: Z_
  kept_e_shifted = e_shifted;
}

template <class A>
LNGEN_INLINE void after_Z(Scalars<A>& row, const A (&sums)[1]) {
  const A Z_ = sums[0];  // step 4: sum(e_shifted)
  const A inv_Z = A(1) / Z_;  // step 5
  row.Z_ = Z_;
  row.inv_Z = inv_Z;
}

// Stage 3 of 3
template <class A, class S>
LNGEN_INLINE void stage_3(A e_shifted, const Scalars<S>& row, A& out_y) {
  const A inv_Z = row.inv_Z;
  const A y = e_shifted*inv_Z;  // step 6
  out_y = y;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  row.scale = READS_scale ? *to.scale : A(1);
  return row;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool streams) {
  using A = S;
  const int D = to.D;
  const Scalars<S> call = of_the_call(to);
  const bool streams_y = streams && is_even(to.out_y, D);
  Scratch<S> kept(1ll * D);
  S* const kept_e_shifted = kept.entries + 0ll * D;
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      {
        S sums[1];
        sweep<1, 0>(D, sums, {-infinity<A>()}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          m(x, row, lanes);
        });
        after_m(row, sums);
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          A now_e_shifted;
          Z_(x, row, lanes, now_e_shifted);
          write(kept_e_shifted + column, width, now_e_shifted);
        });
        after_Z(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          const A e_shifted = read<S>(kept_e_shifted + column, width);
          A out_y;
          stage_3(e_shifted, row, out_y);
          write_once(to.out_y + offset + column, width, out_y, streams_y);
        });
      }
      to.save_m[i] = row.m;
      to.save_inv_Z[i] = row.inv_Z;
    }
  }
  fence();
}

}  // namespace forward
}  // namespace lngen

extern "C" void forward(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::forward::work<Row, Computed>(
      {static_cast<const Row*>(arrays[0]),
       static_cast<const Computed*>(arrays[1]),
       static_cast<Row*>(arrays[2]),
       static_cast<Computed*>(arrays[3]),
       static_cast<Computed*>(arrays[4]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward

namespace lngen {
namespace backward {

constexpr bool READS_x = true;
constexpr bool READS_dy = true;
constexpr bool READS_scale = HAS_scale;
constexpr int SUMS_INTO_SCALARS = 1;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const A* m;
  const A* inv_Z;
  const P* scale;
  T* out_dx;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A inv_Z;
  A scale;
  A sum_dy_y;
  A sum_du_x;
};

// Stage 1 of 2: sum_dy_y = sum(dy*y)
template <class A, class S>
LNGEN_INLINE void sum_dy_y(A x, A dy, const Scalars<S>& row, A (&sums)[1], A& kept_y) {
  const A inv_Z = row.inv_Z, m = row.m, scale = row.scale;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
  sums[0] += dy*y;  // step 16: sum_dy_y
  kept_y = y;
}

template <class A>
LNGEN_INLINE void after_sum_dy_y(Scalars<A>& row, const A (&sums)[1], A (&over_all)[1]) {
  const A sum_dy_y = sums[0];  // step 16: sum(dy*y)
  row.sum_dy_y = sum_dy_y;
}

// Stage 2 of 2: sum_du_x = sum(du*x)
template <class A, class S>
LNGEN_INLINE void sum_du_x(A x, A dy, A y, const Scalars<S>& row, A (&sums)[1], A& out_dx) {
  const A scale = row.scale, sum_dy_y = row.sum_dy_y;
  const A du = (dy - sum_dy_y)*y;  // step 16
  const A dx = du*scale;  // step 21
  if (HAS_scale) sums[0] += du*x;  // step 22: sum_du_x
  out_dx = dx;
}

template <class A>
LNGEN_INLINE void after_sum_du_x(Scalars<A>& row, const A (&sums)[1], A (&over_all)[1]) {
  const A sum_du_x = sums[0];  // step 22: sum(du*x)
  over_all[0] = sum_du_x;  // step 22: dscale
  row.sum_du_x = sum_du_x;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  row.scale = READS_scale ? *to.scale : A(1);
  return row;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool streams) {
  using A = S;
  const int D = to.D;
  const Scalars<S> call = of_the_call(to);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  Scratch<S> kept(1ll * D);
  S* const kept_y = kept.entries + 0ll * D;
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(0, 1, D);
    double over_rows_and_columns[SUMS_INTO_SCALARS] = {};
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.m = to.m[i];
      row.inv_Z = to.inv_Z[i];
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          A now_y;
          sum_dy_y(x, dy, row, lanes, now_y);
          write(kept_y + column, width, now_y);
        });
        S over_all[SUMS_INTO_SCALARS] = {};
        after_sum_dy_y(row, sums, over_all);
        for (int k = 0; k < SUMS_INTO_SCALARS; ++k) over_rows_and_columns[k] += over_all[k];
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          const A y = read<S>(kept_y + column, width);
          A out_dx;
          sum_du_x(x, dy, y, row, lanes, out_dx);
          write_once(to.out_dx + offset + column, width, out_dx, streams_dx);
        });
        S over_all[SUMS_INTO_SCALARS] = {};
        after_sum_du_x(row, sums, over_all);
        for (int k = 0; k < SUMS_INTO_SCALARS; ++k) over_rows_and_columns[k] += over_all[k];
      }
    }
    for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
      workspace[chunk_entries(0, 0, D) + k] = S(over_rows_and_columns[k]);
  }
  fence();
}

// ---- backward_columns: the end of the sums over rows

namespace columns {

constexpr bool READS_scale = HAS_scale;

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* scale;
  P* out_dscale;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
  A scale;
  A dscale;
};

// One column of the gradients

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool) {
  using A = S;
  const int D = to.D;
  const S* const workspace = first_line(to.workspace);
  const long long entries = chunk_entries(0, 1, D);
  Scalars<S> row;
  row.D = A(D);
  row.scale = READS_scale ? *to.scale : A(1);
  row.dscale = HAS_scale ? scalar_total(workspace, on.chunks, entries, chunk_entries(0, 0, D) + 0) : A(0);
  if (HAS_scale) *to.out_dscale = row.dscale;
}

}  // namespace columns

}  // namespace backward
}  // namespace lngen

extern "C" void backward(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::backward::work<Row, Computed>(
      {static_cast<const Row*>(arrays[0]),
       static_cast<const Row*>(arrays[1]),
       static_cast<const Computed*>(arrays[2]),
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<Row*>(arrays[5]),
       static_cast<Computed*>(arrays[6]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

extern "C" void backward_columns(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::backward::columns::work<Row, Computed>(
      {static_cast<Computed*>(arrays[0]),
       int(sizes[2]),
       static_cast<const Computed*>(arrays[1]),
       static_cast<Computed*>(arrays[2]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

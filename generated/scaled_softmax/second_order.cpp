// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
// Evidence: 1 output, 35 steps, 30 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     u_dot = scale_dot*x + scale*x_dot
//     y_dot = y*(u_dot - sum(u_dot*y))
// backward_backward:
//     mean_dy_y = mean(dy*y)
//     du = y*(dy - D*mean_dy_y)
//     ddu = ddscale*x + scale*ddx
//     d2y_part = ddu*(dy - D*mean_dy_y)
//     d2u = y*(d2y_part + D*(mean(ddu*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
//     d2x = scale*d2u + ddscale*du
//     d2scale = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
//     ddy = y*(ddu - sum(ddu*y))
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* m, const Computed* inv_Z, const Parameter* scale,
//         const Parameter* scale_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* m, const Computed*
//         inv_Z, const Parameter* scale, const Parameter* ddscale, Row* out_dx, Row* out_ddy, Computed* workspace,
//         long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* scale, const Parameter*
//         ddscale, Parameter* out_dscale, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_ddscale  ddscale is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_scale    scale is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_scale_dot scale_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddscale
constexpr bool HAS_ddscale = false;
#else
constexpr bool HAS_ddscale = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_scale
constexpr bool HAS_scale = false;
#else
constexpr bool HAS_scale = true;
#endif
#ifdef LNGEN_WITHOUT_scale_dot
constexpr bool HAS_scale_dot = false;
#else
constexpr bool HAS_scale_dot = true;
#endif
#ifdef LNGEN_WITHOUT_x_dot
constexpr bool HAS_x_dot = false;
#else
constexpr bool HAS_x_dot = true;
#endif

}  // namespace lngen

// ================================================================================================ jvp

namespace lngen {
namespace jvp {

constexpr bool READS_x = HAS_scale_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_scale = (HAS_scale && HAS_scale_dot) || (HAS_scale && HAS_x_dot);
constexpr bool READS_scale_dot = HAS_scale_dot;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* m;
  const A* inv_Z;
  const P* scale;
  const P* scale_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A m;
  A inv_Z;
  A scale;
  A scale_dot;
  A sum_u_dot_y;
};

// Stage 1 of 2: sum_u_dot_y = sum(u_dot*y)
template <class A, class S>
LNGEN_INLINE void sum_u_dot_y(A x, A x_dot, const Scalars<S>& row, A (&sums)[1], A& kept_y) {
  const A inv_Z = row.inv_Z, m = row.m, scale = row.scale, scale_dot = row.scale_dot;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
  const A u_dot = (HAS_scale_dot || HAS_x_dot) ? (HAS_scale_dot ? x*scale_dot : A(0)) + (HAS_x_dot ? x_dot*scale : A(0)) : A(0);  // step 23
  if (HAS_scale_dot || HAS_x_dot) sums[0] += u_dot*y;  // step 32: sum_u_dot_y
  kept_y = y;
}

template <class A>
LNGEN_INLINE void after_sum_u_dot_y(Scalars<A>& row, const A (&sums)[1]) {
  const A sum_u_dot_y = sums[0];  // step 32: sum(u_dot*y)
  row.sum_u_dot_y = sum_u_dot_y;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A x_dot, A y, const Scalars<S>& row, A& out_y_dot) {
  const A scale = row.scale, scale_dot = row.scale_dot, sum_u_dot_y = row.sum_u_dot_y;
  const A u_dot = (HAS_scale_dot || HAS_x_dot) ? (HAS_scale_dot ? x*scale_dot : A(0)) + (HAS_x_dot ? x_dot*scale : A(0)) : A(0);  // step 23
  const A y_dot = (HAS_scale_dot || HAS_x_dot) ? (u_dot - sum_u_dot_y)*y : A(0);  // step 32
  out_y_dot = y_dot;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  row.scale = READS_scale ? *to.scale : A(1);
  row.scale_dot = READS_scale_dot ? *to.scale_dot : A(0);
  return row;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool streams) {
  using A = S;
  const int D = to.D;
  const Scalars<S> call = of_the_call(to);
  const bool streams_y_dot = streams && is_even(to.out_y_dot, D);
  Scratch<S> kept(1ll * D);
  S* const kept_y = kept.entries + 0ll * D;
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
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
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          A now_y;
          sum_u_dot_y(x, x_dot, row, lanes, now_y);
          write(kept_y + column, width, now_y);
        });
        after_sum_u_dot_y(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          const A y = read<S>(kept_y + column, width);
          A out_y_dot;
          stage_2(x, x_dot, y, row, out_y_dot);
          write_once(to.out_y_dot + offset + column, width, out_y_dot, streams_y_dot);
        });
      }
    }
  }
  fence();
}

}  // namespace jvp
}  // namespace lngen

extern "C" void jvp(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::jvp::work<Row, Computed>(
      {static_cast<const Row*>(arrays[0]),
       static_cast<const Row*>(arrays[1]),
       static_cast<const Computed*>(arrays[2]),
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<Row*>(arrays[6]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddscale || HAS_ddx;
constexpr bool READS_dy = HAS_ddscale || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_scale = (HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale);
constexpr bool READS_ddscale = HAS_ddscale;
constexpr int SUMS_INTO_SCALARS = 1;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* m;
  const A* inv_Z;
  const P* scale;
  const P* ddscale;
  T* out_dx;
  T* out_ddy;
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
  A ddscale;
  A mean_dy_y;
  A mean_ddu_y;
  A sum_ddu_y;
  A mean_dy_y_scaled;
  A mean_d2y_part_y;
  A mean_ddx_du;
  A mean_d2u_x;
  A mean_ddx_du_scaled;
};

// Stage 1 of 3: mean_dy_y = mean(dy*y); mean_ddu_y = mean(ddu*y); sum_ddu_y = sum(ddu*y)
template <class A, class S>
LNGEN_INLINE void sum_ddu_y(A x, A dy, A ddx, const Scalars<S>& row, A (&sums)[3], A& kept_y) {
  const A ddscale = row.ddscale, inv_Z = row.inv_Z, m = row.m, scale = row.scale;
  const A u = x*scale - m;  // step 2
  const A e_shifted = math::exp(u);  // step 3
  const A y = e_shifted*inv_Z;  // step 6
  const A ddu = (HAS_ddscale || HAS_ddx) ? (HAS_ddx ? ddx*scale : A(0)) + (HAS_ddscale ? x*ddscale : A(0)) : A(0);  // step 42
  if (HAS_ddscale || HAS_ddx) sums[0] += dy*y;  // step 33: mean_dy_y
  if (HAS_ddscale || HAS_ddx) sums[1] += ddu*y;  // step 60: mean_ddu_y
  if (HAS_ddscale || HAS_ddx) sums[2] += ddu*y;  // step 72: sum_ddu_y
  kept_y = y;
}

template <class A>
LNGEN_INLINE void after_sum_ddu_y(Scalars<A>& row, const A (&sums)[3], A (&over_all)[1]) {
  const A D = row.D;
  const A mean_dy_y = math::quotient(sums[0], row.D);  // step 33: mean(dy*y)
  const A mean_ddu_y = math::quotient(sums[1], row.D);  // step 60: mean(ddu*y)
  const A sum_ddu_y = sums[2];  // step 72: sum(ddu*y)
  const A mean_dy_y_scaled = mean_dy_y*D;  // step 34
  row.mean_dy_y = mean_dy_y;
  row.mean_ddu_y = mean_ddu_y;
  row.sum_ddu_y = sum_ddu_y;
  row.mean_dy_y_scaled = mean_dy_y_scaled;
}

// Stage 2 of 3: mean_d2y_part_y = mean(d2y_part*y); mean_ddx_du = mean(ddx*du)
template <class A, class S>
LNGEN_INLINE void mean_ddx_du(A x, A dy, A ddx, A y, const Scalars<S>& row, A (&sums)[2], A& out_ddy, A& kept_du) {
  const A ddscale = row.ddscale, mean_dy_y_scaled = row.mean_dy_y_scaled, scale = row.scale, sum_ddu_y = row.sum_ddu_y;
  const A ddu = (HAS_ddscale || HAS_ddx) ? (HAS_ddx ? ddx*scale : A(0)) + (HAS_ddscale ? x*ddscale : A(0)) : A(0);  // step 42
  const A du = (dy - mean_dy_y_scaled)*y;  // step 34
  const A d2y_part = (HAS_ddscale || HAS_ddx) ? (dy - mean_dy_y_scaled)*ddu : A(0);  // step 43
  const A ddy = (HAS_ddscale || HAS_ddx) ? (ddu - sum_ddu_y)*y : A(0);  // step 72
  if (HAS_ddscale || HAS_ddx) sums[0] += d2y_part*y;  // step 60: mean_d2y_part_y
  if (HAS_ddx && HAS_scale) sums[1] += ddx*du;  // step 66: mean_ddx_du
  out_ddy = ddy;
  kept_du = du;
}

template <class A>
LNGEN_INLINE void after_mean_ddx_du(Scalars<A>& row, const A (&sums)[2], A (&over_all)[1]) {
  const A mean_d2y_part_y = math::quotient(sums[0], row.D);  // step 60: mean(d2y_part*y)
  const A mean_ddx_du = math::quotient(sums[1], row.D);  // step 66: mean(ddx*du)
  row.mean_d2y_part_y = mean_d2y_part_y;
  row.mean_ddx_du = mean_ddx_du;
}

// Stage 3 of 3: mean_d2u_x = mean(d2u*x)
template <class A, class S>
LNGEN_INLINE void mean_d2u_x(A x, A dy, A ddx, A y, A du, const Scalars<S>& row, A (&sums)[1], A& out_d2x) {
  const A D = row.D, ddscale = row.ddscale, mean_d2y_part_y = row.mean_d2y_part_y, mean_ddu_y = row.mean_ddu_y, mean_dy_y_scaled = row.mean_dy_y_scaled, scale = row.scale;
  const A ddu = (HAS_ddscale || HAS_ddx) ? (HAS_ddx ? ddx*scale : A(0)) + (HAS_ddscale ? x*ddscale : A(0)) : A(0);  // step 42
  const A d2y_part = (HAS_ddscale || HAS_ddx) ? (dy - mean_dy_y_scaled)*ddu : A(0);  // step 43
  const A d2u = (HAS_ddscale || HAS_ddx) ? (d2y_part + ((mean_dy_y_scaled - dy)*mean_ddu_y - mean_d2y_part_y)*D)*y : A(0);  // step 60
  const A d2x = (HAS_ddscale || HAS_ddx) ? d2u*scale + (HAS_ddscale ? du*ddscale : A(0)) : A(0);  // step 64
  if ((HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale)) sums[0] += d2u*x;  // step 66: mean_d2u_x
  out_d2x = d2x;
}

template <class A>
LNGEN_INLINE void after_mean_d2u_x(Scalars<A>& row, const A (&sums)[1], A (&over_all)[1]) {
  const A D = row.D, mean_ddx_du = row.mean_ddx_du;
  const A mean_d2u_x = math::quotient(sums[0], row.D);  // step 66: mean(d2u*x)
  const A mean_ddx_du_scaled = (HAS_ddscale || HAS_ddx) ? (mean_d2u_x + mean_ddx_du)*D : A(0);  // step 66
  over_all[0] = mean_ddx_du_scaled;  // step 66: d2scale
  row.mean_d2u_x = mean_d2u_x;
  row.mean_ddx_du_scaled = mean_ddx_du_scaled;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  row.scale = READS_scale ? *to.scale : A(1);
  row.ddscale = READS_ddscale ? *to.ddscale : A(0);
  return row;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool streams) {
  using A = S;
  const int D = to.D;
  const Scalars<S> call = of_the_call(to);
  const bool streams_ddy = streams && is_even(to.out_ddy, D);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  Scratch<S> kept(2ll * D);
  S* const kept_y = kept.entries + 0ll * D;
  S* const kept_du = kept.entries + 1ll * D;
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(0, 1, D);
    double over_rows_and_columns[SUMS_INTO_SCALARS] = {};
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.m = to.m[i];
      row.inv_Z = to.inv_Z[i];
      {
        S sums[3];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          A now_y;
          sum_ddu_y(x, dy, ddx, row, lanes, now_y);
          write(kept_y + column, width, now_y);
        });
        S over_all[SUMS_INTO_SCALARS] = {};
        after_sum_ddu_y(row, sums, over_all);
        for (int k = 0; k < SUMS_INTO_SCALARS; ++k) over_rows_and_columns[k] += over_all[k];
      }
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A y = read<S>(kept_y + column, width);
          A now_du;
          A out_ddy;
          mean_ddx_du(x, dy, ddx, y, row, lanes, out_ddy, now_du);
          write(kept_du + column, width, now_du);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
        });
        S over_all[SUMS_INTO_SCALARS] = {};
        after_mean_ddx_du(row, sums, over_all);
        for (int k = 0; k < SUMS_INTO_SCALARS; ++k) over_rows_and_columns[k] += over_all[k];
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          const A y = read<S>(kept_y + column, width);
          const A du = read<S>(kept_du + column, width);
          A out_d2x;
          mean_d2u_x(x, dy, ddx, y, du, row, lanes, out_d2x);
          write_once(to.out_dx + offset + column, width, out_d2x, streams_dx);
        });
        S over_all[SUMS_INTO_SCALARS] = {};
        after_mean_d2u_x(row, sums, over_all);
        for (int k = 0; k < SUMS_INTO_SCALARS; ++k) over_rows_and_columns[k] += over_all[k];
      }
    }
    for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
      workspace[chunk_entries(0, 0, D) + k] = S(over_rows_and_columns[k]);
  }
  fence();
}

// ---- backward_backward_columns: the end of the sums over rows

namespace columns {

constexpr bool READS_scale = (HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale);
constexpr bool READS_ddscale = HAS_ddscale;

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* scale;
  const P* ddscale;
  P* out_dscale;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
  A scale;
  A ddscale;
  A d2scale;
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
  row.ddscale = READS_ddscale ? *to.ddscale : A(0);
  row.d2scale = (HAS_ddscale && HAS_scale) || (HAS_ddx && HAS_scale) ? scalar_total(workspace, on.chunks, entries, chunk_entries(0, 0, D) + 0) : A(0);
  if (HAS_scale) *to.out_dscale = row.d2scale;
}

}  // namespace columns

}  // namespace backward_backward
}  // namespace lngen

extern "C" void backward_backward(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::backward_backward::work<Row, Computed>(
      {static_cast<const Row*>(arrays[0]),
       static_cast<const Row*>(arrays[1]),
       static_cast<const Row*>(arrays[2]),
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<Row*>(arrays[7]),
       static_cast<Row*>(arrays[8]),
       static_cast<Computed*>(arrays[9]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

extern "C" void backward_backward_columns(void* const* arrays, const double* numbers, const long long* sizes) {
  using namespace lngen;
  (void)numbers;
  lngen::backward_backward::columns::work<Row, Computed>(
      {static_cast<Computed*>(arrays[0]),
       int(sizes[2]),
       static_cast<const Computed*>(arrays[1]),
       static_cast<const Computed*>(arrays[2]),
       static_cast<Computed*>(arrays[3]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// Root-mean-square normalization with a weight that is learned as its distance from one.
// Made by lngen 0.1.0 from the definition of offset_rms_norm.
// Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 9 flops per row element.
// Evidence: 1 output, 26 steps, 25 first lines, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     y_dot = w_dot*xhat + rstd*(1 + w)*(x_dot - xhat*mean(x_dot*xhat))
// backward_backward:
//     g = dy*(1 + w)
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - xhat*mean(ddx*xhat))
//     d2x = rstd*(ddw*dy + rstd*(mean(ddx*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddx - xhat*mean(ddx*g)) - xhat*mean(ddw*dy*xhat))
//     d2w = sum_rows(dg*dy)
//     ddy = ddw*xhat + dg*(1 + w)
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* rstd, const Parameter* w, const Parameter* w_dot,
//         Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* rstd, const Parameter*
//         w, const Parameter* ddw, Row* out_dx, Row* out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* w, const Parameter* ddw,
//         Parameter* out_dw, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_ddw      ddw is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_w        w is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_w_dot    w_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

#ifdef LNGEN_WITHOUT_ddw
constexpr bool HAS_ddw = false;
#else
constexpr bool HAS_ddw = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_w
constexpr bool HAS_w = false;
#else
constexpr bool HAS_w = true;
#endif
#ifdef LNGEN_WITHOUT_w_dot
constexpr bool HAS_w_dot = false;
#else
constexpr bool HAS_w_dot = true;
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

constexpr bool READS_x = HAS_w_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_w = HAS_w && HAS_x_dot;
constexpr bool READS_w_dot = HAS_w_dot;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* rstd;
  const P* w;
  const P* w_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_x_dot_xhat;
};

// Stage 1 of 2: mean_x_dot_xhat = mean(x_dot*xhat)
template <class A, class S>
LNGEN_INLINE void mean_x_dot_xhat(A x, A x_dot, const Scalars<S>& row, A (&sums)[1]) {
  const A rstd = row.rstd;
  const A xhat = x*rstd;  // step 3
  if (HAS_x_dot) sums[0] += x_dot*xhat;  // step 23: mean_x_dot_xhat
}

template <class A>
LNGEN_INLINE void after_mean_x_dot_xhat(Scalars<A>& row, const A (&sums)[1]) {
  const A mean_x_dot_xhat = math::quotient(sums[0], row.D);  // step 23: mean(x_dot*xhat)
  row.mean_x_dot_xhat = mean_x_dot_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A x_dot, A w, A w_dot, const Scalars<S>& row, A& out_y_dot) {
  const A mean_x_dot_xhat = row.mean_x_dot_xhat, rstd = row.rstd;
  const A w_shifted_2 = w + A(1);  // step 23
  const A xhat = x*rstd;  // step 3
  const A y_dot = (HAS_w_dot || HAS_x_dot) ? (HAS_w_dot ? xhat*w_dot : A(0)) + (HAS_x_dot ? (x_dot - xhat*mean_x_dot_xhat)*rstd*w_shifted_2 : A(0)) : A(0);  // step 23
  out_y_dot = y_dot;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  return row;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool streams) {
  using A = S;
  const int D = to.D;
  const Scalars<S> call = of_the_call(to);
  const bool streams_y_dot = streams && is_even(to.out_y_dot, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.rstd = to.rstd[i];
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          mean_x_dot_xhat(x, x_dot, row, lanes);
        });
        after_mean_x_dot_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          const A w = READS_w ? read<S>(to.w + column, width) : A(0);
          const A w_dot = READS_w_dot ? read<S>(to.w_dot + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          A out_y_dot;
          stage_2(x, x_dot, w, w_dot, row, out_y_dot);
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
       static_cast<Row*>(arrays[5]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddw || HAS_ddx;
constexpr bool READS_dy = HAS_ddw || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_w = HAS_ddx && HAS_w;
constexpr bool READS_ddw = HAS_ddw;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_ddx && HAS_w);

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* rstd;
  const P* w;
  const P* ddw;
  T* out_dx;
  T* out_ddy;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A rstd;
  A mean_g_xhat;
  A mean_ddx_xhat;
  A mean_ddx_g;
  A mean_ddw_dy_xhat;
  A mean_g_xhat_scaled;
};

// Stage 1 of 2: mean_g_xhat = mean(g*xhat); mean_ddx_xhat = mean(ddx*xhat); mean_ddx_g = mean(ddx*g); mean_ddw_dy_xhat = mean(ddw*dy*xhat)
template <class A, class S>
LNGEN_INLINE void mean_ddw_dy_xhat(A x, A dy, A ddx, A w, A ddw, const Scalars<S>& row, A (&sums)[4]) {
  const A rstd = row.rstd;
  const A w_shifted_2 = w + A(1);  // step 24
  const A xhat = x*rstd;  // step 3
  const A g = dy*w_shifted_2;  // step 24
  if (HAS_ddx) sums[0] += g*xhat;  // step 25: mean_g_xhat
  if (HAS_ddx) sums[1] += ddx*xhat;  // step 49: mean_ddx_xhat
  if (HAS_ddx) sums[2] += ddx*g;  // step 43: mean_ddx_g
  if (HAS_ddw) sums[3] += dy*xhat*ddw;  // step 43: mean_ddw_dy_xhat
}

template <class A>
LNGEN_INLINE void after_mean_ddw_dy_xhat(Scalars<A>& row, const A (&sums)[4]) {
  const A mean_g_xhat = math::quotient(sums[0], row.D);  // step 25: mean(g*xhat)
  const A mean_ddx_xhat = math::quotient(sums[1], row.D);  // step 49: mean(ddx*xhat)
  const A mean_ddx_g = math::quotient(sums[2], row.D);  // step 43: mean(ddx*g)
  const A mean_ddw_dy_xhat = math::quotient(sums[3], row.D);  // step 43: mean(ddw*dy*xhat)
  const A mean_g_xhat_scaled = A(3)*mean_g_xhat;  // step 43
  row.mean_g_xhat = mean_g_xhat;
  row.mean_ddx_xhat = mean_ddx_xhat;
  row.mean_ddx_g = mean_ddx_g;
  row.mean_ddw_dy_xhat = mean_ddw_dy_xhat;
  row.mean_g_xhat_scaled = mean_g_xhat_scaled;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A dy, A ddx, A w, A ddw, const Scalars<S>& row, A (&over_rows)[SUMS_INTO_COLUMNS], A& out_d2x, A& out_ddy) {
  const A mean_ddw_dy_xhat = row.mean_ddw_dy_xhat, mean_ddx_g = row.mean_ddx_g, mean_ddx_xhat = row.mean_ddx_xhat, mean_g_xhat = row.mean_g_xhat, mean_g_xhat_scaled = row.mean_g_xhat_scaled, rstd = row.rstd;
  const A w_shifted_2 = w + A(1);  // step 24
  const A xhat = x*rstd;  // step 3
  const A g = dy*w_shifted_2;  // step 24
  const A dg = HAS_ddx ? (ddx - xhat*mean_ddx_xhat)*rstd : A(0);  // step 49
  const A d2x = (HAS_ddw || HAS_ddx) ? ((HAS_ddw ? dy*ddw : A(0)) + (HAS_ddx ? ((xhat*mean_g_xhat_scaled - g)*mean_ddx_xhat - xhat*mean_ddx_g - ddx*mean_g_xhat)*rstd : A(0)) - (HAS_ddw ? xhat*mean_ddw_dy_xhat : A(0)))*rstd : A(0);  // step 43
  const A ddy = (HAS_ddw || HAS_ddx) ? (HAS_ddw ? xhat*ddw : A(0)) + (HAS_ddx ? dg*w_shifted_2 : A(0)) : A(0);  // step 53
  if (HAS_ddx && HAS_w) over_rows[0] = dg*dy;  // step 50: d2w
  out_d2x = d2x;
  out_ddy = ddy;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  return row;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool streams) {
  using A = S;
  const int D = to.D;
  const Scalars<S> call = of_the_call(to);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  const bool streams_ddy = streams && is_even(to.out_ddy, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(1, 0, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.rstd = to.rstd[i];
      {
        S sums[4];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A w = READS_w ? read<S>(to.w + column, width) : A(0);
          const A ddw = READS_ddw ? read<S>(to.ddw + column, width) : A(0);
          mean_ddw_dy_xhat(x, dy, ddx, w, ddw, row, lanes);
        });
        after_mean_ddw_dy_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A w = READS_w ? read<S>(to.w + column, width) : A(0);
          const A ddw = READS_ddw ? read<S>(to.ddw + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          A over_rows[SUMS_INTO_COLUMNS];
          A out_d2x;
          A out_ddy;
          stage_2(x, dy, ddx, w, ddw, row, over_rows, out_d2x, out_ddy);
          columns.template add<0x1>(D, column, width, over_rows);
          write_once(to.out_dx + offset + column, width, out_d2x, streams_dx);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
        });
      }
      columns.end_row();
    }
    columns.end();
  }
  fence();
}

// ---- backward_backward_columns: the end of the sums over rows

namespace columns {

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* w;
  const P* ddw;
  P* out_dw;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A, class S>
LNGEN_INLINE void finish(A d2w, const Scalars<S>& row, A& out_d2w) {
  out_d2w = d2w;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool) {
  using A = S;
  const int D = to.D;
  const S* const workspace = first_line(to.workspace);
  const long long entries = chunk_entries(1, 0, D);
  Scalars<S> row;
  row.D = A(D);
  each_column<S>(D, [&](int column, auto width) {
    using A = Lanes<S>;
    const A d2w = HAS_ddx && HAS_w ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
    A out_d2w;
    finish(d2w, row, out_d2w);
    if (HAS_w) write(to.out_dw + column, width, out_d2w);
  });
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
       static_cast<Row*>(arrays[6]),
       static_cast<Row*>(arrays[7]),
       static_cast<Computed*>(arrays[8]),
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

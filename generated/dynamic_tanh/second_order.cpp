// Dynamic tanh: an elementwise layer in the place of a norm.
// Made by lngen 0.1.0 from the definition of dynamic_tanh.
// Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
// Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 13 flops per row element.
// Evidence: 1 output, 18 steps, 28 first lines, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     y_dot = gamma_dot*t + gamma*(1 - t)*(1 + t)*(alpha_dot*x + alpha*x_dot) + beta_dot
// backward_backward:
//     du = gamma*dy*(1 - t)*(1 + t)
//     ddu = ddalpha*x + alpha*ddx
//     d2u = dy*(1 - t)*(1 + t)*(ddgamma - 2*gamma*ddu*t)
//     d2x = alpha*d2u + ddalpha*du
//     d2alpha = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
//     d2gamma = sum_rows(ddu*dy*(1 - t)*(1 + t))
//     d2beta = 0
//     ddy = ddgamma*t + gamma*ddu*(1 - t)*(1 + t) + ddbeta
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Parameter* alpha, const Parameter* gamma, const Parameter*
//         alpha_dot, const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Parameter* alpha, const
//         Parameter* gamma, const Parameter* ddalpha, const Parameter* ddgamma, const Parameter* ddbeta, Row*
//         out_dx, Row* out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* alpha, const Parameter*
//         gamma, const Parameter* ddalpha, const Parameter* ddgamma, const Parameter* ddbeta, Parameter*
//         out_dalpha, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_alpha    alpha is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_alpha_dot alpha_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_beta_dot beta_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddalpha  ddalpha is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddbeta   ddbeta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma_dot gamma_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

#ifdef LNGEN_WITHOUT_alpha
constexpr bool HAS_alpha = false;
#else
constexpr bool HAS_alpha = true;
#endif
#ifdef LNGEN_WITHOUT_alpha_dot
constexpr bool HAS_alpha_dot = false;
#else
constexpr bool HAS_alpha_dot = true;
#endif
#ifdef LNGEN_WITHOUT_beta
constexpr bool HAS_beta = false;
#else
constexpr bool HAS_beta = true;
#endif
#ifdef LNGEN_WITHOUT_beta_dot
constexpr bool HAS_beta_dot = false;
#else
constexpr bool HAS_beta_dot = true;
#endif
#ifdef LNGEN_WITHOUT_ddalpha
constexpr bool HAS_ddalpha = false;
#else
constexpr bool HAS_ddalpha = true;
#endif
#ifdef LNGEN_WITHOUT_ddbeta
constexpr bool HAS_ddbeta = false;
#else
constexpr bool HAS_ddbeta = true;
#endif
#ifdef LNGEN_WITHOUT_ddgamma
constexpr bool HAS_ddgamma = false;
#else
constexpr bool HAS_ddgamma = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_gamma
constexpr bool HAS_gamma = false;
#else
constexpr bool HAS_gamma = true;
#endif
#ifdef LNGEN_WITHOUT_gamma_dot
constexpr bool HAS_gamma_dot = false;
#else
constexpr bool HAS_gamma_dot = true;
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

constexpr bool READS_x = HAS_alpha_dot || HAS_gamma_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_gamma = (HAS_alpha_dot && HAS_gamma) || (HAS_gamma && HAS_x_dot);
constexpr bool READS_gamma_dot = HAS_gamma_dot;
constexpr bool READS_beta_dot = HAS_beta_dot;
constexpr bool READS_alpha = (HAS_alpha && HAS_alpha_dot) || (HAS_alpha && HAS_gamma_dot) || (HAS_alpha && HAS_x_dot);
constexpr bool READS_alpha_dot = HAS_alpha_dot;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const P* alpha;
  const P* gamma;
  const P* alpha_dot;
  const P* gamma_dot;
  const P* beta_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A alpha;
  A alpha_dot;
};

// Stage 1 of 1
template <class A, class S>
LNGEN_INLINE void stage_1(A x, A x_dot, A gamma, A gamma_dot, A beta_dot, const Scalars<S>& row, A& out_y_dot) {
  const A alpha = row.alpha, alpha_dot = row.alpha_dot;
  const A u = x*alpha;  // step 1
  const A t = math::tanh(u);  // step 2
  const A y_dot = (HAS_alpha_dot || HAS_beta_dot || HAS_gamma_dot || HAS_x_dot) ? (HAS_gamma_dot ? t*gamma_dot : A(0)) + ((HAS_alpha_dot || HAS_x_dot) ? (A(1) - t)*(t + A(1))*((HAS_alpha_dot ? x*alpha_dot : A(0)) + (HAS_x_dot ? x_dot*alpha : A(0)))*gamma : A(0)) + beta_dot : A(0);  // step 17
  out_y_dot = y_dot;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  row.alpha = READS_alpha ? *to.alpha : A(0.5);
  row.alpha_dot = READS_alpha_dot ? *to.alpha_dot : A(0);
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
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A gamma_dot = READS_gamma_dot ? read<S>(to.gamma_dot + column, width) : A(0);
          const A beta_dot = READS_beta_dot ? read<S>(to.beta_dot + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          A out_y_dot;
          stage_1(x, x_dot, gamma, gamma_dot, beta_dot, row, out_y_dot);
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
       static_cast<const Computed*>(arrays[6]),
       static_cast<Row*>(arrays[7]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddalpha || HAS_ddgamma || HAS_ddx;
constexpr bool READS_dy = HAS_ddalpha || HAS_ddgamma || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_gamma = (HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma);
constexpr bool READS_ddgamma = HAS_ddgamma;
constexpr bool READS_ddbeta = HAS_ddbeta;
constexpr bool READS_alpha = (HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx);
constexpr bool READS_ddalpha = HAS_ddalpha;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, (HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma));
constexpr int SUMS_INTO_SCALARS = 1;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const P* alpha;
  const P* gamma;
  const P* ddalpha;
  const P* ddgamma;
  const P* ddbeta;
  T* out_dx;
  T* out_ddy;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A alpha;
  A ddalpha;
  A mean_d2u_x;
  A mean_ddx_du;
  A mean_ddx_du_scaled;
};

// Stage 1 of 1: mean_d2u_x = mean(d2u*x); mean_ddx_du = mean(ddx*du)
template <class A, class S>
LNGEN_INLINE void mean_ddx_du(A x, A dy, A ddx, A gamma, A ddgamma, A ddbeta, const Scalars<S>& row, A (&sums)[2], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_d2x, A& out_ddy) {
  const A alpha = row.alpha, ddalpha = row.ddalpha;
  const A u = x*alpha;  // step 1
  const A t = math::tanh(u);  // step 2
  const A du = (A(1) - t)*dy*(t + A(1))*gamma;  // step 18
  const A ddu = (HAS_ddalpha || HAS_ddx) ? (HAS_ddx ? ddx*alpha : A(0)) + (HAS_ddalpha ? x*ddalpha : A(0)) : A(0);  // step 26
  const A d2u = (HAS_ddalpha || HAS_ddgamma || HAS_ddx) ? (A(1) - t)*(ddgamma - ((HAS_ddalpha || HAS_ddx) ? A(2)*ddu*t*gamma : A(0)))*dy*(t + A(1)) : A(0);  // step 34
  const A d2x = (HAS_ddalpha || HAS_ddgamma || HAS_ddx) ? d2u*alpha + (HAS_ddalpha ? du*ddalpha : A(0)) : A(0);  // step 38
  const A ddy = (HAS_ddalpha || HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? t*ddgamma : A(0)) + ((HAS_ddalpha || HAS_ddx) ? (A(1) - t)*ddu*(t + A(1))*gamma : A(0)) + ddbeta : A(0);  // step 48
  if ((HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx)) sums[0] += d2u*x;  // step 40: mean_d2u_x
  if (HAS_alpha && HAS_ddx) sums[1] += ddx*du;  // step 40: mean_ddx_du
  if ((HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma)) over_rows[0] = (A(1) - t)*ddu*dy*(t + A(1));  // step 42: d2gamma
  out_d2x = d2x;
  out_ddy = ddy;
}

template <class A>
LNGEN_INLINE void after_mean_ddx_du(Scalars<A>& row, const A (&sums)[2], A (&over_all)[1]) {
  const A D = row.D;
  const A mean_d2u_x = math::quotient(sums[0], row.D);  // step 40: mean(d2u*x)
  const A mean_ddx_du = math::quotient(sums[1], row.D);  // step 40: mean(ddx*du)
  const A mean_ddx_du_scaled = (HAS_ddalpha || HAS_ddgamma || HAS_ddx) ? (mean_d2u_x + mean_ddx_du)*D : A(0);  // step 40
  over_all[0] = mean_ddx_du_scaled;  // step 40: d2alpha
  row.mean_d2u_x = mean_d2u_x;
  row.mean_ddx_du = mean_ddx_du;
  row.mean_ddx_du_scaled = mean_ddx_du_scaled;
}

// Returns the values of the call, which no row changes.
template <class T, class S> Scalars<S> of_the_call(const Arguments<T, S, S>& to) {
  using A = S;
  Scalars<S> row;
  row.D = A(to.D);
  row.alpha = READS_alpha ? *to.alpha : A(0.5);
  row.ddalpha = READS_ddalpha ? *to.ddalpha : A(0);
  return row;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool streams) {
  using A = S;
  const int D = to.D;
  const Scalars<S> call = of_the_call(to);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  const bool streams_ddy = streams && is_even(to.out_ddy, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(1, 1, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
    double over_rows_and_columns[SUMS_INTO_SCALARS] = {};
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          const A ddbeta = READS_ddbeta ? read<S>(to.ddbeta + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          A over_rows[SUMS_INTO_COLUMNS];
          A out_d2x;
          A out_ddy;
          mean_ddx_du(x, dy, ddx, gamma, ddgamma, ddbeta, row, lanes, over_rows, out_d2x, out_ddy);
          columns.template add<0x1>(D, column, width, over_rows);
          write_once(to.out_dx + offset + column, width, out_d2x, streams_dx);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
        });
        S over_all[SUMS_INTO_SCALARS] = {};
        after_mean_ddx_du(row, sums, over_all);
        for (int k = 0; k < SUMS_INTO_SCALARS; ++k) over_rows_and_columns[k] += over_all[k];
      }
      columns.end_row();
    }
    columns.end();
    for (int k = 0; k < SUMS_INTO_SCALARS; ++k)
      workspace[chunk_entries(1, 0, D) + k] = S(over_rows_and_columns[k]);
  }
  fence();
}

// ---- backward_backward_columns: the end of the sums over rows

namespace columns {

constexpr bool READS_alpha = (HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx);
constexpr bool READS_ddalpha = HAS_ddalpha;

template <class T, class P, class A> struct Arguments {
  A* workspace;
  int blocks;
  const P* alpha;
  const P* gamma;
  const P* ddalpha;
  const P* ddgamma;
  const P* ddbeta;
  P* out_dalpha;
  P* out_dgamma;
  P* out_dbeta;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
  A alpha;
  A ddalpha;
  A d2alpha;
};

// One column of the gradients
template <class A, class S>
LNGEN_INLINE void finish(A d2gamma, const Scalars<S>& row, A& out_d2gamma, A& out_d2beta) {
  const A d2beta = A(0);  // step 43
  out_d2gamma = d2gamma;
  out_d2beta = d2beta;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool) {
  using A = S;
  const int D = to.D;
  const S* const workspace = first_line(to.workspace);
  const long long entries = chunk_entries(1, 1, D);
  Scalars<S> row;
  row.D = A(D);
  row.alpha = READS_alpha ? *to.alpha : A(0.5);
  row.ddalpha = READS_ddalpha ? *to.ddalpha : A(0);
  row.d2alpha = (HAS_alpha && HAS_ddalpha) || (HAS_alpha && HAS_ddgamma) || (HAS_alpha && HAS_ddx) ? scalar_total(workspace, on.chunks, entries, chunk_entries(1, 0, D) + 0) : A(0);
  each_column<S>(D, [&](int column, auto width) {
    using A = Lanes<S>;
    const A d2gamma = (HAS_ddalpha && HAS_gamma) || (HAS_ddx && HAS_gamma) ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
    A out_d2gamma;
    A out_d2beta;
    finish(d2gamma, row, out_d2gamma, out_d2beta);
    if (HAS_gamma) write(to.out_dgamma + column, width, out_d2gamma);
    if (HAS_beta) write(to.out_dbeta + column, width, out_d2beta);
  });
  if (HAS_alpha) *to.out_dalpha = row.d2alpha;
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
       static_cast<const Computed*>(arrays[7]),
       static_cast<Row*>(arrays[8]),
       static_cast<Row*>(arrays[9]),
       static_cast<Computed*>(arrays[10]),
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
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<Computed*>(arrays[6]),
       static_cast<Computed*>(arrays[7]),
       static_cast<Computed*>(arrays[8]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

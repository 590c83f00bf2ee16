// Residual addition, then layer normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_layer_norm.
// Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
// Cost: forward 4 row tensors (2 read, 2 written), 10 flops per row element; backward 5 row tensors (3 read, 2 written), 15 flops per row element.
// Evidence: 2 outputs, 38 steps, 41 first lines, 2 identities, 4 gradients, 2 tangents, 6 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     h_dot = residual_dot + x_dot
//     y_dot = gamma_dot*xhat + beta_dot + rstd*gamma*(h_dot - mean(h_dot) - xhat*mean(h_dot*xhat))
// backward_backward:
//     g = gamma*dy
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     ddh = ddresidual + ddx
//     dg = rstd*(ddh - mean(ddh) - xhat*mean(ddh*xhat))
//     d2x = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddh) + mean(ddh*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddh*g) - mean_g_xhat*(ddh - mean(ddh))) - mean(ddgamma*dy) - xhat*mean(ddgamma*dy*xhat))
//     d2residual = d2x
//     d2gamma = sum_rows(dg*dy)
//     d2beta = 0
//     ddy = gamma*dg + ddgamma*xhat + ddbeta
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* h, const Row* x_dot, const Row* residual_dot, const Computed* mu, const Computed*
//         mu_residual, const Computed* rstd, const Parameter* gamma, const Parameter* gamma_dot, const Parameter*
//         beta_dot, Row* out_y_dot, Row* out_h_dot, long long rows, int D)
//     backward_backward_<type>(const Row* h, const Row* dy, const Row* dh, const Row* ddx, const Row* ddresidual,
//         const Computed* mu, const Computed* mu_residual, const Computed* rstd, const Parameter* gamma, const
//         Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_dresidual, Row* out_ddy, Row*
//         out_ddh, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         ddgamma, const Parameter* ddbeta, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_beta_dot beta_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddbeta   ddbeta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddresidual ddresidual is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dh       dh is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_dy       dy is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma_dot gamma_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_residual_dot residual_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_x_dot    x_dot is left out; it and its gradient are compiled away

#include "../_runtime/native/host_rows.h"

namespace lngen {

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
#ifdef LNGEN_WITHOUT_ddresidual
constexpr bool HAS_ddresidual = false;
#else
constexpr bool HAS_ddresidual = true;
#endif
#ifdef LNGEN_WITHOUT_ddx
constexpr bool HAS_ddx = false;
#else
constexpr bool HAS_ddx = true;
#endif
#ifdef LNGEN_WITHOUT_dh
constexpr bool HAS_dh = false;
#else
constexpr bool HAS_dh = true;
#endif
#ifdef LNGEN_WITHOUT_dy
constexpr bool HAS_dy = false;
#else
constexpr bool HAS_dy = true;
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
#ifdef LNGEN_WITHOUT_residual_dot
constexpr bool HAS_residual_dot = false;
#else
constexpr bool HAS_residual_dot = true;
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

constexpr bool READS_h = HAS_gamma_dot || HAS_residual_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_residual_dot = HAS_residual_dot;
constexpr bool READS_gamma = (HAS_gamma && HAS_residual_dot) || (HAS_gamma && HAS_x_dot);
constexpr bool READS_gamma_dot = HAS_gamma_dot;
constexpr bool READS_beta_dot = HAS_beta_dot;

template <class T, class P, class A> struct Arguments {
  const T* h;
  const T* x_dot;
  const T* residual_dot;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  const P* gamma;
  const P* gamma_dot;
  const P* beta_dot;
  T* out_y_dot;
  T* out_h_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mu;
  A mu_residual;
  A rstd;
  A mean_h_dot;
  A mean_h_dot_xhat;
};

// Stage 1 of 2: mean_h_dot = mean(h_dot); mean_h_dot_xhat = mean(h_dot*xhat)
template <class A, class S>
LNGEN_INLINE void mean_h_dot_xhat(A h, A x_dot, A residual_dot, const Scalars<S>& row, A (&sums)[2], A& out_h_dot) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A h_shifted = h - mu;  // step 3
  const A h_centred = h_shifted - mu_residual;  // step 3
  const A xhat = h_centred*rstd;  // step 6
  const A h_dot = (HAS_residual_dot || HAS_x_dot) ? residual_dot + x_dot : A(0);  // step 25
  if (HAS_residual_dot || HAS_x_dot) sums[0] += h_dot;  // step 40: mean_h_dot
  if (HAS_residual_dot || HAS_x_dot) sums[1] += h_dot*xhat;  // step 40: mean_h_dot_xhat
  out_h_dot = h_dot;
}

template <class A>
LNGEN_INLINE void after_mean_h_dot_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_h_dot = math::quotient(sums[0], row.D);  // step 40: mean(h_dot)
  const A mean_h_dot_xhat = math::quotient(sums[1], row.D);  // step 40: mean(h_dot*xhat)
  row.mean_h_dot = mean_h_dot;
  row.mean_h_dot_xhat = mean_h_dot_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A h, A x_dot, A residual_dot, A gamma, A gamma_dot, A beta_dot, const Scalars<S>& row, A& out_y_dot) {
  const A mean_h_dot = row.mean_h_dot, mean_h_dot_xhat = row.mean_h_dot_xhat, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A h_shifted = h - mu;  // step 3
  const A h_centred = h_shifted - mu_residual;  // step 3
  const A xhat = h_centred*rstd;  // step 6
  const A h_dot = (HAS_residual_dot || HAS_x_dot) ? residual_dot + x_dot : A(0);  // step 25
  const A y_dot = (HAS_beta_dot || HAS_gamma_dot || HAS_residual_dot || HAS_x_dot) ? (HAS_gamma_dot ? xhat*gamma_dot : A(0)) + ((HAS_residual_dot || HAS_x_dot) ? (h_dot - mean_h_dot - xhat*mean_h_dot_xhat)*rstd*gamma : A(0)) + beta_dot : A(0);  // step 40
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
  const bool streams_h_dot = streams && is_even(to.out_h_dot, D);
  const bool streams_y_dot = streams && is_even(to.out_y_dot, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.mu = to.mu[i];
      row.mu_residual = to.mu_residual[i];
      row.rstd = to.rstd[i];
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A h = READS_h ? read<S>(to.h + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          const A residual_dot = READS_residual_dot ? read<S>(to.residual_dot + offset + column, width) : A(0);
          A out_h_dot;
          mean_h_dot_xhat(h, x_dot, residual_dot, row, lanes, out_h_dot);
          write_once(to.out_h_dot + offset + column, width, out_h_dot, streams_h_dot);
        });
        after_mean_h_dot_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A h = READS_h ? read<S>(to.h + offset + column, width) : A(0);
          const A x_dot = READS_x_dot ? read<S>(to.x_dot + offset + column, width) : A(0);
          const A residual_dot = READS_residual_dot ? read<S>(to.residual_dot + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A gamma_dot = READS_gamma_dot ? read<S>(to.gamma_dot + column, width) : A(0);
          const A beta_dot = READS_beta_dot ? read<S>(to.beta_dot + column, width) : A(0);
          if (READS_h && streams) prefetch(to.h + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          if (READS_residual_dot && streams) prefetch(to.residual_dot + offset + D + column);
          A out_y_dot;
          stage_2(h, x_dot, residual_dot, gamma, gamma_dot, beta_dot, row, out_y_dot);
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
       static_cast<const Row*>(arrays[2]),
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<const Computed*>(arrays[7]),
       static_cast<const Computed*>(arrays[8]),
       static_cast<Row*>(arrays[9]),
       static_cast<Row*>(arrays[10]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_h = (HAS_ddgamma && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy);
constexpr bool READS_dy = (HAS_ddgamma && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy);
constexpr bool READS_dh = false;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_ddresidual = HAS_ddresidual;
constexpr bool READS_gamma = (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma);
constexpr bool READS_ddgamma = HAS_ddgamma && HAS_dy;
constexpr bool READS_ddbeta = HAS_ddbeta && HAS_dy;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma));

template <class T, class P, class A> struct Arguments {
  const T* h;
  const T* dy;
  const T* dh;
  const T* ddx;
  const T* ddresidual;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  const P* gamma;
  const P* ddgamma;
  const P* ddbeta;
  T* out_dx;
  T* out_dresidual;
  T* out_ddy;
  T* out_ddh;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mu;
  A mu_residual;
  A rstd;
  A mean_g;
  A mean_g_xhat;
  A mean_ddh;
  A mean_ddh_xhat;
  A mean_ddgamma_dy;
  A mean_ddh_g;
  A mean_ddgamma_dy_xhat;
  A mean_g_xhat_scaled;
  A mean_ddh_scaled;
};

// Stage 1 of 2: mean_g = mean(g); mean_g_xhat = mean(g*xhat); mean_ddh = mean(ddh); mean_ddh_xhat = mean(ddh*xhat); mean_ddgamma_dy = mean(ddgamma*dy); mean_ddh_g = mean(ddh*g); mean_ddgamma_dy_xhat = mean(ddgamma*dy*xhat)
template <class A, class S>
LNGEN_INLINE void mean_ddgamma_dy_xhat(A h, A dy, A ddx, A ddresidual, A gamma, A ddgamma, const Scalars<S>& row, A (&sums)[7], A& out_ddh) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A h_shifted = h - mu;  // step 3
  const A h_centred = h_shifted - mu_residual;  // step 3
  const A xhat = h_centred*rstd;  // step 6
  const A g = HAS_dy ? dy*gamma : A(0);  // step 41
  const A ddh = (HAS_ddresidual || HAS_ddx) ? ddresidual + ddx : A(0);  // step 46
  if ((HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) sums[0] += g;  // step 42: mean_g
  if ((HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) sums[1] += g*xhat;  // step 43: mean_g_xhat
  if ((HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) sums[2] += ddh;  // step 77: mean_ddh
  if ((HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) sums[3] += ddh*xhat;  // step 77: mean_ddh_xhat
  if (HAS_ddgamma && HAS_dy) sums[4] += dy*ddgamma;  // step 68: mean_ddgamma_dy
  if ((HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) sums[5] += ddh*g;  // step 68: mean_ddh_g
  if (HAS_ddgamma && HAS_dy) sums[6] += dy*xhat*ddgamma;  // step 68: mean_ddgamma_dy_xhat
  out_ddh = ddh;
}

template <class A>
LNGEN_INLINE void after_mean_ddgamma_dy_xhat(Scalars<A>& row, const A (&sums)[7]) {
  const A mean_g = math::quotient(sums[0], row.D);  // step 42: mean(g)
  const A mean_g_xhat = math::quotient(sums[1], row.D);  // step 43: mean(g*xhat)
  const A mean_ddh = math::quotient(sums[2], row.D);  // step 77: mean(ddh)
  const A mean_ddh_xhat = math::quotient(sums[3], row.D);  // step 77: mean(ddh*xhat)
  const A mean_ddgamma_dy = math::quotient(sums[4], row.D);  // step 68: mean(ddgamma*dy)
  const A mean_ddh_g = math::quotient(sums[5], row.D);  // step 68: mean(ddh*g)
  const A mean_ddgamma_dy_xhat = math::quotient(sums[6], row.D);  // step 68: mean(ddgamma*dy*xhat)
  const A mean_g_xhat_scaled = HAS_dy ? A(3)*mean_g_xhat : A(0);  // step 68
  const A mean_ddh_scaled = ((HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) ? mean_ddh*mean_g : A(0);  // step 68
  row.mean_g = mean_g;
  row.mean_g_xhat = mean_g_xhat;
  row.mean_ddh = mean_ddh;
  row.mean_ddh_xhat = mean_ddh_xhat;
  row.mean_ddgamma_dy = mean_ddgamma_dy;
  row.mean_ddh_g = mean_ddh_g;
  row.mean_ddgamma_dy_xhat = mean_ddgamma_dy_xhat;
  row.mean_g_xhat_scaled = mean_g_xhat_scaled;
  row.mean_ddh_scaled = mean_ddh_scaled;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A h, A dy, A ddx, A ddresidual, A gamma, A ddgamma, A ddbeta, const Scalars<S>& row, A (&over_rows)[SUMS_INTO_COLUMNS], A& out_d2x, A& out_ddy) {
  const A mean_ddgamma_dy = row.mean_ddgamma_dy, mean_ddgamma_dy_xhat = row.mean_ddgamma_dy_xhat, mean_ddh = row.mean_ddh, mean_ddh_g = row.mean_ddh_g, mean_ddh_scaled = row.mean_ddh_scaled, mean_ddh_xhat = row.mean_ddh_xhat, mean_g = row.mean_g, mean_g_xhat = row.mean_g_xhat, mean_g_xhat_scaled = row.mean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A h_shifted = h - mu;  // step 3
  const A h_centred = h_shifted - mu_residual;  // step 3
  const A xhat = h_centred*rstd;  // step 6
  const A g = HAS_dy ? dy*gamma : A(0);  // step 41
  const A ddh = (HAS_ddresidual || HAS_ddx) ? ddresidual + ddx : A(0);  // step 46
  const A dg = (HAS_ddresidual || HAS_ddx) ? (ddh - mean_ddh - xhat*mean_ddh_xhat)*rstd : A(0);  // step 77
  const A d2x = ((HAS_ddgamma && HAS_dy) || (HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) ? (((HAS_ddgamma && HAS_dy) ? dy*ddgamma : A(0)) + (((HAS_ddresidual && HAS_dy) || (HAS_ddx && HAS_dy)) ? (xhat*mean_ddh_scaled + (xhat*mean_g_xhat_scaled + mean_g - g)*mean_ddh_xhat - xhat*mean_ddh_g - (ddh - mean_ddh)*mean_g_xhat)*rstd : A(0)) - mean_ddgamma_dy - ((HAS_ddgamma && HAS_dy) ? xhat*mean_ddgamma_dy_xhat : A(0)))*rstd : A(0);  // step 68
  const A ddy = (HAS_ddbeta || HAS_ddgamma || HAS_ddresidual || HAS_ddx) ? (HAS_ddgamma ? xhat*ddgamma : A(0)) + ((HAS_ddresidual || HAS_ddx) ? dg*gamma : A(0)) + ddbeta : A(0);  // step 83
  if ((HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma)) over_rows[0] = dg*dy;  // step 78: d2gamma
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
  const bool streams_ddh = streams && is_even(to.out_ddh, D);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  const bool streams_dresidual = streams && is_even(to.out_dresidual, D);
  const bool streams_ddy = streams && is_even(to.out_ddy, D);
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(1, 0, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.mu = to.mu[i];
      row.mu_residual = to.mu_residual[i];
      row.rstd = to.rstd[i];
      {
        S sums[7];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0), A(0), A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A h = READS_h ? read<S>(to.h + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A ddresidual = READS_ddresidual ? read<S>(to.ddresidual + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          A out_ddh;
          mean_ddgamma_dy_xhat(h, dy, ddx, ddresidual, gamma, ddgamma, row, lanes, out_ddh);
          if (HAS_dh) write_once(to.out_ddh + offset + column, width, out_ddh, streams_ddh);
        });
        after_mean_ddgamma_dy_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A h = READS_h ? read<S>(to.h + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A ddresidual = READS_ddresidual ? read<S>(to.ddresidual + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          const A ddbeta = READS_ddbeta ? read<S>(to.ddbeta + column, width) : A(0);
          if (READS_h && streams) prefetch(to.h + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_dh && streams) prefetch(to.dh + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          if (READS_ddresidual && streams) prefetch(to.ddresidual + offset + D + column);
          A over_rows[SUMS_INTO_COLUMNS];
          A out_d2x;
          A out_ddy;
          stage_2(h, dy, ddx, ddresidual, gamma, ddgamma, ddbeta, row, over_rows, out_d2x, out_ddy);
          columns.template add<0x1>(D, column, width, over_rows);
          write_once(to.out_dx + offset + column, width, out_d2x, streams_dx);
          write_once(to.out_dresidual + offset + column, width, out_d2x, streams_dresidual);
          if (HAS_dy) write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
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
  const P* gamma;
  const P* ddgamma;
  const P* ddbeta;
  P* out_dgamma;
  P* out_dbeta;
  int D;
};

// Values that do not vary over the features.
template <class A> struct Scalars {
  A D;
};

// One column of the gradients
template <class A, class S>
LNGEN_INLINE void finish(A d2gamma, const Scalars<S>& row, A& out_d2gamma, A& out_d2beta) {
  const A d2beta = A(0);  // step 79
  out_d2gamma = d2gamma;
  out_d2beta = d2beta;
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
    const A d2gamma = (HAS_ddresidual && HAS_dy && HAS_gamma) || (HAS_ddx && HAS_dy && HAS_gamma) ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
    A out_d2gamma;
    A out_d2beta;
    finish(d2gamma, row, out_d2gamma, out_d2beta);
    if (HAS_gamma) write(to.out_dgamma + column, width, out_d2gamma);
    if (HAS_beta) write(to.out_dbeta + column, width, out_d2beta);
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
       static_cast<const Row*>(arrays[3]),
       static_cast<const Row*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<const Computed*>(arrays[7]),
       static_cast<const Computed*>(arrays[8]),
       static_cast<const Computed*>(arrays[9]),
       static_cast<const Computed*>(arrays[10]),
       static_cast<Row*>(arrays[11]),
       static_cast<Row*>(arrays[12]),
       static_cast<Row*>(arrays[13]),
       static_cast<Row*>(arrays[14]),
       static_cast<Computed*>(arrays[15]),
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
       static_cast<Computed*>(arrays[4]),
       static_cast<Computed*>(arrays[5]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

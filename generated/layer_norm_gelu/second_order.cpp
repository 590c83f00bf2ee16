// Layer normalization, then the Gaussian error linear unit.
// Made by lngen 0.1.0 from the definition of layer_norm_gelu.
// Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
// Cost: forward 2 row tensors (1 read, 1 written), 15 flops per row element; backward 3 row tensors (2 read, 1 written), 30 flops per row element.
// Evidence: 1 output, 47 steps, 43 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     y_dot = (Phi_u + u*phi(u))*(gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat)))
// backward_backward:
//     du = dy*(Phi_u + u*phi(u))
//     g = gamma*du
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
//     ddu = gamma*dg + ddgamma*xhat + ddbeta
//     d2u = ddu*dy*phi(u)*(2 - u**2)
//     d2xhat_part = gamma*d2u - mean_g_xhat*rstd*ddx
//     d2x = rstd*(d2xhat_part + ddgamma*du + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) - mean(d2xhat_part) - mean(ddgamma*du) - xhat*mean(d2xhat_part*xhat) - xhat*mean(ddgamma*du*xhat))
//     d2gamma = sum_rows(d2u*xhat + dg*du)
//     d2beta = sum_rows(d2u)
//     ddy = ddu*(Phi_u + u*phi(u))
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* mu, const Computed* mu_residual, const Computed*
//         rstd, const Parameter* gamma, const Parameter* beta, const Parameter* gamma_dot, const Parameter*
//         beta_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* mu, const Computed*
//         mu_residual, const Computed* rstd, const Parameter* gamma, const Parameter* beta, const Parameter*
//         ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         beta, const Parameter* ddgamma, const Parameter* ddbeta, Parameter* out_dgamma, Parameter* out_dbeta,
//         int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h.
//     LNGEN_WITHOUT_beta     beta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_beta_dot beta_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddbeta   ddbeta is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddgamma  ddgamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma_dot gamma_dot is left out; it and its gradient are compiled away
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

constexpr bool READS_x = HAS_beta_dot || HAS_gamma_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_gamma = (HAS_beta_dot && HAS_gamma) || (HAS_gamma && HAS_gamma_dot) || (HAS_gamma && HAS_x_dot);
constexpr bool READS_beta = (HAS_beta && HAS_beta_dot) || (HAS_beta && HAS_gamma_dot) || (HAS_beta && HAS_x_dot);
constexpr bool READS_gamma_dot = HAS_gamma_dot;
constexpr bool READS_beta_dot = HAS_beta_dot;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  const P* gamma;
  const P* beta;
  const P* gamma_dot;
  const P* beta_dot;
  T* out_y_dot;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A mu;
  A mu_residual;
  A rstd;
  A mean_x_dot;
  A mean_x_dot_xhat;
};

// Stage 1 of 2: mean_x_dot = mean(x_dot); mean_x_dot_xhat = mean(x_dot*xhat)
template <class A, class S>
LNGEN_INLINE void mean_x_dot_xhat(A x, A x_dot, const Scalars<S>& row, A (&sums)[2]) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  if (HAS_x_dot) sums[0] += x_dot;  // step 49: mean_x_dot
  if (HAS_x_dot) sums[1] += x_dot*xhat;  // step 49: mean_x_dot_xhat
}

template <class A>
LNGEN_INLINE void after_mean_x_dot_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_x_dot = math::quotient(sums[0], row.D);  // step 49: mean(x_dot)
  const A mean_x_dot_xhat = math::quotient(sums[1], row.D);  // step 49: mean(x_dot*xhat)
  row.mean_x_dot = mean_x_dot;
  row.mean_x_dot_xhat = mean_x_dot_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A x_dot, A gamma, A beta, A gamma_dot, A beta_dot, const Scalars<S>& row, A& out_y_dot) {
  const A mean_x_dot = row.mean_x_dot, mean_x_dot_xhat = row.mean_x_dot_xhat, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A u = xhat*gamma + beta;  // step 6
  const A Phi_u = A(0.5)*math::erf(A(0.7071067811865475244)*u) + A(0.5);  // step 7
  const A y_dot = (HAS_beta_dot || HAS_gamma_dot || HAS_x_dot) ? (Phi_u + A(0.39894228040143267794)*math::exp(A(-0.5)*(u*u))*u)*((HAS_gamma_dot ? xhat*gamma_dot : A(0)) + (HAS_x_dot ? (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma : A(0)) + beta_dot) : A(0);  // step 49
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
      row.mu = to.mu[i];
      row.mu_residual = to.mu_residual[i];
      row.rstd = to.rstd[i];
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
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
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A beta = READS_beta ? read<S>(to.beta + column, width) : A(0);
          const A gamma_dot = READS_gamma_dot ? read<S>(to.gamma_dot + column, width) : A(0);
          const A beta_dot = READS_beta_dot ? read<S>(to.beta_dot + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          A out_y_dot;
          stage_2(x, x_dot, gamma, beta, gamma_dot, beta_dot, row, out_y_dot);
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
       static_cast<const Computed*>(arrays[7]),
       static_cast<const Computed*>(arrays[8]),
       static_cast<Row*>(arrays[9]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddbeta || HAS_ddgamma || HAS_ddx;
constexpr bool READS_dy = HAS_ddbeta || HAS_ddgamma || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_gamma = (HAS_ddbeta && HAS_gamma) || (HAS_ddgamma && HAS_gamma) || (HAS_ddx && HAS_gamma);
constexpr bool READS_beta = (HAS_beta && HAS_ddbeta) || (HAS_beta && HAS_ddgamma) || (HAS_beta && HAS_ddx);
constexpr bool READS_ddgamma = HAS_ddgamma;
constexpr bool READS_ddbeta = HAS_ddbeta;
constexpr int SUMS_INTO_COLUMNS = 2;
constexpr unsigned long long COLUMNS_WANTED = bit(0, (HAS_ddbeta && HAS_gamma) || (HAS_ddgamma && HAS_gamma) || (HAS_ddx && HAS_gamma)) | bit(1, (HAS_beta && HAS_ddbeta) || (HAS_beta && HAS_ddgamma) || (HAS_beta && HAS_ddx));

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  const P* gamma;
  const P* beta;
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
  A mu;
  A mu_residual;
  A rstd;
  A mean_g;
  A mean_g_xhat;
  A mean_ddx;
  A mean_ddx_xhat;
  A mean_ddgamma_du;
  A mean_ddx_g;
  A mean_ddgamma_du_xhat;
  A mean_g_xhat_scaled;
  A mean_g_xhat_scaled_2;
  A mean_ddx_scaled;
  A mean_d2xhat_part;
  A mean_d2xhat_part_xhat;
};

// Stage 1 of 3: mean_g = mean(g); mean_g_xhat = mean(g*xhat); mean_ddx = mean(ddx); mean_ddx_xhat = mean(ddx*xhat); mean_ddgamma_du = mean(ddgamma*du); mean_ddx_g = mean(ddx*g); mean_ddgamma_du_xhat = mean(ddgamma*du*xhat)
template <class A, class S>
LNGEN_INLINE void mean_ddgamma_du_xhat(A x, A dy, A ddx, A gamma, A beta, A ddgamma, const Scalars<S>& row, A (&sums)[7], A& kept_Phi_u, A& kept_du, A& kept_g) {
  const A mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A u = xhat*gamma + beta;  // step 6
  const A Phi_u = A(0.5)*math::erf(A(0.7071067811865475244)*u) + A(0.5);  // step 7
  const A du = (Phi_u + A(0.39894228040143267794)*math::exp(A(-0.5)*(u*u))*u)*dy;  // step 50
  const A g = du*gamma;  // step 51
  if (HAS_ddx) sums[0] += g;  // step 52: mean_g
  if (HAS_ddx) sums[1] += g*xhat;  // step 53: mean_g_xhat
  if (HAS_ddx) sums[2] += ddx;  // step 65: mean_ddx
  if (HAS_ddx) sums[3] += ddx*xhat;  // step 65: mean_ddx_xhat
  if (HAS_ddgamma) sums[4] += du*ddgamma;  // step 91: mean_ddgamma_du
  if (HAS_ddx) sums[5] += ddx*g;  // step 91: mean_ddx_g
  if (HAS_ddgamma) sums[6] += du*xhat*ddgamma;  // step 91: mean_ddgamma_du_xhat
  kept_Phi_u = Phi_u;
  kept_du = du;
  kept_g = g;
}

template <class A>
LNGEN_INLINE void after_mean_ddgamma_du_xhat(Scalars<A>& row, const A (&sums)[7]) {
  const A rstd = row.rstd;
  const A mean_g = math::quotient(sums[0], row.D);  // step 52: mean(g)
  const A mean_g_xhat = math::quotient(sums[1], row.D);  // step 53: mean(g*xhat)
  const A mean_ddx = math::quotient(sums[2], row.D);  // step 65: mean(ddx)
  const A mean_ddx_xhat = math::quotient(sums[3], row.D);  // step 65: mean(ddx*xhat)
  const A mean_ddgamma_du = math::quotient(sums[4], row.D);  // step 91: mean(ddgamma*du)
  const A mean_ddx_g = math::quotient(sums[5], row.D);  // step 91: mean(ddx*g)
  const A mean_ddgamma_du_xhat = math::quotient(sums[6], row.D);  // step 91: mean(ddgamma*du*xhat)
  const A mean_g_xhat_scaled = mean_g_xhat*rstd;  // step 73
  const A mean_g_xhat_scaled_2 = A(2)*mean_g_xhat;  // step 91
  const A mean_ddx_scaled = HAS_ddx ? mean_ddx*mean_g : A(0);  // step 91
  row.mean_g = mean_g;
  row.mean_g_xhat = mean_g_xhat;
  row.mean_ddx = mean_ddx;
  row.mean_ddx_xhat = mean_ddx_xhat;
  row.mean_ddgamma_du = mean_ddgamma_du;
  row.mean_ddx_g = mean_ddx_g;
  row.mean_ddgamma_du_xhat = mean_ddgamma_du_xhat;
  row.mean_g_xhat_scaled = mean_g_xhat_scaled;
  row.mean_g_xhat_scaled_2 = mean_g_xhat_scaled_2;
  row.mean_ddx_scaled = mean_ddx_scaled;
}

// Stage 2 of 3: mean_d2xhat_part = mean(d2xhat_part); mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
template <class A, class S>
LNGEN_INLINE void mean_d2xhat_part_xhat(A x, A dy, A ddx, A gamma, A beta, A ddgamma, A ddbeta, A Phi_u, A du, const Scalars<S>& row, A (&sums)[2], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_ddy, A& kept_d2xhat_part) {
  const A mean_ddx = row.mean_ddx, mean_ddx_xhat = row.mean_ddx_xhat, mean_g_xhat_scaled = row.mean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A u = xhat*gamma + beta;  // step 6
  const A dg = HAS_ddx ? (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd : A(0);  // step 65
  const A ddu = (HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? xhat*ddgamma : A(0)) + (HAS_ddx ? dg*gamma : A(0)) + ddbeta : A(0);  // step 68
  const A d2u = (HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? A(0.39894228040143267794)*(A(2) - u*u)*ddu*dy*math::exp(A(-0.5)*(u*u)) : A(0);  // step 72
  const A d2xhat_part = (HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? d2u*gamma - (HAS_ddx ? ddx*mean_g_xhat_scaled : A(0)) : A(0);  // step 73
  const A ddy = (HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? (Phi_u + A(0.39894228040143267794)*math::exp(A(-0.5)*(u*u))*u)*ddu : A(0);  // step 95
  if (HAS_ddbeta || HAS_ddgamma || HAS_ddx) sums[0] += d2xhat_part;  // step 91: mean_d2xhat_part
  if (HAS_ddbeta || HAS_ddgamma || HAS_ddx) sums[1] += d2xhat_part*xhat;  // step 91: mean_d2xhat_part_xhat
  if ((HAS_ddbeta && HAS_gamma) || (HAS_ddgamma && HAS_gamma) || (HAS_ddx && HAS_gamma)) over_rows[0] = d2u*xhat + (HAS_ddx ? dg*du : A(0));  // step 93: d2gamma
  if ((HAS_beta && HAS_ddbeta) || (HAS_beta && HAS_ddgamma) || (HAS_beta && HAS_ddx)) over_rows[1] = d2u;  // step 94: d2beta
  out_ddy = ddy;
  kept_d2xhat_part = d2xhat_part;
}

template <class A>
LNGEN_INLINE void after_mean_d2xhat_part_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_d2xhat_part = math::quotient(sums[0], row.D);  // step 91: mean(d2xhat_part)
  const A mean_d2xhat_part_xhat = math::quotient(sums[1], row.D);  // step 91: mean(d2xhat_part*xhat)
  row.mean_d2xhat_part = mean_d2xhat_part;
  row.mean_d2xhat_part_xhat = mean_d2xhat_part_xhat;
}

// Stage 3 of 3
template <class A, class S>
LNGEN_INLINE void stage_3(A x, A ddgamma, A du, A g, A d2xhat_part, const Scalars<S>& row, A& out_d2x) {
  const A mean_d2xhat_part = row.mean_d2xhat_part, mean_d2xhat_part_xhat = row.mean_d2xhat_part_xhat, mean_ddgamma_du = row.mean_ddgamma_du, mean_ddgamma_du_xhat = row.mean_ddgamma_du_xhat, mean_ddx_g = row.mean_ddx_g, mean_ddx_scaled = row.mean_ddx_scaled, mean_ddx_xhat = row.mean_ddx_xhat, mean_g = row.mean_g, mean_g_xhat_scaled_2 = row.mean_g_xhat_scaled_2, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A d2x = (HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? (d2xhat_part + (HAS_ddgamma ? du*ddgamma : A(0)) + (HAS_ddx ? (xhat*mean_ddx_scaled + (xhat*mean_g_xhat_scaled_2 + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd : A(0)) - mean_d2xhat_part - mean_ddgamma_du - xhat*mean_d2xhat_part_xhat - (HAS_ddgamma ? xhat*mean_ddgamma_du_xhat : A(0)))*rstd : A(0);  // step 91
  out_d2x = d2x;
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
  const bool streams_ddy = streams && is_even(to.out_ddy, D);
  const bool streams_dx = streams && is_even(to.out_dx, D);
  Scratch<S> kept(4ll * D);
  S* const kept_Phi_u = kept.entries + 0ll * D;
  S* const kept_du = kept.entries + 1ll * D;
  S* const kept_g = kept.entries + 2ll * D;
  S* const kept_d2xhat_part = kept.entries + 3ll * D;
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(2, 0, D);
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
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A beta = READS_beta ? read<S>(to.beta + column, width) : A(0);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          A now_Phi_u;
          A now_du;
          A now_g;
          mean_ddgamma_du_xhat(x, dy, ddx, gamma, beta, ddgamma, row, lanes, now_Phi_u, now_du, now_g);
          write(kept_Phi_u + column, width, now_Phi_u);
          write(kept_du + column, width, now_du);
          write(kept_g + column, width, now_g);
        });
        after_mean_ddgamma_du_xhat(row, sums);
      }
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A beta = READS_beta ? read<S>(to.beta + column, width) : A(0);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          const A ddbeta = READS_ddbeta ? read<S>(to.ddbeta + column, width) : A(0);
          const A Phi_u = read<S>(kept_Phi_u + column, width);
          const A du = read<S>(kept_du + column, width);
          A over_rows[SUMS_INTO_COLUMNS];
          A now_d2xhat_part;
          A out_ddy;
          mean_d2xhat_part_xhat(x, dy, ddx, gamma, beta, ddgamma, ddbeta, Phi_u, du, row, lanes, over_rows, out_ddy, now_d2xhat_part);
          write(kept_d2xhat_part + column, width, now_d2xhat_part);
          columns.template add<0x3>(D, column, width, over_rows);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
        });
        after_mean_d2xhat_part_xhat(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          const A du = read<S>(kept_du + column, width);
          const A g = read<S>(kept_g + column, width);
          const A d2xhat_part = read<S>(kept_d2xhat_part + column, width);
          A out_d2x;
          stage_3(x, ddgamma, du, g, d2xhat_part, row, out_d2x);
          write_once(to.out_dx + offset + column, width, out_d2x, streams_dx);
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
  const P* beta;
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
LNGEN_INLINE void finish(A d2gamma, A d2beta, const Scalars<S>& row, A& out_d2gamma, A& out_d2beta) {
  out_d2gamma = d2gamma;
  out_d2beta = d2beta;
}

template <class T, class S> void work(const Arguments<T, S, S>& to, const Work& on, bool) {
  using A = S;
  const int D = to.D;
  const S* const workspace = first_line(to.workspace);
  const long long entries = chunk_entries(2, 0, D);
  Scalars<S> row;
  row.D = A(D);
  each_column<S>(D, [&](int column, auto width) {
    using A = Lanes<S>;
    const A d2gamma = (HAS_ddbeta && HAS_gamma) || (HAS_ddgamma && HAS_gamma) || (HAS_ddx && HAS_gamma) ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
    const A d2beta = (HAS_beta && HAS_ddbeta) || (HAS_beta && HAS_ddgamma) || (HAS_beta && HAS_ddx) ? column_total(workspace, on.chunks, entries, 1 * column_entries(D) + column, width) : A(0);
    A out_d2gamma;
    A out_d2beta;
    finish(d2gamma, d2beta, row, out_d2gamma, out_d2beta);
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
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<const Computed*>(arrays[7]),
       static_cast<const Computed*>(arrays[8]),
       static_cast<const Computed*>(arrays[9]),
       static_cast<Row*>(arrays[10]),
       static_cast<Row*>(arrays[11]),
       static_cast<Computed*>(arrays[12]),
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
       static_cast<Computed*>(arrays[5]),
       static_cast<Computed*>(arrays[6]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// Centred rows divided by their mean absolute deviation.
// Made by lngen 0.1.0 from the definition of mean_abs_norm.
// Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 9 flops per row element; backward 3 row tensors (2 read, 1 written), 18 flops per row element.
// Evidence: 1 output, 17 steps, 32 first lines, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     y_dot = gamma_dot*xhat + beta_dot + scale*gamma*(x_dot + mean(x_dot)*(xhat*mean(sign(xhat)) - 1) - xhat*mean(x_dot*sign(xhat)))
// backward_backward:
//     g = gamma*dy
//     mean_g = mean(g)
//     mean_sign_xhat = mean(sign(xhat))
//     mean_g_xhat = mean(g*xhat)
//     dmean_g_xhat = sum(scale*ddx*(mean_sign_xhat - sign(xhat)))
//     dmean_g = sum(-scale*ddx)
//     dg = scale*ddx + dmean_g_xhat*xhat/D + dmean_g/D
//     d2xhat = ddgamma*dy + dmean_g_xhat*g/D
//     d2scale = sum(d2xhat*x_centred) + sum(ddx*(g + mean_g_xhat*(mean_sign_xhat - sign(xhat)) - mean_g))
//     d2spread = -d2scale*scale**2
//     d2x_centred = scale*d2xhat + d2spread*sign(x_centred)/D
//     d2mu = sum(-d2x_centred)
//     d2x = d2x_centred + d2mu/D
//     d2gamma = sum_rows(dg*dy)
//     d2beta = 0
//     ddy = gamma*dg + ddgamma*xhat + ddbeta
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* mu, const Computed* mu_residual, const Computed*
//         scale, const Parameter* gamma, const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot,
//         long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* mu, const Computed*
//         mu_residual, const Computed* scale, const Parameter* gamma, const Parameter* ddgamma, const Parameter*
//         ddbeta, Row* out_dx, Row* out_ddy, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const Parameter*
//         ddgamma, const Parameter* ddbeta, Parameter* out_dgamma, Parameter* out_dbeta, int D)
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

constexpr bool READS_x = HAS_gamma_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_gamma = HAS_gamma && HAS_x_dot;
constexpr bool READS_gamma_dot = HAS_gamma_dot;
constexpr bool READS_beta_dot = HAS_beta_dot;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* x_dot;
  const A* mu;
  const A* mu_residual;
  const A* scale;
  const P* gamma;
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
  A scale;
  A mean_xhat;
  A mean_x_dot;
  A mean_x_dot_xhat;
};

// Stage 1 of 2: mean_xhat = mean(sign(xhat)); mean_x_dot = mean(x_dot); mean_x_dot_xhat = mean(x_dot*sign(xhat))
template <class A, class S>
LNGEN_INLINE void mean_x_dot_xhat(A x, A x_dot, const Scalars<S>& row, A (&sums)[3]) {
  const A mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*scale;  // step 5
  if (HAS_x_dot) sums[0] += math::sign(xhat);  // step 34: mean_xhat
  if (HAS_x_dot) sums[1] += x_dot;  // step 34: mean_x_dot
  if (HAS_x_dot) sums[2] += math::sign(xhat)*x_dot;  // step 34: mean_x_dot_xhat
}

template <class A>
LNGEN_INLINE void after_mean_x_dot_xhat(Scalars<A>& row, const A (&sums)[3]) {
  const A mean_xhat = math::quotient(sums[0], row.D);  // step 34: mean(sign(xhat))
  const A mean_x_dot = math::quotient(sums[1], row.D);  // step 34: mean(x_dot)
  const A mean_x_dot_xhat = math::quotient(sums[2], row.D);  // step 34: mean(x_dot*sign(xhat))
  row.mean_xhat = mean_xhat;
  row.mean_x_dot = mean_x_dot;
  row.mean_x_dot_xhat = mean_x_dot_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A x_dot, A gamma, A gamma_dot, A beta_dot, const Scalars<S>& row, A& out_y_dot) {
  const A mean_x_dot = row.mean_x_dot, mean_x_dot_xhat = row.mean_x_dot_xhat, mean_xhat = row.mean_xhat, mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*scale;  // step 5
  const A y_dot = (HAS_beta_dot || HAS_gamma_dot || HAS_x_dot) ? (HAS_gamma_dot ? xhat*gamma_dot : A(0)) + (HAS_x_dot ? (x_dot + (xhat*mean_xhat - A(1))*mean_x_dot - xhat*mean_x_dot_xhat)*scale*gamma : A(0)) + beta_dot : A(0);  // step 34
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
      row.scale = to.scale[i];
      {
        S sums[3];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
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
          const A gamma_dot = READS_gamma_dot ? read<S>(to.gamma_dot + column, width) : A(0);
          const A beta_dot = READS_beta_dot ? read<S>(to.beta_dot + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_x_dot && streams) prefetch(to.x_dot + offset + D + column);
          A out_y_dot;
          stage_2(x, x_dot, gamma, gamma_dot, beta_dot, row, out_y_dot);
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
       static_cast<Row*>(arrays[8]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddgamma || HAS_ddx;
constexpr bool READS_dy = HAS_ddgamma || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_gamma = HAS_ddx && HAS_gamma;
constexpr bool READS_ddgamma = HAS_ddgamma;
constexpr bool READS_ddbeta = HAS_ddbeta;
constexpr int SUMS_INTO_COLUMNS = 1;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_ddx && HAS_gamma);

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* dy;
  const T* ddx;
  const A* mu;
  const A* mu_residual;
  const A* scale;
  const P* gamma;
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
  A scale;
  A mean_g;
  A mean_sign_xhat;
  A mean_g_xhat;
  A dmean_g;
  A dmean_g_scaled;
  A dmean_g_xhat;
  A sum_ddx_g_xhat;
  A dmean_g_xhat_scaled;
  A sum_d2xhat_x_centred;
  A d2scale;
  A d2scale_scaled;
  A d2spread;
  A d2spread_scaled;
  A d2mu;
  A d2mu_scaled;
};

// Stage 1 of 5: mean_g = mean(g); mean_sign_xhat = mean(sign(xhat)); mean_g_xhat = mean(g*xhat); dmean_g = sum(-scale*ddx)
template <class A, class S>
LNGEN_INLINE void dmean_g(A x, A dy, A ddx, A gamma, const Scalars<S>& row, A (&sums)[4]) {
  const A mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*scale;  // step 5
  const A g = dy*gamma;  // step 35
  if (HAS_ddx) sums[0] += g;  // step 39: mean_g
  if (HAS_ddx) sums[1] += math::sign(xhat);  // step 38: mean_sign_xhat
  if (HAS_ddx) sums[2] += g*xhat;  // step 36: mean_g_xhat
  if (HAS_ddx) sums[3] += -ddx*scale;  // step 49: dmean_g
}

template <class A>
LNGEN_INLINE void after_dmean_g(Scalars<A>& row, const A (&sums)[4]) {
  const A D = row.D;
  const A mean_g = math::quotient(sums[0], row.D);  // step 39: mean(g)
  const A mean_sign_xhat = math::quotient(sums[1], row.D);  // step 38: mean(sign(xhat))
  const A mean_g_xhat = math::quotient(sums[2], row.D);  // step 36: mean(g*xhat)
  const A dmean_g = sums[3];  // step 49: sum(-scale*ddx)
  const A dmean_g_scaled = HAS_ddx ? math::quotient(dmean_g, D) : A(0);  // step 50
  row.mean_g = mean_g;
  row.mean_sign_xhat = mean_sign_xhat;
  row.mean_g_xhat = mean_g_xhat;
  row.dmean_g = dmean_g;
  row.dmean_g_scaled = dmean_g_scaled;
}

// Stage 2 of 5: dmean_g_xhat = sum(scale*ddx*(mean_sign_xhat - sign(xhat))); sum_ddx_g_xhat = sum(ddx*(-mean_g + mean_g_xhat*(mean_sign_xhat - sign(xhat)) + g))
template <class A, class S>
LNGEN_INLINE void sum_ddx_g_xhat(A x, A dy, A ddx, A gamma, const Scalars<S>& row, A (&sums)[2]) {
  const A mean_g = row.mean_g, mean_g_xhat = row.mean_g_xhat, mean_sign_xhat = row.mean_sign_xhat, mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*scale;  // step 5
  const A g = dy*gamma;  // step 35
  if (HAS_ddx) sums[0] += ddx*(mean_sign_xhat - math::sign(xhat))*scale;  // step 41: dmean_g_xhat
  if (HAS_ddx) sums[1] += (g + (mean_sign_xhat - math::sign(xhat))*mean_g_xhat - mean_g)*ddx;  // step 43: sum_ddx_g_xhat
}

template <class A>
LNGEN_INLINE void after_sum_ddx_g_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A D = row.D;
  const A dmean_g_xhat = sums[0];  // step 41: sum(scale*ddx*(mean_sign_xhat - sign(xhat)))
  const A sum_ddx_g_xhat = sums[1];  // step 43: sum(ddx*(-mean_g + mean_g_xhat*(mean_sign_xhat - sign(xhat)) + g))
  const A dmean_g_xhat_scaled = HAS_ddx ? math::quotient(dmean_g_xhat, D) : A(0);  // step 50
  row.dmean_g_xhat = dmean_g_xhat;
  row.sum_ddx_g_xhat = sum_ddx_g_xhat;
  row.dmean_g_xhat_scaled = dmean_g_xhat_scaled;
}

// Stage 3 of 5: sum_d2xhat_x_centred = sum(d2xhat*x_centred)
template <class A, class S>
LNGEN_INLINE void sum_d2xhat_x_centred(A x, A dy, A ddx, A gamma, A ddgamma, A ddbeta, const Scalars<S>& row, A (&sums)[1], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_ddy) {
  const A dmean_g_scaled = row.dmean_g_scaled, dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*scale;  // step 5
  const A g = dy*gamma;  // step 35
  const A dg = HAS_ddx ? xhat*dmean_g_xhat_scaled + ddx*scale + dmean_g_scaled : A(0);  // step 50
  const A d2xhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) : A(0);  // step 42
  const A ddy = (HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? xhat*ddgamma : A(0)) + (HAS_ddx ? dg*gamma : A(0)) + ddbeta : A(0);  // step 54
  if (HAS_ddgamma || HAS_ddx) sums[0] += d2xhat*x_centred;  // step 43: sum_d2xhat_x_centred
  if (HAS_ddx && HAS_gamma) over_rows[0] = dg*dy;  // step 51: d2gamma
  out_ddy = ddy;
}

template <class A>
LNGEN_INLINE void after_sum_d2xhat_x_centred(Scalars<A>& row, const A (&sums)[1]) {
  const A D = row.D, scale = row.scale, sum_ddx_g_xhat = row.sum_ddx_g_xhat;
  const A sum_d2xhat_x_centred = sums[0];  // step 43: sum(d2xhat*x_centred)
  const A d2scale = (HAS_ddgamma || HAS_ddx) ? sum_d2xhat_x_centred + sum_ddx_g_xhat : A(0);  // step 43
  const A d2scale_scaled = (HAS_ddgamma || HAS_ddx) ? d2scale*scale : A(0);  // step 45
  const A d2spread = (HAS_ddgamma || HAS_ddx) ? -d2scale_scaled*scale : A(0);  // step 45
  const A d2spread_scaled = (HAS_ddgamma || HAS_ddx) ? math::quotient(d2spread, D) : A(0);  // step 46
  row.sum_d2xhat_x_centred = sum_d2xhat_x_centred;
  row.d2scale = d2scale;
  row.d2scale_scaled = d2scale_scaled;
  row.d2spread = d2spread;
  row.d2spread_scaled = d2spread_scaled;
}

// Stage 4 of 5: d2mu = sum(-d2x_centred)
template <class A, class S>
LNGEN_INLINE void d2mu(A x, A dy, A gamma, A ddgamma, const Scalars<S>& row, A (&sums)[1]) {
  const A d2spread_scaled = row.d2spread_scaled, dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A g = dy*gamma;  // step 35
  const A d2xhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) : A(0);  // step 42
  const A d2x_centred = (HAS_ddgamma || HAS_ddx) ? d2xhat*scale + math::sign(x_centred)*d2spread_scaled : A(0);  // step 46
  if (HAS_ddgamma || HAS_ddx) sums[0] += -d2x_centred;  // step 47: d2mu
}

template <class A>
LNGEN_INLINE void after_d2mu(Scalars<A>& row, const A (&sums)[1]) {
  const A D = row.D;
  const A d2mu = sums[0];  // step 47: sum(-d2x_centred)
  const A d2mu_scaled = (HAS_ddgamma || HAS_ddx) ? math::quotient(d2mu, D) : A(0);  // step 48
  row.d2mu = d2mu;
  row.d2mu_scaled = d2mu_scaled;
}

// Stage 5 of 5
template <class A, class S>
LNGEN_INLINE void stage_5(A x, A dy, A gamma, A ddgamma, const Scalars<S>& row, A& out_d2x) {
  const A d2mu_scaled = row.d2mu_scaled, d2spread_scaled = row.d2spread_scaled, dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, scale = row.scale;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A g = dy*gamma;  // step 35
  const A d2xhat = (HAS_ddgamma || HAS_ddx) ? (HAS_ddgamma ? dy*ddgamma : A(0)) + (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) : A(0);  // step 42
  const A d2x_centred = (HAS_ddgamma || HAS_ddx) ? d2xhat*scale + math::sign(x_centred)*d2spread_scaled : A(0);  // step 46
  const A d2x = (HAS_ddgamma || HAS_ddx) ? d2x_centred + d2mu_scaled : A(0);  // step 48
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
  for (long long chunk = on.first; chunk < on.end; ++chunk) {
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(1, 0, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.mu = to.mu[i];
      row.mu_residual = to.mu_residual[i];
      row.scale = to.scale[i];
      {
        S sums[4];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          dmean_g(x, dy, ddx, gamma, row, lanes);
        });
        after_dmean_g(row, sums);
      }
      {
        S sums[2];
        sweep<0, 0>(D, sums, {A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          sum_ddx_g_xhat(x, dy, ddx, gamma, row, lanes);
        });
        after_sum_ddx_g_xhat(row, sums);
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          const A ddbeta = READS_ddbeta ? read<S>(to.ddbeta + column, width) : A(0);
          A over_rows[SUMS_INTO_COLUMNS];
          A out_ddy;
          sum_d2xhat_x_centred(x, dy, ddx, gamma, ddgamma, ddbeta, row, lanes, over_rows, out_ddy);
          columns.template add<0x1>(D, column, width, over_rows);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
        });
        after_sum_d2xhat_x_centred(row, sums);
      }
      {
        S sums[1];
        sweep<0, 0>(D, sums, {A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          d2mu(x, dy, gamma, ddgamma, row, lanes);
        });
        after_d2mu(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          A out_d2x;
          stage_5(x, dy, gamma, ddgamma, row, out_d2x);
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
  const A d2beta = A(0);  // step 52
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
    const A d2gamma = HAS_ddx && HAS_gamma ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
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
       static_cast<const Computed*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<const Computed*>(arrays[7]),
       static_cast<const Computed*>(arrays[8]),
       static_cast<Row*>(arrays[9]),
       static_cast<Row*>(arrays[10]),
       static_cast<Computed*>(arrays[11]),
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

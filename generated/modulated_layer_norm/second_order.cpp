// Layer normalization whose output is gated by one number a row.
// Made by lngen 0.1.0 from the definition of modulated_layer_norm.
// Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 10 flops per row element; backward 3 row tensors (2 read, 1 written), 21 flops per row element.
// Evidence: 1 output, 23 steps, 36 first lines, 2 identities, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
// templates sha256:8bff722d98e565353fcd549e022a8ca3c2eb8d9ce3fd01db58351e7457603af2
//
// jvp:
//     y_dot = gate_dot*(gamma*xhat + beta) + gate*(gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat)))
// backward_backward:
//     g = gate*gamma*dy
//     mean_g = mean(g)
//     mean_g_xhat = mean(g*xhat)
//     dmean_product = D*ddgate
//     dmean_g_xhat = sum(-rstd*ddx*xhat)
//     dmean_g = sum(-rstd*ddx)
//     dg = rstd*ddx + dmean_g_xhat*xhat/D + dmean_g/D
//     d2xhat = gate*ddgamma*dy + dmean_g_xhat*g/D + dmean_product*gamma*dy/D - mean_g_xhat*rstd*ddx
//     d2rstd = sum(d2xhat*x_centred) + sum(ddx*(g - mean_g - mean_g_xhat*xhat))
//     d2var = -d2rstd*rstd**3/2
//     d2x_centred = rstd*d2xhat + 2*d2var*x_centred/D
//     d2mu = sum(-d2x_centred)
//     d2x = d2x_centred + d2mu/D
//     d2gate = sum(ddbeta*dy) + sum(gamma*dg*dy) + sum(ddgamma*dy*xhat)
//     d2gamma = sum_rows(dy*(gate*dg + dmean_product*xhat/D))
//     d2beta = sum_rows(dmean_product*dy)/D
//     ddy = gate*ddbeta + gate*gamma*dg + gate*ddgamma*xhat + dmean_product*(gamma*xhat + beta)/D
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* gate, const Row* x_dot, const Row* gate_dot, const Computed* mu, const
//         Computed* mu_residual, const Computed* rstd, const Parameter* gamma, const Parameter* beta, const
//         Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* gate, const Row* dy, const Row* ddx, const Row* ddgate,
//         const Computed* mu, const Computed* mu_residual, const Computed* rstd, const Parameter* gamma, const
//         Parameter* beta, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_dgate, Row*
//         out_ddy, Computed* workspace, long long rows, int D)
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
//     LNGEN_WITHOUT_ddgate   ddgate is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_ddx      ddx is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma    gamma is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gamma_dot gamma_dot is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gate     gate is left out; it and its gradient are compiled away
//     LNGEN_WITHOUT_gate_dot gate_dot is left out; it and its gradient are compiled away
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
#ifdef LNGEN_WITHOUT_ddgate
constexpr bool HAS_ddgate = false;
#else
constexpr bool HAS_ddgate = true;
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
#ifdef LNGEN_WITHOUT_gate
constexpr bool HAS_gate = false;
#else
constexpr bool HAS_gate = true;
#endif
#ifdef LNGEN_WITHOUT_gate_dot
constexpr bool HAS_gate_dot = false;
#else
constexpr bool HAS_gate_dot = true;
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

constexpr bool READS_x = HAS_gamma_dot || HAS_gate_dot || HAS_x_dot;
constexpr bool READS_x_dot = HAS_x_dot;
constexpr bool READS_gate = (HAS_beta_dot && HAS_gate) || (HAS_gamma_dot && HAS_gate) || (HAS_gate && HAS_x_dot);
constexpr bool READS_gate_dot = HAS_gate_dot;
constexpr bool READS_gamma = (HAS_gamma && HAS_gate_dot) || (HAS_gamma && HAS_x_dot);
constexpr bool READS_beta = HAS_beta && HAS_gate_dot;
constexpr bool READS_gamma_dot = HAS_gamma_dot;
constexpr bool READS_beta_dot = HAS_beta_dot;

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* gate;
  const T* x_dot;
  const T* gate_dot;
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
  A gate;
  A gate_dot;
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
  if (HAS_x_dot) sums[0] += x_dot;  // step 39: mean_x_dot
  if (HAS_x_dot) sums[1] += x_dot*xhat;  // step 39: mean_x_dot_xhat
}

template <class A>
LNGEN_INLINE void after_mean_x_dot_xhat(Scalars<A>& row, const A (&sums)[2]) {
  const A mean_x_dot = math::quotient(sums[0], row.D);  // step 39: mean(x_dot)
  const A mean_x_dot_xhat = math::quotient(sums[1], row.D);  // step 39: mean(x_dot*xhat)
  row.mean_x_dot = mean_x_dot;
  row.mean_x_dot_xhat = mean_x_dot_xhat;
}

// Stage 2 of 2
template <class A, class S>
LNGEN_INLINE void stage_2(A x, A x_dot, A gamma, A beta, A gamma_dot, A beta_dot, const Scalars<S>& row, A& out_y_dot) {
  const A gate = row.gate, gate_dot = row.gate_dot, mean_x_dot = row.mean_x_dot, mean_x_dot_xhat = row.mean_x_dot_xhat, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A y_dot = (HAS_beta_dot || HAS_gamma_dot || HAS_gate_dot || HAS_x_dot) ? (HAS_gate_dot ? (xhat*gamma + beta)*gate_dot : A(0)) + ((HAS_beta_dot || HAS_gamma_dot || HAS_x_dot) ? ((HAS_gamma_dot ? xhat*gamma_dot : A(0)) + (HAS_x_dot ? (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma : A(0)) + beta_dot)*gate : A(0)) : A(0);  // step 39
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
      row.gate = READS_gate ? widen<S>(to.gate[i]) : A(1);
      row.gate_dot = READS_gate_dot ? widen<S>(to.gate_dot[i]) : A(0);
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
       static_cast<const Row*>(arrays[2]),
       static_cast<const Row*>(arrays[3]),
       static_cast<const Computed*>(arrays[4]),
       static_cast<const Computed*>(arrays[5]),
       static_cast<const Computed*>(arrays[6]),
       static_cast<const Computed*>(arrays[7]),
       static_cast<const Computed*>(arrays[8]),
       static_cast<const Computed*>(arrays[9]),
       static_cast<const Computed*>(arrays[10]),
       static_cast<Row*>(arrays[11]),
       sizes[0],
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

// ================================================================================================ backward_backward

namespace lngen {
namespace backward_backward {

constexpr bool READS_x = HAS_ddgamma || HAS_ddgate || HAS_ddx;
constexpr bool READS_dy = (HAS_ddbeta && HAS_gate) || HAS_ddgamma || HAS_ddgate || HAS_ddx;
constexpr bool READS_ddx = HAS_ddx;
constexpr bool READS_gate = (HAS_ddbeta && HAS_gate) || (HAS_ddgamma && HAS_gate) || (HAS_ddx && HAS_gate);
constexpr bool READS_ddgate = HAS_ddgate;
constexpr bool READS_gamma = (HAS_ddgate && HAS_gamma) || (HAS_ddx && HAS_gamma);
constexpr bool READS_beta = HAS_beta && HAS_ddgate;
constexpr bool READS_ddgamma = HAS_ddgamma;
constexpr bool READS_ddbeta = HAS_ddbeta;
constexpr int SUMS_INTO_COLUMNS = 2;
constexpr unsigned long long COLUMNS_WANTED = bit(0, HAS_beta && HAS_ddgate) | bit(1, (HAS_ddgate && HAS_gamma) || (HAS_ddx && HAS_gamma));

template <class T, class P, class A> struct Arguments {
  const T* x;
  const T* gate;
  const T* dy;
  const T* ddx;
  const T* ddgate;
  const A* mu;
  const A* mu_residual;
  const A* rstd;
  const P* gamma;
  const P* beta;
  const P* ddgamma;
  const P* ddbeta;
  T* out_dx;
  T* out_dgate;
  T* out_ddy;
  A* workspace;
  long long rows;
  int D;
};

// Values that do not vary over the features: of the call, then of the row.
template <class A> struct Scalars {
  A D;
  A gate;
  A ddgate;
  A mu;
  A mu_residual;
  A rstd;
  A dmean_product;
  A dmean_product_scaled;
  A mean_g;
  A mean_g_xhat;
  A dmean_g_xhat;
  A dmean_g;
  A sum_ddbeta_dy;
  A sum_ddgamma_dy_xhat;
  A dmean_g_scaled;
  A dmean_g_xhat_scaled;
  A mean_g_xhat_scaled;
  A sum_ddx_g_xhat;
  A sum_d2xhat_x_centred;
  A sum_dg_dy_gamma;
  A d2rstd;
  A d2rstd_scaled;
  A d2var;
  A d2var_scaled;
  A d2gate;
  A d2mu;
  A d2mu_scaled;
};

// Stage 1 of 5
template <class A>
LNGEN_INLINE void after_stage_1(Scalars<A>& row) {
  const A D = row.D, ddgate = row.ddgate;
  const A dmean_product = HAS_ddgate ? ddgate*D : A(0);  // step 47
  const A dmean_product_scaled = HAS_ddgate ? math::quotient(dmean_product, D) : A(0);  // step 49
  row.dmean_product = dmean_product;
  row.dmean_product_scaled = dmean_product_scaled;
}

// Stage 2 of 5: mean_g = mean(g); mean_g_xhat = mean(g*xhat); dmean_g_xhat = sum(-rstd*ddx*xhat); dmean_g = sum(-rstd*ddx); sum_ddbeta_dy = sum(ddbeta*dy); sum_ddgamma_dy_xhat = sum(ddgamma*dy*xhat)
template <class A, class S>
LNGEN_INLINE void sum_ddgamma_dy_xhat(A x, A dy, A ddx, A gamma, A ddgamma, A ddbeta, const Scalars<S>& row, A (&sums)[6], A (&over_rows)[SUMS_INTO_COLUMNS]) {
  const A dmean_product = row.dmean_product, gate = row.gate, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*gate*gamma;  // step 40
  if (HAS_ddx) sums[0] += g;  // step 42: mean_g
  if (HAS_ddx) sums[1] += g*xhat;  // step 41: mean_g_xhat
  if (HAS_ddx) sums[2] += -ddx*xhat*rstd;  // step 48: dmean_g_xhat
  if (HAS_ddx) sums[3] += -ddx*rstd;  // step 57: dmean_g
  if (HAS_ddbeta && HAS_gate) sums[4] += dy*ddbeta;  // step 59: sum_ddbeta_dy
  if (HAS_ddgamma && HAS_gate) sums[5] += dy*xhat*ddgamma;  // step 59: sum_ddgamma_dy_xhat
  if (HAS_beta && HAS_ddgate) over_rows[0] = dy*dmean_product;  // step 63: d2beta_rows
}

template <class A>
LNGEN_INLINE void after_sum_ddgamma_dy_xhat(Scalars<A>& row, const A (&sums)[6]) {
  const A D = row.D, rstd = row.rstd;
  const A mean_g = math::quotient(sums[0], row.D);  // step 42: mean(g)
  const A mean_g_xhat = math::quotient(sums[1], row.D);  // step 41: mean(g*xhat)
  const A dmean_g_xhat = sums[2];  // step 48: sum(-rstd*ddx*xhat)
  const A dmean_g = sums[3];  // step 57: sum(-rstd*ddx)
  const A sum_ddbeta_dy = sums[4];  // step 59: sum(ddbeta*dy)
  const A sum_ddgamma_dy_xhat = sums[5];  // step 59: sum(ddgamma*dy*xhat)
  const A dmean_g_scaled = HAS_ddx ? math::quotient(dmean_g, D) : A(0);  // step 58
  const A dmean_g_xhat_scaled = HAS_ddx ? math::quotient(dmean_g_xhat, D) : A(0);  // step 58
  const A mean_g_xhat_scaled = mean_g_xhat*rstd;  // step 49
  row.mean_g = mean_g;
  row.mean_g_xhat = mean_g_xhat;
  row.dmean_g_xhat = dmean_g_xhat;
  row.dmean_g = dmean_g;
  row.sum_ddbeta_dy = sum_ddbeta_dy;
  row.sum_ddgamma_dy_xhat = sum_ddgamma_dy_xhat;
  row.dmean_g_scaled = dmean_g_scaled;
  row.dmean_g_xhat_scaled = dmean_g_xhat_scaled;
  row.mean_g_xhat_scaled = mean_g_xhat_scaled;
}

// Stage 3 of 5: sum_ddx_g_xhat = sum(ddx*(-mean_g - mean_g_xhat*xhat + g)); sum_d2xhat_x_centred = sum(d2xhat*x_centred); sum_dg_dy_gamma = sum(gamma*dg*dy)
template <class A, class S>
LNGEN_INLINE void sum_dg_dy_gamma(A x, A dy, A ddx, A gamma, A beta, A ddgamma, A ddbeta, const Scalars<S>& row, A (&sums)[3], A (&over_rows)[SUMS_INTO_COLUMNS], A& out_ddy) {
  const A dmean_g_scaled = row.dmean_g_scaled, dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, dmean_product_scaled = row.dmean_product_scaled, gate = row.gate, mean_g = row.mean_g, mean_g_xhat = row.mean_g_xhat, mean_g_xhat_scaled = row.mean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A xhat = x_centred*rstd;  // step 5
  const A g = dy*gate*gamma;  // step 40
  const A dg = HAS_ddx ? xhat*dmean_g_xhat_scaled + ddx*rstd + dmean_g_scaled : A(0);  // step 58
  const A d2xhat = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) + (HAS_ddgamma ? dy*gate*ddgamma : A(0)) + (HAS_ddgate ? dy*dmean_product_scaled*gamma : A(0)) - (HAS_ddx ? ddx*mean_g_xhat_scaled : A(0)) : A(0);  // step 49
  const A ddy = (HAS_ddbeta || HAS_ddgamma || HAS_ddgate || HAS_ddx) ? (HAS_ddbeta ? gate*ddbeta : A(0)) + (HAS_ddgamma ? xhat*gate*ddgamma : A(0)) + (HAS_ddx ? dg*gate*gamma : A(0)) + (HAS_ddgate ? (xhat*gamma + beta)*dmean_product_scaled : A(0)) : A(0);  // step 64
  if (HAS_ddx) sums[0] += (g - mean_g - xhat*mean_g_xhat)*ddx;  // step 50: sum_ddx_g_xhat
  if (HAS_ddgamma || HAS_ddgate || HAS_ddx) sums[1] += d2xhat*x_centred;  // step 50: sum_d2xhat_x_centred
  if (HAS_ddx && HAS_gate) sums[2] += dg*dy*gamma;  // step 59: sum_dg_dy_gamma
  if ((HAS_ddgate && HAS_gamma) || (HAS_ddx && HAS_gamma)) over_rows[1] = ((HAS_ddgate ? xhat*dmean_product_scaled : A(0)) + (HAS_ddx ? dg*gate : A(0)))*dy;  // step 61: d2gamma
  out_ddy = ddy;
}

template <class A>
LNGEN_INLINE void after_sum_dg_dy_gamma(Scalars<A>& row, const A (&sums)[3]) {
  const A D = row.D, rstd = row.rstd, sum_ddbeta_dy = row.sum_ddbeta_dy, sum_ddgamma_dy_xhat = row.sum_ddgamma_dy_xhat;
  const A sum_ddx_g_xhat = sums[0];  // step 50: sum(ddx*(-mean_g - mean_g_xhat*xhat + g))
  const A sum_d2xhat_x_centred = sums[1];  // step 50: sum(d2xhat*x_centred)
  const A sum_dg_dy_gamma = sums[2];  // step 59: sum(gamma*dg*dy)
  const A d2rstd = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? sum_d2xhat_x_centred + sum_ddx_g_xhat : A(0);  // step 50
  const A d2rstd_scaled = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? d2rstd*rstd : A(0);  // step 52
  const A d2var = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? A(-0.5)*d2rstd_scaled*(rstd*rstd) : A(0);  // step 52
  const A d2var_scaled = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? math::quotient(A(2)*d2var, D) : A(0);  // step 53
  const A d2gate = (HAS_ddbeta || HAS_ddgamma || HAS_ddx) ? sum_ddbeta_dy + sum_ddgamma_dy_xhat + sum_dg_dy_gamma : A(0);  // step 59
  row.sum_ddx_g_xhat = sum_ddx_g_xhat;
  row.sum_d2xhat_x_centred = sum_d2xhat_x_centred;
  row.sum_dg_dy_gamma = sum_dg_dy_gamma;
  row.d2rstd = d2rstd;
  row.d2rstd_scaled = d2rstd_scaled;
  row.d2var = d2var;
  row.d2var_scaled = d2var_scaled;
  row.d2gate = d2gate;
}

// Stage 4 of 5: d2mu = sum(-d2x_centred)
template <class A, class S>
LNGEN_INLINE void d2mu(A x, A dy, A ddx, A gamma, A ddgamma, const Scalars<S>& row, A (&sums)[1]) {
  const A d2var_scaled = row.d2var_scaled, dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, dmean_product_scaled = row.dmean_product_scaled, gate = row.gate, mean_g_xhat_scaled = row.mean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A g = dy*gate*gamma;  // step 40
  const A d2xhat = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) + (HAS_ddgamma ? dy*gate*ddgamma : A(0)) + (HAS_ddgate ? dy*dmean_product_scaled*gamma : A(0)) - (HAS_ddx ? ddx*mean_g_xhat_scaled : A(0)) : A(0);  // step 49
  const A d2x_centred = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? x_centred*d2var_scaled + d2xhat*rstd : A(0);  // step 53
  if (HAS_ddgamma || HAS_ddgate || HAS_ddx) sums[0] += -d2x_centred;  // step 54: d2mu
}

template <class A>
LNGEN_INLINE void after_d2mu(Scalars<A>& row, const A (&sums)[1]) {
  const A D = row.D;
  const A d2mu = sums[0];  // step 54: sum(-d2x_centred)
  const A d2mu_scaled = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? math::quotient(d2mu, D) : A(0);  // step 55
  row.d2mu = d2mu;
  row.d2mu_scaled = d2mu_scaled;
}

// Stage 5 of 5
template <class A, class S>
LNGEN_INLINE void stage_5(A x, A dy, A ddx, A gamma, A ddgamma, const Scalars<S>& row, A& out_d2x) {
  const A d2mu_scaled = row.d2mu_scaled, d2var_scaled = row.d2var_scaled, dmean_g_xhat_scaled = row.dmean_g_xhat_scaled, dmean_product_scaled = row.dmean_product_scaled, gate = row.gate, mean_g_xhat_scaled = row.mean_g_xhat_scaled, mu = row.mu, mu_residual = row.mu_residual, rstd = row.rstd;
  const A x_shifted = x - mu;  // step 2
  const A x_centred = x_shifted - mu_residual;  // step 2
  const A g = dy*gate*gamma;  // step 40
  const A d2xhat = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? (HAS_ddx ? g*dmean_g_xhat_scaled : A(0)) + (HAS_ddgamma ? dy*gate*ddgamma : A(0)) + (HAS_ddgate ? dy*dmean_product_scaled*gamma : A(0)) - (HAS_ddx ? ddx*mean_g_xhat_scaled : A(0)) : A(0);  // step 49
  const A d2x_centred = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? x_centred*d2var_scaled + d2xhat*rstd : A(0);  // step 53
  const A d2x = (HAS_ddgamma || HAS_ddgate || HAS_ddx) ? d2x_centred + d2mu_scaled : A(0);  // step 55
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
    S* const workspace = first_line(to.workspace) + chunk * chunk_entries(2, 0, D);
    ColumnSums<S, COLUMNS_WANTED, SUMS_INTO_COLUMNS> columns(workspace, D);
    for (long long i = on.row(chunk); i < on.row(chunk + 1); ++i) {
      const long long offset = i * D;
      Scalars<S> row = call;
      row.mu = to.mu[i];
      row.mu_residual = to.mu_residual[i];
      row.rstd = to.rstd[i];
      row.gate = READS_gate ? widen<S>(to.gate[i]) : A(1);
      row.ddgate = READS_ddgate ? widen<S>(to.ddgate[i]) : A(0);
      {
        after_stage_1(row);
      }
      {
        S sums[6];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0), A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          const A ddbeta = READS_ddbeta ? read<S>(to.ddbeta + column, width) : A(0);
          A over_rows[SUMS_INTO_COLUMNS];
          sum_ddgamma_dy_xhat(x, dy, ddx, gamma, ddgamma, ddbeta, row, lanes, over_rows);
          columns.template add<0x1>(D, column, width, over_rows);
        });
        after_sum_ddgamma_dy_xhat(row, sums);
      }
      {
        S sums[3];
        sweep<0, 0>(D, sums, {A(0), A(0), A(0)}, [&](int column, auto width, auto& lanes) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A beta = READS_beta ? read<S>(to.beta + column, width) : A(0);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          const A ddbeta = READS_ddbeta ? read<S>(to.ddbeta + column, width) : A(0);
          A over_rows[SUMS_INTO_COLUMNS];
          A out_ddy;
          sum_dg_dy_gamma(x, dy, ddx, gamma, beta, ddgamma, ddbeta, row, lanes, over_rows, out_ddy);
          columns.template add<0x2>(D, column, width, over_rows);
          write_once(to.out_ddy + offset + column, width, out_ddy, streams_ddy);
        });
        after_sum_dg_dy_gamma(row, sums);
        if (HAS_gate) to.out_dgate[i] = narrow<T>(row.d2gate);
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
          d2mu(x, dy, ddx, gamma, ddgamma, row, lanes);
        });
        after_d2mu(row, sums);
      }
      {
        each_column<S>(D, [&](int column, auto width) {
          using A = Lanes<S>;
          const A x = READS_x ? read<S>(to.x + offset + column, width) : A(0);
          const A dy = READS_dy ? read<S>(to.dy + offset + column, width) : A(0);
          const A ddx = READS_ddx ? read<S>(to.ddx + offset + column, width) : A(0);
          const A gamma = READS_gamma ? read<S>(to.gamma + column, width) : A(1);
          const A ddgamma = READS_ddgamma ? read<S>(to.ddgamma + column, width) : A(0);
          if (READS_x && streams) prefetch(to.x + offset + D + column);
          if (READS_dy && streams) prefetch(to.dy + offset + D + column);
          if (READS_ddx && streams) prefetch(to.ddx + offset + D + column);
          A out_d2x;
          stage_5(x, dy, ddx, gamma, ddgamma, row, out_d2x);
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
LNGEN_INLINE void finish(A d2beta_rows, A d2gamma, const Scalars<S>& row, A& out_d2gamma, A& out_d2beta) {
  const A D = row.D;
  const A d2beta = HAS_ddgate ? math::quotient(d2beta_rows, D) : A(0);  // step 63
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
    const A d2beta_rows = HAS_beta && HAS_ddgate ? column_total(workspace, on.chunks, entries, 0 * column_entries(D) + column, width) : A(0);
    const A d2gamma = (HAS_ddgate && HAS_gamma) || (HAS_ddx && HAS_gamma) ? column_total(workspace, on.chunks, entries, 1 * column_entries(D) + column, width) : A(0);
    A out_d2gamma;
    A out_d2beta;
    finish(d2beta_rows, d2gamma, row, out_d2gamma, out_d2beta);
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
       static_cast<const Computed*>(arrays[11]),
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
       static_cast<const Computed*>(arrays[4]),
       static_cast<Computed*>(arrays[5]),
       static_cast<Computed*>(arrays[6]),
       int(sizes[1])},
      Work{sizes[0], int(sizes[1]), sizes[2], sizes[3], sizes[4]}, sizes[5]);
}

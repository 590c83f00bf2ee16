// Layer normalization, then the Gaussian error linear unit.
// Made by lngen 0.1.0 from the definition of layer_norm_gelu; derivation.md has its steps, cost and evidence.
// Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
// definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
//
// The layer for programs of C++ on the processor: functions in the namespace layer_norm_gelu, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER layer_norm_gelu
#endif
#define LNGEN_TYPED
#include "kernels.cpp"
#include "second_order.cpp"
#include "../_runtime/native/typed.h"

namespace LNGEN_LAYER {

using lngen::LNGEN_SPACE::Computed;
using lngen::LNGEN_SPACE::Integer;
using lngen::LNGEN_SPACE::OneInteger;
using lngen::LNGEN_SPACE::Parameter;
using lngen::LNGEN_SPACE::Row;

// What forward saves for the other directions: a number for each row.
struct Saved {
  Computed* mu;
  Computed* mu_residual;
  Computed* rstd;
};

// mu = mean(x)
// var = mean((x - mu)**2)
// rstd = 1/sqrt(var + eps)
// xhat = rstd*(x - mu)
// u = gamma*xhat + beta
// Phi_u = Phi(u)
// y = Phi_u*u
inline void forward(const Row* x, const Parameter* gamma, const Parameter* beta, Computed eps, Row* out_y,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, gamma, beta, out_y, saved.mu, saved.mu_residual, saved.rstd}, {eps}, {}, rows, D, threads);
}

// du = dy*(Phi_u + u*phi(u))
// g = gamma*du
// dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
// dgamma = sum_rows(du*xhat)
// dbeta = sum_rows(du)
inline void backward(const Row* x, const Row* dy, const Parameter* gamma, const Parameter* beta, Row* out_dx,
    Parameter* out_dgamma, Parameter* out_dbeta, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 2, 0};
  kernels.call({x, dy, saved.mu, saved.mu_residual, saved.rstd, gamma, beta, out_dx}, {},
    {gamma, beta, out_dgamma, out_dbeta}, rows, D, threads);
}

// y_dot = (Phi_u + u*phi(u))*(gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat)))
inline void jvp(const Row* x, const Row* x_dot, const Parameter* gamma, const Parameter* beta,
    const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot, const Saved& saved, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, x_dot, saved.mu, saved.mu_residual, saved.rstd, gamma, beta, gamma_dot, beta_dot, out_y_dot}, {},
    {}, rows, D, threads);
}

// du = dy*(Phi_u + u*phi(u))
// g = gamma*du
// mean_g = mean(g)
// mean_g_xhat = mean(g*xhat)
// dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
// ddu = gamma*dg + ddgamma*xhat + ddbeta
// d2u = ddu*dy*phi(u)*(2 - u**2)
// d2xhat_part = gamma*d2u - mean_g_xhat*rstd*ddx
// d2x = rstd*(d2xhat_part + ddgamma*du + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) - mean(d2xhat_part) - mean(ddgamma*du) - xhat*mean(d2xhat_part*xhat) - xhat*mean(ddgamma*du*xhat))
// d2gamma = sum_rows(d2u*xhat + dg*du)
// d2beta = sum_rows(d2u)
// ddy = ddu*(Phi_u + u*phi(u))
inline void backward_backward(const Row* x, const Row* dy, const Row* ddx, const Parameter* gamma,
    const Parameter* beta, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_ddy,
    Parameter* out_dgamma, Parameter* out_dbeta, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 2, 0};
  kernels.call({x, dy, ddx, saved.mu, saved.mu_residual, saved.rstd, gamma, beta, ddgamma, ddbeta, out_dx, out_ddy},
    {}, {gamma, beta, ddgamma, ddbeta, out_dgamma, out_dbeta}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

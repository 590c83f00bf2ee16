// Residual addition, then layer normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
// definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
//
// The layer for programs of C++ on the processor: functions in the namespace add_layer_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER add_layer_norm
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

// h = x + residual
// mu = mean(h)
// var = mean((h - mu)**2)
// rstd = 1/sqrt(var + eps)
// xhat = rstd*(h - mu)
// y = gamma*xhat + beta
inline void forward(const Row* x, const Row* residual, const Parameter* gamma, const Parameter* beta, Computed eps,
    Row* out_y, Row* out_h, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, residual, gamma, beta, out_y, out_h, saved.mu, saved.mu_residual, saved.rstd}, {eps}, {}, rows,
    D, threads);
}

// g = gamma*dy
// dx = dh + rstd*(g - mean(g) - xhat*mean(g*xhat))
// dresidual = dx
// dgamma = sum_rows(dy*xhat)
// dbeta = sum_rows(dy)
inline void backward(const Row* h, const Row* dy, const Row* dh, const Parameter* gamma, Row* out_dx,
    Row* out_dresidual, Parameter* out_dgamma, Parameter* out_dbeta, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 2, 0};
  kernels.call({h, dy, dh, saved.mu, saved.mu_residual, saved.rstd, gamma, out_dx, out_dresidual}, {},
    {gamma, out_dgamma, out_dbeta}, rows, D, threads);
}

// h_dot = residual_dot + x_dot
// y_dot = gamma_dot*xhat + beta_dot + rstd*gamma*(h_dot - mean(h_dot) - xhat*mean(h_dot*xhat))
inline void jvp(const Row* h, const Row* x_dot, const Row* residual_dot, const Parameter* gamma,
    const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot, Row* out_h_dot, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
kernels.call({h, x_dot, residual_dot, saved.mu, saved.mu_residual, saved.rstd, gamma, gamma_dot, beta_dot, out_y_dot, out_h_dot},
    {}, {}, rows, D, threads);
}

// g = gamma*dy
// mean_g = mean(g)
// mean_g_xhat = mean(g*xhat)
// ddh = ddresidual + ddx
// dg = rstd*(ddh - mean(ddh) - xhat*mean(ddh*xhat))
// d2x = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddh) + mean(ddh*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddh*g) - mean_g_xhat*(ddh - mean(ddh))) - mean(ddgamma*dy) - xhat*mean(ddgamma*dy*xhat))
// d2residual = d2x
// d2gamma = sum_rows(dg*dy)
// d2beta = 0
// ddy = gamma*dg + ddgamma*xhat + ddbeta
inline void backward_backward(const Row* h, const Row* dy, const Row* dh, const Row* ddx, const Row* ddresidual,
    const Parameter* gamma, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_dresidual,
    Row* out_ddy, Row* out_ddh, Parameter* out_dgamma, Parameter* out_dbeta, const Saved& saved, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 1, 0};
kernels.call({h, dy, dh, ddx, ddresidual, saved.mu, saved.mu_residual, saved.rstd, gamma, ddgamma, ddbeta, out_dx, out_dresidual, out_ddy, out_ddh},
    {}, {gamma, ddgamma, ddbeta, out_dgamma, out_dbeta}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// Centred rows divided by their mean absolute deviation.
// Made by lngen 0.1.0 from the definition of mean_abs_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
// definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
//
// The layer for programs of C++ on the processor: functions in the namespace mean_abs_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER mean_abs_norm
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
  Computed* scale;
};

// mu = mean(x)
// spread = mean(abs(mu - x))
// scale = 1/(spread + eps)
// xhat = scale*(x - mu)
// y = gamma*xhat + beta
inline void forward(const Row* x, const Parameter* gamma, const Parameter* beta, Computed eps, Row* out_y,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, gamma, beta, out_y, saved.mu, saved.mu_residual, saved.scale}, {eps}, {}, rows, D, threads);
}

// g = gamma*dy
// dx = scale*(g + mean(g*xhat)*(mean(sign(xhat)) - sign(xhat)) - mean(g))
// dgamma = sum_rows(dy*xhat)
// dbeta = sum_rows(dy)
inline void backward(const Row* x, const Row* dy, const Parameter* gamma, Row* out_dx, Parameter* out_dgamma,
    Parameter* out_dbeta, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 2, 0};
  kernels.call({x, dy, saved.mu, saved.mu_residual, saved.scale, gamma, out_dx}, {}, {gamma, out_dgamma, out_dbeta},
    rows, D, threads);
}

// y_dot = gamma_dot*xhat + beta_dot + scale*gamma*(x_dot + mean(x_dot)*(xhat*mean(sign(xhat)) - 1) - xhat*mean(x_dot*sign(xhat)))
inline void jvp(const Row* x, const Row* x_dot, const Parameter* gamma, const Parameter* gamma_dot,
    const Parameter* beta_dot, Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, x_dot, saved.mu, saved.mu_residual, saved.scale, gamma, gamma_dot, beta_dot, out_y_dot}, {}, {},
    rows, D, threads);
}

// g = gamma*dy
// mean_g = mean(g)
// mean_sign_xhat = mean(sign(xhat))
// mean_g_xhat = mean(g*xhat)
// dmean_g_xhat = sum(scale*ddx*(mean_sign_xhat - sign(xhat)))
// dmean_g = sum(-scale*ddx)
// dg = scale*ddx + dmean_g_xhat*xhat/D + dmean_g/D
// d2xhat = ddgamma*dy + dmean_g_xhat*g/D
// d2scale = sum(d2xhat*x_centred) + sum(ddx*(g + mean_g_xhat*(mean_sign_xhat - sign(xhat)) - mean_g))
// d2spread = -d2scale*scale**2
// d2x_centred = scale*d2xhat + d2spread*sign(x_centred)/D
// d2mu = sum(-d2x_centred)
// d2x = d2x_centred + d2mu/D
// d2gamma = sum_rows(dg*dy)
// d2beta = 0
// ddy = gamma*dg + ddgamma*xhat + ddbeta
inline void backward_backward(const Row* x, const Row* dy, const Row* ddx, const Parameter* gamma,
    const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_ddy, Parameter* out_dgamma,
    Parameter* out_dbeta, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 1, 0};
  kernels.call({x, dy, ddx, saved.mu, saved.mu_residual, saved.scale, gamma, ddgamma, ddbeta, out_dx, out_ddy}, {},
    {gamma, ddgamma, ddbeta, out_dgamma, out_dbeta}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

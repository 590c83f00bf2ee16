// Group normalization: each row is the channels of a group, with all that lies behind them.
// Made by lngen 0.1.0 from the definition of group_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit group_norm.py and run: lngen derive group_norm.py
// definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
//
// The layer for programs of C++ on the processor: functions in the namespace group_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER group_norm
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
// y = beta + gamma*xhat
inline void forward(const Row* x, const Row* gamma, const Row* beta, Computed eps, Row* out_y, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, gamma, beta, out_y, saved.mu, saved.mu_residual, saved.rstd}, {eps}, {}, rows, D, threads);
}

// g = dy*gamma
// dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
// dgamma = sum(dy*xhat, "n ...")
// dbeta = sum(dy, "n ...")
inline void backward(const Row* x, const Row* gamma, const Row* dy, Row* out_dx, Row* out_dgamma, Row* out_dbeta,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, gamma, dy, saved.mu, saved.mu_residual, saved.rstd, out_dx, out_dgamma, out_dbeta}, {}, {}, rows,
    D, threads);
}

// y_dot = beta_dot + gamma_dot*xhat + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat))
inline void jvp(const Row* x, const Row* gamma, const Row* x_dot, const Row* gamma_dot, const Row* beta_dot,
    Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, gamma, x_dot, gamma_dot, beta_dot, saved.mu, saved.mu_residual, saved.rstd, out_y_dot}, {}, {},
    rows, D, threads);
}

// g = dy*gamma
// mean_g = mean(g)
// mean_g_xhat = mean(g*xhat)
// dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
// d2xhat_part = ddgamma*dy - mean_g_xhat*rstd*ddx
// d2x = rstd*(d2xhat_part + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) - mean(d2xhat_part) - xhat*mean(d2xhat_part*xhat))
// d2gamma = sum(dg*dy, "n ...")
// d2beta = sum(0, "n ...")
// ddy = ddbeta + dg*gamma + ddgamma*xhat
inline void backward_backward(const Row* x, const Row* gamma, const Row* dy, const Row* ddx, const Row* ddgamma,
    const Row* ddbeta, Row* out_dx, Row* out_dgamma, Row* out_dbeta, Row* out_ddy, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
kernels.call({x, gamma, dy, ddx, ddgamma, ddbeta, saved.mu, saved.mu_residual, saved.rstd, out_dx, out_dgamma, out_dbeta, out_ddy},
    {}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

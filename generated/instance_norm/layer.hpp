// Instance normalization: each row is one channel of one sample.
// Made by lngen 0.1.0 from the definition of instance_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit instance_norm.py and run: lngen derive instance_norm.py
// definition sha256:b5148130fa04fb83b22ef02c31a0abe56635cbf333f94f18c3e787dc808ec6ba
//
// The layer for programs of C++ on the processor: functions in the namespace instance_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER instance_norm
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
// y = gamma*xhat + beta
inline void forward(const Row* x, const Row* gamma, const Row* beta, Computed eps, Row* out_y, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, gamma, beta, out_y, saved.mu, saved.mu_residual, saved.rstd}, {eps}, {}, rows, D, threads);
}

// g = gamma*dy
// dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
// dgamma = sum(sum(dy*xhat), "n")
// dbeta = sum(sum(dy), "n")
inline void backward(const Row* x, const Row* gamma, const Row* dy, Row* out_dx, Row* out_dgamma, Row* out_dbeta,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, gamma, dy, saved.mu, saved.mu_residual, saved.rstd, out_dx, out_dgamma, out_dbeta}, {}, {}, rows,
    D, threads);
}

// y_dot = gamma_dot*xhat + beta_dot + gamma*rstd*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat))
inline void jvp(const Row* x, const Row* gamma, const Row* x_dot, const Row* gamma_dot, const Row* beta_dot,
    Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, gamma, x_dot, gamma_dot, beta_dot, saved.mu, saved.mu_residual, saved.rstd, out_y_dot}, {}, {},
    rows, D, threads);
}

// g = gamma*dy
// mean_g = mean(g)
// mean_g_xhat = mean(g*xhat)
// mean_dy_xhat = mean(dy*xhat)
// mean_dy = mean(dy)
// dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
// d2x = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g) - mean_g_xhat*(ddx - mean(ddx))) - ddgamma*mean_dy - ddgamma*mean_dy_xhat*xhat)
// d2gamma = sum(sum(dg*dy), "n")
// d2beta = sum(0, "n")
// ddy = gamma*dg + ddgamma*xhat + ddbeta
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

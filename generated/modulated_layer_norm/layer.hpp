// Layer normalization whose output is gated by one number a row.
// Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
// definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
//
// The layer for programs of C++ on the processor: functions in the namespace modulated_layer_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER modulated_layer_norm
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
// y = gate*(gamma*xhat + beta)
inline void forward(const Row* x, const Row* gate, const Parameter* gamma, const Parameter* beta, Computed eps,
    Row* out_y, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, gate, gamma, beta, out_y, saved.mu, saved.mu_residual, saved.rstd}, {eps}, {}, rows, D, threads);
}

// g = gate*gamma*dy
// dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
// dgate = sum(dy*(gamma*xhat + beta))
// dgamma = sum_rows(gate*dy*xhat)
// dbeta = sum_rows(gate*dy)
inline void backward(const Row* x, const Row* gate, const Row* dy, const Parameter* gamma, const Parameter* beta,
    Row* out_dx, Row* out_dgate, Parameter* out_dgamma, Parameter* out_dbeta, const Saved& saved, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 2, 0};
  kernels.call({x, gate, dy, saved.mu, saved.mu_residual, saved.rstd, gamma, beta, out_dx, out_dgate}, {},
    {gamma, beta, out_dgamma, out_dbeta}, rows, D, threads);
}

// y_dot = gate_dot*(gamma*xhat + beta) + gate*(gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat)))
inline void jvp(const Row* x, const Row* gate, const Row* x_dot, const Row* gate_dot, const Parameter* gamma,
    const Parameter* beta, const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
kernels.call({x, gate, x_dot, gate_dot, saved.mu, saved.mu_residual, saved.rstd, gamma, beta, gamma_dot, beta_dot, out_y_dot},
    {}, {}, rows, D, threads);
}

// g = gate*gamma*dy
// mean_g = mean(g)
// mean_g_xhat = mean(g*xhat)
// dmean_product = D*ddgate
// dmean_g_xhat = sum(-rstd*ddx*xhat)
// dmean_g = sum(-rstd*ddx)
// dg = rstd*ddx + dmean_g_xhat*xhat/D + dmean_g/D
// d2xhat = gate*ddgamma*dy + dmean_g_xhat*g/D + dmean_product*gamma*dy/D - mean_g_xhat*rstd*ddx
// d2rstd = sum(d2xhat*x_centred) + sum(ddx*(g - mean_g - mean_g_xhat*xhat))
// d2var = -d2rstd*rstd**3/2
// d2x_centred = rstd*d2xhat + 2*d2var*x_centred/D
// d2mu = sum(-d2x_centred)
// d2x = d2x_centred + d2mu/D
// d2gate = sum(ddbeta*dy) + sum(gamma*dg*dy) + sum(ddgamma*dy*xhat)
// d2gamma = sum_rows(dy*(gate*dg + dmean_product*xhat/D))
// d2beta = sum_rows(dmean_product*dy)/D
// ddy = gate*ddbeta + gate*gamma*dg + gate*ddgamma*xhat + dmean_product*(gamma*xhat + beta)/D
inline void backward_backward(const Row* x, const Row* gate, const Row* dy, const Row* ddx, const Row* ddgate,
    const Parameter* gamma, const Parameter* beta, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx,
    Row* out_dgate, Row* out_ddy, Parameter* out_dgamma, Parameter* out_dbeta, const Saved& saved, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 2, 0};
kernels.call({x, gate, dy, ddx, ddgate, saved.mu, saved.mu_residual, saved.rstd, gamma, beta, ddgamma, ddbeta, out_dx, out_dgate, out_ddy},
    {}, {gamma, beta, ddgamma, ddbeta, out_dgamma, out_dbeta}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

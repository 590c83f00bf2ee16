// Dynamic tanh: an elementwise layer in the place of a norm.
// Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
// Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
// definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
//
// The layer for programs of C++ on the processor: functions in the namespace dynamic_tanh, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dynamic_tanh
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

// u = alpha*x
// t = tanh(u)
// y = gamma*t + beta
inline void forward(const Row* x, const Parameter* alpha, const Parameter* gamma, const Parameter* beta, Row* out_y,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, alpha, gamma, beta, out_y}, {}, {}, rows, D, threads);
}

// du = gamma*dy*(1 - t)*(1 + t)
// dx = alpha*du
// dalpha = sum_rows(sum(du*x))
// dgamma = sum_rows(dy*t)
// dbeta = sum_rows(dy)
inline void backward(const Row* x, const Row* dy, const Parameter* alpha, const Parameter* gamma, Row* out_dx,
    Parameter* out_dalpha, Parameter* out_dgamma, Parameter* out_dbeta, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 2, 1};
  kernels.call({x, dy, alpha, gamma, out_dx}, {}, {alpha, gamma, out_dalpha, out_dgamma, out_dbeta}, rows, D,
    threads);
}

// y_dot = gamma_dot*t + gamma*(1 - t)*(1 + t)*(alpha_dot*x + alpha*x_dot) + beta_dot
inline void jvp(const Row* x, const Row* x_dot, const Parameter* alpha, const Parameter* gamma,
    const Parameter* alpha_dot, const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, x_dot, alpha, gamma, alpha_dot, gamma_dot, beta_dot, out_y_dot}, {}, {}, rows, D, threads);
}

// du = gamma*dy*(1 - t)*(1 + t)
// ddu = ddalpha*x + alpha*ddx
// d2u = dy*(1 - t)*(1 + t)*(ddgamma - 2*gamma*ddu*t)
// d2x = alpha*d2u + ddalpha*du
// d2alpha = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
// d2gamma = sum_rows(ddu*dy*(1 - t)*(1 + t))
// d2beta = 0
// ddy = ddgamma*t + gamma*ddu*(1 - t)*(1 + t) + ddbeta
inline void backward_backward(const Row* x, const Row* dy, const Row* ddx, const Parameter* alpha,
    const Parameter* gamma, const Parameter* ddalpha, const Parameter* ddgamma, const Parameter* ddbeta,
    Row* out_dx, Row* out_ddy, Parameter* out_dalpha, Parameter* out_dgamma, Parameter* out_dbeta, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 1, 1};
  kernels.call({x, dy, ddx, alpha, gamma, ddalpha, ddgamma, ddbeta, out_dx, out_ddy}, {},
    {alpha, gamma, ddalpha, ddgamma, ddbeta, out_dalpha, out_dgamma, out_dbeta}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

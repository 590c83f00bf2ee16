// Dynamic tanh: an elementwise layer in the place of a norm.
// Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
// Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
// definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
//
// The layer for programs of CUDA C++: functions in the namespace dynamic_tanh, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dynamic_tanh
#endif
#ifndef LNGEN_ROWS
#define LNGEN_ROWS f32
#endif
#define LNGEN_TYPED
#include "kernels.cu"
#include "second_order.cu"
#include "../_runtime/cuda/typed.cuh"

namespace LNGEN_LAYER {

using Row = lngen::LNGEN_ROWS;
using Parameter = lngen::LNGEN_SPACE::Parameter<Row>;
using Computed = lngen::LNGEN_SPACE::Computed<Row>;
using lngen::LNGEN_SPACE::Integer;
using lngen::LNGEN_SPACE::OneInteger;

#ifdef LNGEN_FORWARD
// u = alpha*x
// t = tanh(u)
// y = gamma*t + beta
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Parameter* alpha, const Parameter* gamma,
    const Parameter* beta, Row* out_y, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, alpha, gamma, beta, out_y, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// du = gamma*dy*(1 - t)*(1 + t)
// dx = alpha*du
// dalpha = sum_rows(sum(du*x))
// dgamma = sum_rows(dy*t)
// dbeta = sum_rows(dy)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* dy, const Parameter* alpha,
    const Parameter* gamma, Row* out_dx, Parameter* out_dalpha, Parameter* out_dgamma, Parameter* out_dbeta,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (2ll*D + 1));
  LNGEN_LAUNCH_ON(on, backward, blocks, x, dy, alpha, gamma, out_dx, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, alpha, gamma,
    out_dalpha, out_dgamma, out_dbeta, D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = gamma_dot*t + gamma*(1 - t)*(1 + t)*(alpha_dot*x + alpha*x_dot) + beta_dot
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* x_dot, const Parameter* alpha,
    const Parameter* gamma, const Parameter* alpha_dot, const Parameter* gamma_dot, const Parameter* beta_dot,
    Row* out_y_dot, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, x_dot, alpha, gamma, alpha_dot, gamma_dot, beta_dot, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// du = gamma*dy*(1 - t)*(1 + t)
// ddu = ddalpha*x + alpha*ddx
// d2u = dy*(1 - t)*(1 + t)*(ddgamma - 2*gamma*ddu*t)
// d2x = alpha*d2u + ddalpha*du
// d2alpha = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
// d2gamma = sum_rows(ddu*dy*(1 - t)*(1 + t))
// d2beta = 0
// ddy = ddgamma*t + gamma*ddu*(1 - t)*(1 + t) + ddbeta
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* dy, const Row* ddx,
    const Parameter* alpha, const Parameter* gamma, const Parameter* ddalpha, const Parameter* ddgamma,
    const Parameter* ddbeta, Row* out_dx, Row* out_ddy, Parameter* out_dalpha, Parameter* out_dgamma,
    Parameter* out_dbeta, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 1));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, dy, ddx, alpha, gamma, ddalpha, ddgamma, ddbeta, out_dx,
    out_ddy, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    alpha, gamma, ddalpha, ddgamma, ddbeta, out_dalpha, out_dgamma, out_dbeta, D);
  on.free(workspace);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// Dropout, residual addition, then layer normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
// definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
//
// The layer for programs of CUDA C++: functions in the namespace dropout_add_layer_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dropout_add_layer_norm
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

// What forward saves for the other directions: a number for each row.
struct Saved {
  Computed* mu;
  Computed* mu_residual;
  Computed* rstd;
};

#ifdef LNGEN_FORWARD
// uniform_seed = uniform(seed)
// h = residual + where(uniform_seed >= p, x/(1 - p), 0)
// mu = mean(h)
// var = mean((h - mu)**2)
// rstd = 1/sqrt(var + eps)
// xhat = rstd*(h - mu)
// y = gamma*xhat + beta
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* residual, const OneInteger* seed,
    const Parameter* gamma, const Parameter* beta, Computed p, Computed eps, Row* out_y, Row* out_h,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, residual, seed, gamma, beta, p, eps, out_y, out_h, saved.mu,
    saved.mu_residual, saved.rstd, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = gamma*dy
// dresidual = dh + rstd*(g - mean(g) - xhat*mean(g*xhat))
// dx = where(uniform_seed >= p, dresidual/(1 - p), 0)
// dgamma = sum_rows(dy*xhat)
// dbeta = sum_rows(dy)
inline cudaError_t backward(cudaStream_t stream, const Row* h, const Row* dy, const Row* dh, const OneInteger* seed,
    const Parameter* gamma, Computed p, Row* out_dx, Row* out_dresidual, Parameter* out_dgamma,
    Parameter* out_dbeta, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (2ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward, blocks, h, dy, dh, saved.mu, saved.mu_residual, saved.rstd, seed, gamma, p, out_dx,
    out_dresidual, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, seed, gamma, p,
    out_dgamma, out_dbeta, D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// h_dot = residual_dot + where(uniform_seed >= p, x_dot/(1 - p), 0)
// y_dot = gamma_dot*xhat + beta_dot + rstd*gamma*(h_dot - mean(h_dot) - xhat*mean(h_dot*xhat))
inline cudaError_t jvp(cudaStream_t stream, const Row* h, const Row* x_dot, const Row* residual_dot,
    const OneInteger* seed, const Parameter* gamma, Computed p, const Parameter* gamma_dot,
    const Parameter* beta_dot, Row* out_y_dot, Row* out_h_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, h, x_dot, residual_dot, saved.mu, saved.mu_residual, saved.rstd, seed, gamma, p,
    gamma_dot, beta_dot, out_y_dot, out_h_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = gamma*dy
// mean_g = mean(g)
// mean_g_xhat = mean(g*xhat)
// ddh = ddresidual + where(uniform_seed >= p, ddx/(1 - p), 0)
// dg = rstd*(ddh - mean(ddh) - xhat*mean(ddh*xhat))
// d2residual = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddh) + mean(ddh*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddh*g) - mean_g_xhat*(ddh - mean(ddh))) - mean(ddgamma*dy) - xhat*mean(ddgamma*dy*xhat))
// d2x = where(uniform_seed >= p, d2residual/(1 - p), 0)
// d2gamma = sum_rows(dg*dy)
// d2beta = 0
// ddy = gamma*dg + ddgamma*xhat + ddbeta
inline cudaError_t backward_backward(cudaStream_t stream, const Row* h, const Row* dy, const Row* dh,
    const Row* ddx, const Row* ddresidual, const OneInteger* seed, const Parameter* gamma, Computed p,
    const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_dresidual, Row* out_ddy, Row* out_ddh,
    Parameter* out_dgamma, Parameter* out_dbeta, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, h, dy, dh, ddx, ddresidual, saved.mu, saved.mu_residual,
    saved.rstd, seed, gamma, p, ddgamma, ddbeta, out_dx, out_dresidual, out_ddy, out_ddh, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    seed, gamma, p, ddgamma, ddbeta, out_dgamma, out_dbeta, D);
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

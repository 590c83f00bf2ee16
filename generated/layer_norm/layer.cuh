// Layer normalization over the feature axis.
// Made by lngen 0.1.0 from the definition of layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit layer_norm.py and run: lngen derive layer_norm.py
// definition sha256:3f4f3519e955d61b03ab0d655ad5951c0892e0dd7b3076ac889a76a6492abbe1
//
// The layer for programs of CUDA C++: functions in the namespace layer_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER layer_norm
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
// mu = mean(x)
// var = mean((x - mu)**2)
// rstd = 1/sqrt(var + eps)
// xhat = rstd*(x - mu)
// y = gamma*xhat + beta
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Parameter* gamma, const Parameter* beta,
    Computed eps, Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, gamma, beta, eps, out_y, saved.mu, saved.mu_residual, saved.rstd, rows,
    D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = gamma*dy
// dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
// dgamma = sum_rows(dy*xhat)
// dbeta = sum_rows(dy)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* dy, const Parameter* gamma, Row* out_dx,
    Parameter* out_dgamma, Parameter* out_dbeta, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (2ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward, blocks, x, dy, saved.mu, saved.mu_residual, saved.rstd, gamma, out_dx, workspace,
    rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, gamma, out_dgamma,
    out_dbeta, D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* x_dot, const Parameter* gamma,
    const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, x_dot, saved.mu, saved.mu_residual, saved.rstd, gamma, gamma_dot, beta_dot,
    out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = gamma*dy
// mean_g = mean(g)
// mean_g_xhat = mean(g*xhat)
// dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
// d2x = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g) - mean_g_xhat*(ddx - mean(ddx))) - mean(ddgamma*dy) - xhat*mean(ddgamma*dy*xhat))
// d2gamma = sum_rows(dg*dy)
// d2beta = 0
// ddy = gamma*dg + ddgamma*xhat + ddbeta
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* dy, const Row* ddx,
    const Parameter* gamma, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_ddy,
    Parameter* out_dgamma, Parameter* out_dbeta, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, dy, ddx, saved.mu, saved.mu_residual, saved.rstd, gamma,
    ddgamma, ddbeta, out_dx, out_ddy, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    gamma, ddgamma, ddbeta, out_dgamma, out_dbeta, D);
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

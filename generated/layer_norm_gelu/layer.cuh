// Layer normalization, then the Gaussian error linear unit.
// Made by lngen 0.1.0 from the definition of layer_norm_gelu; derivation.md has its steps, cost and evidence.
// Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
// definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
//
// The layer for programs of CUDA C++: functions in the namespace layer_norm_gelu, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER layer_norm_gelu
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
// u = gamma*xhat + beta
// Phi_u = Phi(u)
// y = Phi_u*u
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
// du = dy*(Phi_u + u*phi(u))
// g = gamma*du
// dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
// dgamma = sum_rows(du*xhat)
// dbeta = sum_rows(du)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* dy, const Parameter* gamma,
    const Parameter* beta, Row* out_dx, Parameter* out_dgamma, Parameter* out_dbeta, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (2ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward, blocks, x, dy, saved.mu, saved.mu_residual, saved.rstd, gamma, beta, out_dx,
    workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, gamma, beta,
    out_dgamma, out_dbeta, D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = (Phi_u + u*phi(u))*(gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat)))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* x_dot, const Parameter* gamma,
    const Parameter* beta, const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, x_dot, saved.mu, saved.mu_residual, saved.rstd, gamma, beta, gamma_dot,
    beta_dot, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
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
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* dy, const Row* ddx,
    const Parameter* gamma, const Parameter* beta, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx,
    Row* out_ddy, Parameter* out_dgamma, Parameter* out_dbeta, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (2ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, dy, ddx, saved.mu, saved.mu_residual, saved.rstd, gamma, beta,
    ddgamma, ddbeta, out_dx, out_ddy, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    gamma, beta, ddgamma, ddbeta, out_dgamma, out_dbeta, D);
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

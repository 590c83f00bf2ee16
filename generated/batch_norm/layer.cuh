// Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.
// Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
// definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
//
// The layer for programs of CUDA C++: functions in the namespace batch_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER batch_norm
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
  Computed* mu_saved;
  Computed* mu_residual;
  Computed* rstd;
};

#ifdef LNGEN_FORWARD
// mu = mean(x)
// x_centred = x - mu
// var = mean(x_centred**2)
// rstd = 1/sqrt(var + eps)
// xhat = rstd*x_centred
// y = gamma*xhat + beta
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* gamma, const Row* beta, Computed eps,
    Row* out_y, Row* out_mu, Row* out_var, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, gamma, beta, eps, out_y, out_mu, out_var, saved.mu_saved,
    saved.mu_residual, saved.rstd, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = gamma*dy
// dx = 2*dvar*x_centred/D + dmu/D + rstd*(g - mean(g) - xhat*mean(g*xhat))
// dgamma = sum(dy*xhat)
// dbeta = sum(dy)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* gamma, const Row* dy, const Row* dmu,
    const Row* dvar, Row* out_dx, Row* out_dgamma, Row* out_dbeta, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, gamma, dy, dmu, dvar, saved.mu_saved, saved.mu_residual, saved.rstd,
    out_dx, out_dgamma, out_dbeta, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// mu_dot = mean(x_dot)
// x_centred_dot = x_dot - mu_dot
// var_dot = mean(2*x_centred*x_centred_dot)
// rstd_dot = -rstd**3*var_dot/2
// xhat_dot = rstd_dot*x_centred + rstd*x_centred_dot
// y_dot = gamma*xhat_dot + gamma_dot*xhat + beta_dot
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* gamma, const Row* x_dot, const Row* gamma_dot,
    const Row* beta_dot, Row* out_y_dot, Row* out_mu_dot, Row* out_var_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, gamma, x_dot, gamma_dot, beta_dot, saved.mu_residual, saved.rstd, out_y_dot,
    out_mu_dot, out_var_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = gamma*dy
// mean_g = mean(g)
// mean_g_xhat = mean(g*xhat)
// mean_dy_xhat = mean(dy*xhat)
// mean_dy = mean(dy)
// dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
// d2x = ddgamma*rstd*dy + mean_g*rstd**2*xhat*mean(ddx) + (2*dvar/D - mean_g_xhat*rstd**2)*(ddx - mean(ddx)) + rstd**2*mean(ddx*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - ddgamma*mean_dy*rstd - ddgamma*mean_dy_xhat*rstd*xhat - rstd**2*xhat*mean(ddx*g)
// d2gamma = sum(dg*dy)
// d2beta = 0
// ddy = gamma*dg + ddgamma*xhat + ddbeta
// ddmu = mean(ddx)
// ddvar = 2*mean(ddx*xhat)/rstd
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* gamma, const Row* dy,
    const Row* dmu, const Row* dvar, const Row* ddx, const Row* ddgamma, const Row* ddbeta, Row* out_dx,
    Row* out_dgamma, Row* out_dbeta, Row* out_ddy, Row* out_ddmu, Row* out_ddvar, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, gamma, dy, dmu, dvar, ddx, ddgamma, ddbeta, saved.mu_residual,
    saved.rstd, out_dx, out_dgamma, out_dbeta, out_ddy, out_ddmu, out_ddvar, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

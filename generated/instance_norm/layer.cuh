// Instance normalization: each row is one channel of one sample.
// Made by lngen 0.1.0 from the definition of instance_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit instance_norm.py and run: lngen derive instance_norm.py
// definition sha256:b5148130fa04fb83b22ef02c31a0abe56635cbf333f94f18c3e787dc808ec6ba
//
// The layer for programs of CUDA C++: functions in the namespace instance_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER instance_norm
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
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* gamma, const Row* beta, Computed eps,
    Row* out_y, const Saved& saved, long long rows) {
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
// dgamma = sum(sum(dy*xhat), "n")
// dbeta = sum(sum(dy), "n")
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* gamma, const Row* dy, Row* out_dx,
    Row* out_dgamma, Row* out_dbeta, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, gamma, dy, saved.mu, saved.mu_residual, saved.rstd, out_dx, out_dgamma,
    out_dbeta, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = gamma_dot*xhat + beta_dot + gamma*rstd*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* gamma, const Row* x_dot, const Row* gamma_dot,
    const Row* beta_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, gamma, x_dot, gamma_dot, beta_dot, saved.mu, saved.mu_residual, saved.rstd,
    out_y_dot, rows, D);
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
// d2x = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g) - mean_g_xhat*(ddx - mean(ddx))) - ddgamma*mean_dy - ddgamma*mean_dy_xhat*xhat)
// d2gamma = sum(sum(dg*dy), "n")
// d2beta = sum(0, "n")
// ddy = gamma*dg + ddgamma*xhat + ddbeta
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* gamma, const Row* dy,
    const Row* ddx, const Row* ddgamma, const Row* ddbeta, Row* out_dx, Row* out_dgamma, Row* out_dbeta,
    Row* out_ddy, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, gamma, dy, ddx, ddgamma, ddbeta, saved.mu, saved.mu_residual,
    saved.rstd, out_dx, out_dgamma, out_dbeta, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

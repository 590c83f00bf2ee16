// Layer normalization whose output is gated by one number a row.
// Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
// definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
//
// The layer for programs of CUDA C++: functions in the namespace modulated_layer_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER modulated_layer_norm
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
// y = gate*(gamma*xhat + beta)
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* gate, const Parameter* gamma,
    const Parameter* beta, Computed eps, Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, gate, gamma, beta, eps, out_y, saved.mu, saved.mu_residual, saved.rstd,
    rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = gate*gamma*dy
// dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
// dgate = sum(dy*(gamma*xhat + beta))
// dgamma = sum_rows(gate*dy*xhat)
// dbeta = sum_rows(gate*dy)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* gate, const Row* dy,
    const Parameter* gamma, const Parameter* beta, Row* out_dx, Row* out_dgate, Parameter* out_dgamma,
    Parameter* out_dbeta, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (2ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward, blocks, x, gate, dy, saved.mu, saved.mu_residual, saved.rstd, gamma, beta, out_dx,
    out_dgate, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, gamma, beta,
    out_dgamma, out_dbeta, D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = gate_dot*(gamma*xhat + beta) + gate*(gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat)))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* gate, const Row* x_dot, const Row* gate_dot,
    const Parameter* gamma, const Parameter* beta, const Parameter* gamma_dot, const Parameter* beta_dot,
    Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, gate, x_dot, gate_dot, saved.mu, saved.mu_residual, saved.rstd, gamma, beta,
    gamma_dot, beta_dot, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
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
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* gate, const Row* dy,
    const Row* ddx, const Row* ddgate, const Parameter* gamma, const Parameter* beta, const Parameter* ddgamma,
    const Parameter* ddbeta, Row* out_dx, Row* out_dgate, Row* out_ddy, Parameter* out_dgamma, Parameter* out_dbeta,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (2ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, gate, dy, ddx, ddgate, saved.mu, saved.mu_residual, saved.rstd,
    gamma, beta, ddgamma, ddbeta, out_dx, out_dgate, out_ddy, workspace, rows, D);
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

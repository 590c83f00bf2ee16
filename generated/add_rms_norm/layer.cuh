// Residual addition, then root-mean-square normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
// definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
//
// The layer for programs of CUDA C++: functions in the namespace add_rms_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER add_rms_norm
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
  Computed* rstd;
};

#ifdef LNGEN_FORWARD
// h = x + residual
// ms = mean(h**2)
// rstd = 1/sqrt(ms + eps)
// xhat = rstd*h
// y = gamma*xhat
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* residual, const Parameter* gamma,
    Computed eps, Row* out_y, Row* out_h, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, residual, gamma, eps, out_y, out_h, saved.rstd, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = gamma*dy
// dx = dh + rstd*(g - xhat*mean(g*xhat))
// dresidual = dx
// dgamma = sum_rows(dy*xhat)
inline cudaError_t backward(cudaStream_t stream, const Row* h, const Row* dy, const Row* dh, const Parameter* gamma,
    Row* out_dx, Row* out_dresidual, Parameter* out_dgamma, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward, blocks, h, dy, dh, saved.rstd, gamma, out_dx, out_dresidual, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, gamma, out_dgamma,
    D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// h_dot = residual_dot + x_dot
// y_dot = gamma_dot*xhat + rstd*gamma*(h_dot - xhat*mean(h_dot*xhat))
inline cudaError_t jvp(cudaStream_t stream, const Row* h, const Row* x_dot, const Row* residual_dot,
    const Parameter* gamma, const Parameter* gamma_dot, Row* out_y_dot, Row* out_h_dot, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, h, x_dot, residual_dot, saved.rstd, gamma, gamma_dot, out_y_dot, out_h_dot, rows,
    D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = gamma*dy
// mean_g_xhat = mean(g*xhat)
// ddh = ddresidual + ddx
// dg = rstd*(ddh - xhat*mean(ddh*xhat))
// d2x = rstd*(ddgamma*dy + rstd*(mean(ddh*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddh - xhat*mean(ddh*g)) - xhat*mean(ddgamma*dy*xhat))
// d2residual = d2x
// d2gamma = sum_rows(dg*dy)
// ddy = gamma*dg + ddgamma*xhat
inline cudaError_t backward_backward(cudaStream_t stream, const Row* h, const Row* dy, const Row* dh,
    const Row* ddx, const Row* ddresidual, const Parameter* gamma, const Parameter* ddgamma, Row* out_dx,
    Row* out_dresidual, Row* out_ddy, Row* out_ddh, Parameter* out_dgamma, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, h, dy, dh, ddx, ddresidual, saved.rstd, gamma, ddgamma, out_dx,
    out_dresidual, out_ddy, out_ddh, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    gamma, ddgamma, out_dgamma, D);
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

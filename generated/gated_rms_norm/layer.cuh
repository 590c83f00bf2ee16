// Root-mean-square normalization, then a gate: silu of another row.
// Made by lngen 0.1.0 from the definition of gated_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
// definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
//
// The layer for programs of CUDA C++: functions in the namespace gated_rms_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER gated_rms_norm
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
// ms = mean(x**2)
// rstd = 1/sqrt(ms + eps)
// xhat = rstd*x
// sigmoid_z = sigmoid(z)
// silu_z = sigmoid_z*z
// y = gamma*silu_z*xhat
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* z, const Parameter* gamma, Computed eps,
    Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, z, gamma, eps, out_y, saved.rstd, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = gamma*dy*silu_z
// dx = rstd*(g - xhat*mean(g*xhat))
// dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
// dgamma = sum_rows(dy*silu_z*xhat)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* z, const Row* dy, const Parameter* gamma,
    Row* out_dx, Row* out_dz, Parameter* out_dgamma, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward, blocks, x, z, dy, saved.rstd, gamma, out_dx, out_dz, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, gamma, out_dgamma,
    D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = gamma_dot*silu_z*xhat + gamma*sigmoid_z*xhat*z_dot*(1 + z*(1 - sigmoid_z)) + rstd*gamma*silu_z*(x_dot - xhat*mean(x_dot*xhat))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* z, const Row* x_dot, const Row* z_dot,
    const Parameter* gamma, const Parameter* gamma_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, z, x_dot, z_dot, saved.rstd, gamma, gamma_dot, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = gamma*dy*silu_z
// mean_g_xhat = mean(g*xhat)
// dg = rstd*(ddx - xhat*mean(ddx*xhat))
// d2silu_z = dy*(gamma*dg + ddgamma*xhat)
// d2xhat_part = gamma*ddz*dy*sigmoid_z*(1 + z*(1 - sigmoid_z)) - mean_g_xhat*rstd*ddx
// d2x = rstd*(d2xhat_part + ddgamma*dy*silu_z + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat) - xhat*mean(ddgamma*dy*silu_z*xhat))
// d2z = sigmoid_z*(d2silu_z + gamma*ddz*dy*xhat*(1 - sigmoid_z) + (1 - sigmoid_z)*(d2silu_z*z + gamma*ddz*dy*xhat*(1 + z*(1 - sigmoid_z) - silu_z)))
// d2gamma = sum_rows(dy*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))))
// ddy = ddgamma*silu_z*xhat + gamma*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z)))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* z, const Row* dy, const Row* ddx,
    const Row* ddz, const Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row* out_dz, Row* out_ddy,
    Parameter* out_dgamma, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, z, dy, ddx, ddz, saved.rstd, gamma, ddgamma, out_dx, out_dz,
    out_ddy, workspace, rows, D);
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

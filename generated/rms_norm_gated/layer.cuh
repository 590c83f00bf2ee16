// A gate, silu of another row, then root-mean-square normalization.
// Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
// Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
// definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
//
// The layer for programs of CUDA C++: functions in the namespace rms_norm_gated, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rms_norm_gated
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
// sigmoid_z = sigmoid(z)
// silu_z = sigmoid_z*z
// h = silu_z*x
// ms = mean(h**2)
// rstd = 1/sqrt(ms + eps)
// hhat = rstd*h
// y = gamma*hhat
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
// g = gamma*dy
// dh = rstd*(g - hhat*mean(g*hhat))
// dx = dh*silu_z
// dz = dh*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
// dgamma = sum_rows(dy*hhat)
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
// h_dot = silu_z*x_dot + sigmoid_z*x*z_dot*(1 + z*(1 - sigmoid_z))
// y_dot = gamma_dot*hhat + rstd*gamma*(h_dot - hhat*mean(h_dot*hhat))
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
// g = gamma*dy
// mean_g_hhat = mean(g*hhat)
// dh = rstd*(g - mean_g_hhat*hhat)
// ddh = ddx*silu_z + ddz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
// dg = rstd*(ddh - hhat*mean(ddh*hhat))
// d2h = rstd*(ddgamma*dy + rstd*(mean(ddh*hhat)*(3*mean_g_hhat*hhat - g) - mean_g_hhat*ddh - hhat*mean(ddh*g)) - hhat*mean(ddgamma*dy*hhat))
// d2silu_z = d2h*x + ddx*dh
// d2x = d2h*silu_z + ddz*dh*sigmoid_z*(1 + z*(1 - sigmoid_z))
// d2z = sigmoid_z*(d2silu_z + ddz*dh*x*(1 - sigmoid_z) + (1 - sigmoid_z)*(d2silu_z*z + ddz*dh*x*(1 + z*(1 - sigmoid_z) - silu_z)))
// d2gamma = sum_rows(dg*dy)
// ddy = gamma*dg + ddgamma*hhat
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

// Each row divided by its mean fourth power, to the power 1/4.
// Made by lngen 0.1.0 from the definition of power_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit power_norm.py and run: lngen derive power_norm.py
// definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
//
// The layer for programs of CUDA C++: functions in the namespace power_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER power_norm
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
  Computed* scale;
};

#ifdef LNGEN_FORWARD
// mean_x4 = mean(x**4)
// scale = 1/(mean_x4 + eps)**(1/4)
// xhat = scale*x
// y = gamma*xhat
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Parameter* gamma, Computed eps, Row* out_y,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, gamma, eps, out_y, saved.scale, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = gamma*dy
// dx = scale*(g - xhat**3*mean(g*xhat))
// dgamma = sum_rows(dy*xhat)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* dy, const Parameter* gamma, Row* out_dx,
    Parameter* out_dgamma, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward, blocks, x, dy, saved.scale, gamma, out_dx, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, gamma, out_dgamma,
    D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = gamma_dot*xhat + scale*gamma*(x_dot - xhat*mean(x_dot*xhat**3))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* x_dot, const Parameter* gamma,
    const Parameter* gamma_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, x_dot, saved.scale, gamma, gamma_dot, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = gamma*dy
// mean_g_xhat = mean(g*xhat)
// dmean_g_xhat = sum(-scale*ddx*xhat**3)
// dg = scale*ddx + dmean_g_xhat*xhat/D
// d2xhat = ddgamma*dy + dmean_g_xhat*g/D - 3*mean_g_xhat*scale*ddx*xhat**2
// d2scale = sum(d2xhat*x) + sum(ddx*(g - mean_g_xhat*xhat**3))
// d2mean_x4 = -d2scale*scale**5/4
// d2x = scale*d2xhat + 4*d2mean_x4*x**3/D
// d2gamma = sum_rows(dg*dy)
// ddy = gamma*dg + ddgamma*xhat
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* dy, const Row* ddx,
    const Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row* out_ddy, Parameter* out_dgamma,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, dy, ddx, saved.scale, gamma, ddgamma, out_dx, out_ddy,
    workspace, rows, D);
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

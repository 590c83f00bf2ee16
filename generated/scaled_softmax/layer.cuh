// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
//
// The layer for programs of CUDA C++: functions in the namespace scaled_softmax, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER scaled_softmax
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
  Computed* m;
  Computed* inv_Z;
};

#ifdef LNGEN_FORWARD
// m = max(scale*x)
// e_shifted = exp(scale*x - m)
// Z = sum(e_shifted)
// inv_Z = 1/Z
// y = inv_Z*e_shifted
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Parameter* scale, Row* out_y,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, scale, out_y, saved.m, saved.inv_Z, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// du = y*(dy - sum(dy*y))
// dx = scale*du
// dscale = sum_rows(sum(du*x))
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* dy, const Parameter* scale, Row* out_dx,
    Parameter* out_dscale, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (0ll*D + 1));
  LNGEN_LAUNCH_ON(on, backward, blocks, x, dy, saved.m, saved.inv_Z, scale, out_dx, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, scale, out_dscale,
    D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// u_dot = scale_dot*x + scale*x_dot
// y_dot = y*(u_dot - sum(u_dot*y))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* x_dot, const Parameter* scale,
    const Parameter* scale_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, x_dot, saved.m, saved.inv_Z, scale, scale_dot, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// mean_dy_y = mean(dy*y)
// du = y*(dy - D*mean_dy_y)
// ddu = ddscale*x + scale*ddx
// d2y_part = ddu*(dy - D*mean_dy_y)
// d2u = y*(d2y_part + D*(mean(ddu*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
// d2x = scale*d2u + ddscale*du
// d2scale = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
// ddy = y*(ddu - sum(ddu*y))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* dy, const Row* ddx,
    const Parameter* scale, const Parameter* ddscale, Row* out_dx, Row* out_ddy, Parameter* out_dscale,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (0ll*D + 1));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, dy, ddx, saved.m, saved.inv_Z, scale, ddscale, out_dx, out_ddy,
    workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    scale, ddscale, out_dscale, D);
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

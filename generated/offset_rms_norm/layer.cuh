// Root-mean-square normalization with a weight that is learned as its distance from one.
// Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
// definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
//
// The layer for programs of CUDA C++: functions in the namespace offset_rms_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER offset_rms_norm
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
// y = xhat*(1 + w)
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Parameter* w, Computed eps, Row* out_y,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, w, eps, out_y, saved.rstd, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = dy*(1 + w)
// dx = rstd*(g - xhat*mean(g*xhat))
// dw = sum_rows(dy*xhat)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* dy, const Parameter* w, Row* out_dx,
    Parameter* out_dw, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward, blocks, x, dy, saved.rstd, w, out_dx, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, w, out_dw, D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = w_dot*xhat + rstd*(1 + w)*(x_dot - xhat*mean(x_dot*xhat))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* x_dot, const Parameter* w,
    const Parameter* w_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, x_dot, saved.rstd, w, w_dot, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = dy*(1 + w)
// mean_g_xhat = mean(g*xhat)
// dg = rstd*(ddx - xhat*mean(ddx*xhat))
// d2x = rstd*(ddw*dy + rstd*(mean(ddx*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddx - xhat*mean(ddx*g)) - xhat*mean(ddw*dy*xhat))
// d2w = sum_rows(dg*dy)
// ddy = ddw*xhat + dg*(1 + w)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* dy, const Row* ddx,
    const Parameter* w, const Parameter* ddw, Row* out_dx, Row* out_ddy, Parameter* out_dw, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (1ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, dy, ddx, saved.rstd, w, ddw, out_dx, out_ddy, workspace, rows,
    D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    w, ddw, out_dw, D);
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

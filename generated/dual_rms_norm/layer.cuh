// A norm after a block, its residual added, and the norm before the next block, in one pass.
// Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
// definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
//
// The layer for programs of CUDA C++: functions in the namespace dual_rms_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dual_rms_norm
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
  Computed* rstd_2;
};

#ifdef LNGEN_FORWARD
// ms = mean(x**2)
// rstd = 1/sqrt(ms + eps)
// xhat = rstd*x
// r = residual + after*xhat
// var = mean(r**2)
// rstd_2 = 1/sqrt(var + eps)
// rhat = rstd_2*r
// y = before*rhat
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* residual, const Parameter* after,
    const Parameter* before, Computed eps, Row* out_y, Row* out_r, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, residual, after, before, eps, out_y, out_r, saved.rstd, saved.rstd_2,
    rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = before*dy
// dresidual = dr + rstd_2*(g - rhat*mean(g*rhat))
// g_2 = after*dresidual
// dx = rstd*(g_2 - xhat*mean(g_2*xhat))
// dafter = sum_rows(dresidual*xhat)
// dbefore = sum_rows(dy*rhat)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* residual, const Row* dy, const Row* dr,
    const Parameter* after, const Parameter* before, Row* out_dx, Row* out_dresidual, Parameter* out_dafter,
    Parameter* out_dbefore, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (2ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward, blocks, x, residual, dy, dr, saved.rstd, saved.rstd_2, after, before, out_dx,
    out_dresidual, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, after, before,
    out_dafter, out_dbefore, D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// r_dot = residual_dot + after_dot*xhat + rstd*after*(x_dot - xhat*mean(x_dot*xhat))
// y_dot = before_dot*rhat + rstd_2*before*(r_dot - rhat*mean(r_dot*rhat))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* residual, const Row* x_dot,
    const Row* residual_dot, const Parameter* after, const Parameter* before, const Parameter* after_dot,
    const Parameter* before_dot, Row* out_y_dot, Row* out_r_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, residual, x_dot, residual_dot, saved.rstd, saved.rstd_2, after, before,
    after_dot, before_dot, out_y_dot, out_r_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = before*dy
// mean_g_rhat = mean(g*rhat)
// dresidual = dr + rstd_2*(g - mean_g_rhat*rhat)
// g_2 = after*dresidual
// mean_g_2_xhat = mean(g_2*xhat)
// dg_2 = rstd*(ddx - xhat*mean(ddx*xhat))
// ddr = ddresidual + after*dg_2 + ddafter*xhat
// dg = rstd_2*(ddr - rhat*mean(ddr*rhat))
// d2residual = rstd_2*(ddbefore*dy + rstd_2*(mean(ddr*rhat)*(3*mean_g_rhat*rhat - g) - mean_g_rhat*ddr - rhat*mean(ddr*g)) - rhat*mean(ddbefore*dy*rhat))
// d2xhat_part = after*d2residual - mean_g_2_xhat*rstd*ddx
// d2x = rstd*(d2xhat_part + ddafter*dresidual + rstd*(mean(ddx*xhat)*(2*mean_g_2_xhat*xhat - g_2) - xhat*mean(ddx*g_2)) - xhat*mean(d2xhat_part*xhat) - xhat*mean(ddafter*dresidual*xhat))
// d2after = sum_rows(d2residual*xhat + dg_2*dresidual)
// d2before = sum_rows(dg*dy)
// ddy = before*dg + ddbefore*rhat
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* residual, const Row* dy,
    const Row* dr, const Row* ddx, const Row* ddresidual, const Parameter* after, const Parameter* before,
    const Parameter* ddafter, const Parameter* ddbefore, Row* out_dx, Row* out_dresidual, Row* out_ddy,
    Row* out_ddr, Parameter* out_dafter, Parameter* out_dbefore, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (2ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, residual, dy, dr, ddx, ddresidual, saved.rstd, saved.rstd_2,
    after, before, ddafter, ddbefore, out_dx, out_dresidual, out_ddy, out_ddr, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    after, before, ddafter, ddbefore, out_dafter, out_dbefore, D);
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

// Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.
// Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
// definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
//
// The layer for programs of CUDA C++: functions in the namespace causal_softmax, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER causal_softmax
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
  Computed* inv_sum_e_shifted;
};

#ifdef LNGEN_FORWARD
// m = max(where(index() <= position, scale*x, -1e38))
// u = where(index() <= position, scale*x - m, 0)
// exp_u = exp(u)
// e_shifted = where(index() <= position, exp_u, 0)
// sum_e_shifted = sum(e_shifted)
// inv_sum_e_shifted = 1/sum_e_shifted
// y = inv_sum_e_shifted*e_shifted
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Integer* position, const Parameter* scale,
    Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, position, scale, out_y, saved.m, saved.inv_sum_e_shifted, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// du = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - sum(dy*y)), 0)
// dx = where(index() <= position, scale*du, 0)
// dscale = sum_rows(sum(where(index() <= position, du*x, 0)))
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Integer* position, const Row* dy,
    const Parameter* scale, Row* out_dx, Parameter* out_dscale, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (0ll*D + 1));
  LNGEN_LAUNCH_ON(on, backward, blocks, x, position, dy, saved.m, saved.inv_sum_e_shifted, scale, out_dx, workspace,
    rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, scale, out_dscale,
    D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// e_shifted_dot = where(index() <= position, exp_u*(scale_dot*x + scale*x_dot), 0)
// y_dot = inv_sum_e_shifted*(e_shifted_dot - y*sum(e_shifted_dot))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Integer* position, const Row* x_dot,
    const Parameter* scale, const Parameter* scale_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, position, x_dot, saved.m, saved.inv_sum_e_shifted, scale, scale_dot,
    out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// mean_dy_y = mean(dy*y)
// du = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - D*mean_dy_y), 0)
// ddu = where(index() <= position, ddscale*x + scale*ddx, 0)
// d2u = where(index() <= position, exp_u*(inv_sum_e_shifted*ddu*(dy - D*mean_dy_y) + inv_sum_e_shifted*(mean(where(index() <= position, -D*inv_sum_e_shifted*ddu*exp_u, 0))*(dy - D*mean_dy_y) - inv_sum_e_shifted*sum(where(index() <= position, ddu*exp_u*(dy - D*mean_dy_y), 0)))), 0)
// d2x = where(index() <= position, scale*d2u + ddscale*du, 0)
// d2scale = sum_rows(D*(mean(where(index() <= position, d2u*x, 0)) + mean(where(index() <= position, ddx*du, 0))))
// ddy = where(index() <= position, inv_sum_e_shifted*ddu*exp_u, 0) + y*mean(where(index() <= position, -D*inv_sum_e_shifted*ddu*exp_u, 0))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Integer* position, const Row* dy,
    const Row* ddx, const Parameter* scale, const Parameter* ddscale, Row* out_dx, Row* out_ddy,
    Parameter* out_dscale, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (0ll*D + 1));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, position, dy, ddx, saved.m, saved.inv_sum_e_shifted, scale,
    ddscale, out_dx, out_ddy, workspace, rows, D);
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

// Polynomial of a row whose powers are each scaled to root mean square 1.
// Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
// definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
//
// The layer for programs of CUDA C++: functions in the namespace poly_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER poly_norm
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
  Computed* rstd_3;
};

#ifdef LNGEN_FORWARD
// mean_x6 = mean(x**6)
// rstd = 1/sqrt(mean_x6 + eps)
// mean_x4 = mean(x**4)
// rstd_2 = 1/sqrt(mean_x4 + eps)
// ms = mean(x**2)
// rstd_3 = 1/sqrt(ms + eps)
// first = rstd_3*x
// y = linear*first + cubic*rstd*x**3 + square*rstd_2*x**2 + bias
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Parameter* cubic, const Parameter* square,
    const Parameter* linear, const Parameter* bias, Computed eps, Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, cubic, square, linear, bias, eps, out_y, saved.rstd, saved.rstd_2,
    saved.rstd_3, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = linear*dy
// dx = rstd_3*g + dy*x*(3*cubic*rstd*x + 2*square*rstd_2) - rstd_3*first*mean(first*g) - 3*rstd**3*x**5*mean(cubic*dy*x**3) - 2*rstd_2**3*x**3*mean(square*dy*x**2)
// dcubic = sum_rows(rstd*sum(dy*x**3))
// dsquare = sum_rows(rstd_2*sum(dy*x**2))
// dlinear = sum_rows(sum(dy*first))
// dbias = sum_rows(sum(dy))
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* dy, const Parameter* cubic,
    const Parameter* square, const Parameter* linear, Row* out_dx, Parameter* out_dcubic, Parameter* out_dsquare,
    Parameter* out_dlinear, Parameter* out_dbias, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (0ll*D + 4));
  LNGEN_LAUNCH_ON(on, backward, blocks, x, dy, saved.rstd, saved.rstd_2, saved.rstd_3, cubic, square, linear,
    out_dx, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, cubic, square,
    linear, out_dcubic, out_dsquare, out_dlinear, out_dbias, D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// rstd_dot = -3*rstd**3*mean(x**5*x_dot)
// rstd_2_dot = -2*rstd_2**3*mean(x**3*x_dot)
// y_dot = linear_dot*first + cubic*rstd_dot*x**3 + square*rstd_2_dot*x**2 + cubic_dot*rstd*x**3 + square_dot*rstd_2*x**2 + x*x_dot*(3*cubic*rstd*x + 2*square*rstd_2) + linear*rstd_3*(x_dot - first*mean(first*x_dot)) + bias_dot
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* x_dot, const Parameter* cubic,
    const Parameter* square, const Parameter* linear, const Parameter* cubic_dot, const Parameter* square_dot,
    const Parameter* linear_dot, const Parameter* bias_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, x_dot, saved.rstd, saved.rstd_2, saved.rstd_3, cubic, square, linear,
    cubic_dot, square_dot, linear_dot, bias_dot, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = linear*dy
// mean_first_g = mean(first*g)
// mean_dy_x3 = mean(cubic*dy*x**3)
// mean_dy_x2 = mean(square*dy*x**2)
// mean_dy_x3_2 = mean(dy*x**3)
// mean_dy_x2_2 = mean(dy*x**2)
// dmean_dy = D*ddbias
// dmean_dy_first = D*ddlinear
// dmean_dy_x2_2 = D*ddsquare*rstd_2
// dmean_dy_x3_2 = D*ddcubic*rstd
// dmean_dy_x2 = sum(-2*rstd_2**3*ddx*x**3)
// dmean_dy_x3 = sum(-3*rstd**3*ddx*x**5)
// dmean_first_g = sum(-rstd_3*ddx*first)
// dg = rstd_3*ddx + dmean_first_g*first/D
// d2first = dmean_dy_first*dy/D + dmean_first_g*g/D - mean_first_g*rstd_3*ddx
// d2rstd_3 = sum(d2first*x) + sum(ddx*(g - mean_first_g*first))
// d2ms = -d2rstd_3*rstd_3**3/2
// d2rstd_2 = D*ddsquare*mean_dy_x2_2 + sum(2*ddx*(square*dy*x - 3*mean_dy_x2*rstd_2**2*x**3))
// d2mean_x4 = -d2rstd_2*rstd_2**3/2
// d2rstd = D*ddcubic*mean_dy_x3_2 + sum(3*ddx*(cubic*dy*x**2 - 3*mean_dy_x3*rstd**2*x**5))
// d2mean_x6 = -d2rstd*rstd**3/2
// d2x = rstd_3*d2first + 2*d2ms*x/D + 4*d2mean_x4*x**3/D + 6*d2mean_x6*x**5/D + 2*dmean_dy_x2_2*dy*x/D + 2*square*dmean_dy_x2*dy*x/D + 3*dmean_dy_x3_2*dy*x**2/D + 3*cubic*dmean_dy_x3*dy*x**2/D + ddx*(3*cubic*rstd*dy*x + dy*(3*cubic*rstd*x + 2*square*rstd_2) - 15*mean_dy_x3*rstd**3*x**4 - 6*mean_dy_x2*rstd_2**3*x**2)
// d2cubic = sum_rows(dmean_dy_x3*mean_dy_x3_2 + 3*rstd*sum(ddx*dy*x**2))
// d2square = sum_rows(dmean_dy_x2*mean_dy_x2_2 + 2*rstd_2*sum(ddx*dy*x))
// d2linear = sum_rows(sum(dg*dy))
// d2bias = 0
// ddy = linear*dg + dmean_dy_first*first/D + dmean_dy_x2_2*x**2/D + dmean_dy_x3_2*x**3/D + cubic*dmean_dy_x3*x**3/D + square*dmean_dy_x2*x**2/D + ddx*x*(3*cubic*rstd*x + 2*square*rstd_2) + dmean_dy/D
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* dy, const Row* ddx,
    const Parameter* cubic, const Parameter* square, const Parameter* linear, const Parameter* ddcubic,
    const Parameter* ddsquare, const Parameter* ddlinear, const Parameter* ddbias, Row* out_dx, Row* out_ddy,
    Parameter* out_dcubic, Parameter* out_dsquare, Parameter* out_dlinear, Parameter* out_dbias, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (0ll*D + 3));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, dy, ddx, saved.rstd, saved.rstd_2, saved.rstd_3, cubic, square,
    linear, ddcubic, ddsquare, ddlinear, ddbias, out_dx, out_ddy, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    cubic, square, linear, ddcubic, ddsquare, ddlinear, ddbias, out_dcubic, out_dsquare, out_dlinear, out_dbias, D);
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

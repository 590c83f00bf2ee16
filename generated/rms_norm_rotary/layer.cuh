// Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.
// Made by lngen 0.1.0 from the definition of rms_norm_rotary; derivation.md has its steps, cost and evidence.
// Do not edit; edit rms_norm_rotary.py and run: lngen derive rms_norm_rotary.py
// definition sha256:998fdf59ade695e9f5494b7d0184d1de3a356aa9ffc68ea8a8746fc047134e7a
//
// The layer for programs of CUDA C++: functions in the namespace rms_norm_rotary, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rms_norm_rotary
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
// a = at(x, s=0)
// b = at(x, s=1)
// weight_0 = at(weight, s=0)
// weight_1 = at(weight, s=1)
// mu = mean(a**2 + b**2)
// rstd = 1/sqrt(mu/2 + eps)
// ahat = rstd*a
// u = weight_0*ahat
// bhat = rstd*b
// v = weight_1*bhat
// y_0 = cosine*u - sine*v
// y_1 = cosine*v + sine*u
// y = join(y_0, y_1)
inline cudaError_t forward(cudaStream_t stream, const Row* a, const Row* b, const Row* cosine, const Row* sine,
    const Parameter* weight_0, const Parameter* weight_1, Computed eps, Row* out_y_0, Row* out_y_1,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, a, b, cosine, sine, weight_0, weight_1, eps, out_y_0, out_y_1, saved.rstd,
    rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dy_0 = at(dy, s=0)
// dy_1 = at(dy, s=1)
// dv = cosine*dy_1 - dy_0*sine
// dbhat = weight_1*dv
// du = cosine*dy_0 + dy_1*sine
// dahat = weight_0*du
// dtotal = -rstd**3*(mean(a*dahat) + mean(b*dbhat))/4
// da = rstd*dahat + 2*a*dtotal
// db = rstd*dbhat + 2*b*dtotal
// dweight_0 = sum_rows(ahat*du)
// dweight_1 = sum_rows(bhat*dv)
// dx = join(da, db)
// dweight = join(dweight_0, dweight_1)
inline cudaError_t backward(cudaStream_t stream, const Row* a, const Row* b, const Row* cosine, const Row* sine,
    const Row* dy_0, const Row* dy_1, const Parameter* weight_0, const Parameter* weight_1, Row* out_da,
    Row* out_db, Parameter* out_dweight_0, Parameter* out_dweight_1, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (2ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward, blocks, a, b, cosine, sine, dy_0, dy_1, saved.rstd, weight_0, weight_1, out_da,
    out_db, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, weight_0,
    weight_1, out_dweight_0, out_dweight_1, D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// a_dot = at(x_dot, s=0)
// b_dot = at(x_dot, s=1)
// weight_0_dot = at(weight_dot, s=0)
// weight_1_dot = at(weight_dot, s=1)
// rstd_dot = -rstd**3*mean(2*a*a_dot + 2*b*b_dot)/4
// u_dot = weight_0_dot*ahat + weight_0*(rstd_dot*a + rstd*a_dot)
// v_dot = weight_1_dot*bhat + weight_1*(rstd_dot*b + rstd*b_dot)
// y_0_dot = cosine*u_dot - sine*v_dot
// y_1_dot = cosine*v_dot + sine*u_dot
// y_dot = join(y_0_dot, y_1_dot)
inline cudaError_t jvp(cudaStream_t stream, const Row* a, const Row* b, const Row* cosine, const Row* sine,
    const Row* a_dot, const Row* b_dot, const Parameter* weight_0, const Parameter* weight_1,
    const Parameter* weight_0_dot, const Parameter* weight_1_dot, Row* out_y_0_dot, Row* out_y_1_dot,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, a, b, cosine, sine, a_dot, b_dot, saved.rstd, weight_0, weight_1, weight_0_dot,
    weight_1_dot, out_y_0_dot, out_y_1_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// dy_0 = at(dy, s=0)
// dy_1 = at(dy, s=1)
// dda = at(ddx, s=0)
// ddb = at(ddx, s=1)
// ddweight_0 = at(ddweight, s=0)
// ddweight_1 = at(ddweight, s=1)
// dv = cosine*dy_1 - dy_0*sine
// dbhat = weight_1*dv
// du = cosine*dy_0 + dy_1*sine
// dahat = weight_0*du
// mean_a_dahat = mean(a*dahat)
// mean_b_dbhat = mean(b*dbhat)
// dtotal = -rstd**3*(mean_a_dahat + mean_b_dbhat)/4
// ddtotal = 2*a*dda + 2*b*ddb
// ddahat = rstd*dda - rstd**2*ahat*mean(ddtotal)/4
// ddu = weight_0*ddahat + ddweight_0*ahat
// ddbhat = rstd*ddb - rstd**2*bhat*mean(ddtotal)/4
// ddv = weight_1*ddbhat + ddweight_1*bhat
// d2total = -0.0625*rstd**3*(4*mean(dahat*dda) + 4*mean(dbhat*ddb) + 4*mean(ddweight_0*a*du) + 4*mean(ddweight_1*b*dv) - 3*rstd**2*mean(ddtotal)*(mean_a_dahat + mean_b_dbhat))
// d2a = 2*a*d2total + rstd*ddweight_0*du + 2*dda*dtotal - rstd**3*dahat*mean(ddtotal)/4
// d2b = 2*b*d2total + rstd*ddweight_1*dv + 2*ddb*dtotal - rstd**3*dbhat*mean(ddtotal)/4
// d2weight_0 = sum_rows(ddahat*du)
// d2weight_1 = sum_rows(ddbhat*dv)
// ddy_0 = cosine*ddu - ddv*sine
// ddy_1 = cosine*ddv + ddu*sine
// d2x = join(d2a, d2b)
// d2weight = join(d2weight_0, d2weight_1)
// ddy = join(ddy_0, ddy_1)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* a, const Row* b, const Row* cosine,
    const Row* sine, const Row* dy_0, const Row* dy_1, const Row* dda, const Row* ddb, const Parameter* weight_0,
    const Parameter* weight_1, const Parameter* ddweight_0, const Parameter* ddweight_1, Row* out_da, Row* out_db,
    Row* out_ddy_0, Row* out_ddy_1, Parameter* out_dweight_0, Parameter* out_dweight_1, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (2ll*D + 0));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, a, b, cosine, sine, dy_0, dy_1, dda, ddb, saved.rstd, weight_0,
    weight_1, ddweight_0, ddweight_1, out_da, out_db, out_ddy_0, out_ddy_1, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    weight_0, weight_1, ddweight_0, ddweight_1, out_dweight_0, out_dweight_1, D);
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

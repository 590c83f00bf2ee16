// Root-mean-square normalization with a scale and a shift for each sample.
// Made by lngen 0.1.0 from the definition of modulated_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit modulated_rms_norm.py and run: lngen derive modulated_rms_norm.py
// definition sha256:342278b39697d6ed8c84343b4cb320510fe1cfedc146884253a1a433517afb26
//
// The layer for programs of CUDA C++: functions in the namespace modulated_rms_norm, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER modulated_rms_norm
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
// y = shift + xhat*(1 + scale)
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* scale, const Row* shift, Computed eps,
    Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, scale, shift, eps, out_y, saved.rstd, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = dy*(1 + scale)
// dx = rstd*(g - xhat*mean(g*xhat))
// dscale = sum(dy*xhat, "...")
// dshift = sum(dy, "...")
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* scale, const Row* dy, Row* out_dx,
    Row* out_dscale, Row* out_dshift, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, scale, dy, saved.rstd, out_dx, out_dscale, out_dshift, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = shift_dot + scale_dot*xhat + rstd*(1 + scale)*(x_dot - xhat*mean(x_dot*xhat))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* scale, const Row* x_dot, const Row* scale_dot,
    const Row* shift_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, scale, x_dot, scale_dot, shift_dot, saved.rstd, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = dy*(1 + scale)
// mean_g_xhat = mean(g*xhat)
// dg = rstd*(ddx - xhat*mean(ddx*xhat))
// d2xhat_part = ddscale*dy - mean_g_xhat*rstd*ddx
// d2x = rstd*(d2xhat_part + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat))
// d2scale = sum(dg*dy, "...")
// d2shift = sum(0, "...")
// ddy = ddshift + ddscale*xhat + dg*(1 + scale)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* scale, const Row* dy,
    const Row* ddx, const Row* ddscale, const Row* ddshift, Row* out_dx, Row* out_dscale, Row* out_dshift,
    Row* out_ddy, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, scale, dy, ddx, ddscale, ddshift, saved.rstd, out_dx,
    out_dscale, out_dshift, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// Rows of mean zero and unbiased variance one, without parameters.
// Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
// Do not edit; edit standardize.py and run: lngen derive standardize.py
// definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
//
// The layer for programs of CUDA C++: functions in the namespace standardize, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER standardize
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
  Computed* mu;
  Computed* mu_residual;
  Computed* rstd;
};

#ifdef LNGEN_FORWARD
// mu = mean(x)
// sum_x2 = sum((x - mu)**2)
// rstd = 1/sqrt(sum_x2/(D - 1) + eps)
// y = rstd*(x - mu)
inline cudaError_t forward(cudaStream_t stream, const Row* x, Computed eps, Row* out_y, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, eps, out_y, saved.mu, saved.mu_residual, saved.rstd, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dx = rstd*(dy - mean(dy) - y*sum(dy*y)/(D - 1))
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* dy, Row* out_dx, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, dy, saved.mu, saved.mu_residual, saved.rstd, out_dx, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = rstd*(x_dot - mean(x_dot) - y*sum(x_dot*y)/(D - 1))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* x_dot, Row* out_y_dot, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, x_dot, saved.mu, saved.mu_residual, saved.rstd, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// mean_dy = mean(dy)
// mean_dy_y = mean(dy*y)
// d2x = D*rstd**2*(mean_dy*y*mean(ddx) + mean(ddx*y)*(3*D*mean_dy_y*y/(D - 1) + mean_dy - dy) - y*mean(ddx*dy) - mean_dy_y*(ddx - mean(ddx)))/(D - 1)
// ddy = rstd*(ddx - mean(ddx) - y*sum(ddx*y)/(D - 1))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* dy, const Row* ddx, Row* out_dx,
    Row* out_ddy, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, dy, ddx, saved.mu, saved.mu_residual, saved.rstd, out_dx,
    out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

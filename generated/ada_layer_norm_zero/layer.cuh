// Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.
// Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
// Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
// definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
//
// The layer for programs of CUDA C++: functions in the namespace ada_layer_norm_zero, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER ada_layer_norm_zero
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
// h = x + branch*gate
// mu = mean(h)
// var = mean((h - mu)**2)
// rstd = 1/sqrt(var + eps)
// hhat = rstd*(h - mu)
// y = shift + hhat*(1 + scale)
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* branch, const Row* gate, const Row* scale,
    const Row* shift, Computed eps, Row* out_y, Row* out_h, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, branch, gate, scale, shift, eps, out_y, out_h, saved.mu,
    saved.mu_residual, saved.rstd, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = dy*(1 + scale)
// dx = dh + rstd*(g - mean(g) - hhat*mean(g*hhat))
// dbranch = dx*gate
// dgate = sum(branch*dx, "...")
// dscale = sum(dy*hhat, "...")
// dshift = sum(dy, "...")
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* branch, const Row* gate, const Row* scale,
    const Row* dy, const Row* dh, Row* out_dx, Row* out_dbranch, Row* out_dgate, Row* out_dscale, Row* out_dshift,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, branch, gate, scale, dy, dh, saved.mu, saved.mu_residual, saved.rstd,
    out_dx, out_dbranch, out_dgate, out_dscale, out_dshift, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// h_dot = x_dot + branch*gate_dot + branch_dot*gate
// y_dot = shift_dot + hhat*scale_dot + rstd*(1 + scale)*(h_dot - mean(h_dot) - hhat*mean(h_dot*hhat))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* branch, const Row* gate, const Row* scale,
    const Row* x_dot, const Row* branch_dot, const Row* gate_dot, const Row* scale_dot, const Row* shift_dot,
    Row* out_y_dot, Row* out_h_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, branch, gate, scale, x_dot, branch_dot, gate_dot, scale_dot, shift_dot,
    saved.mu, saved.mu_residual, saved.rstd, out_y_dot, out_h_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = dy*(1 + scale)
// mean_g = mean(g)
// mean_g_hhat = mean(g*hhat)
// dx = dh + rstd*(g - mean_g - mean_g_hhat*hhat)
// ddh = ddx + branch*ddgate + ddbranch*gate
// dg = rstd*(ddh - mean(ddh) - hhat*mean(ddh*hhat))
// d2hhat_part = ddscale*dy - mean_g_hhat*rstd*ddh
// d2x = rstd*(d2hhat_part + rstd*(mean_g*hhat*mean(ddh) + mean(ddh*hhat)*(2*mean_g_hhat*hhat + mean_g - g) - hhat*mean(ddh*g)) - mean(d2hhat_part) - hhat*mean(d2hhat_part*hhat))
// d2branch = d2x*gate + ddgate*dx
// d2gate = sum(branch*d2x + ddbranch*dx, "...")
// d2scale = sum(dg*dy, "...")
// d2shift = sum(0, "...")
// ddy = ddshift + ddscale*hhat + dg*(1 + scale)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* branch, const Row* gate,
    const Row* scale, const Row* dy, const Row* dh, const Row* ddx, const Row* ddbranch, const Row* ddgate,
    const Row* ddscale, const Row* ddshift, Row* out_dx, Row* out_dbranch, Row* out_dgate, Row* out_dscale,
    Row* out_dshift, Row* out_ddy, Row* out_ddh, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, branch, gate, scale, dy, dh, ddx, ddbranch, ddgate, ddscale,
    ddshift, saved.mu, saved.mu_residual, saved.rstd, out_dx, out_dbranch, out_dgate, out_dscale, out_dshift,
    out_ddy, out_ddh, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

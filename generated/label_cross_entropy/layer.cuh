// Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.
// Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
// definition sha256:54d0d10a361e544b04d125946902774985e4cfbc3c6a48abadaca8002ccda43b
//
// The layer for programs of CUDA C++: functions in the namespace label_cross_entropy, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER label_cross_entropy
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
  Computed* Z_;
  Computed* log_Z;
};

#ifdef LNGEN_FORWARD
// m = max(x)
// exp_shifted = exp(x - m)
// Z = sum(exp_shifted)
// log_Z = log(Z)
// target = sum(where(index() == label, x, 0))
// mu = mean(x)
// y = where(label == ignore, 0, m + log_Z + where(smoothing > 0, smoothing*(target - mu), 0) + z_loss*(m + log_Z)**2 - target)
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Integer* label, const OneInteger* ignore,
    Computed smoothing, Computed z_loss, Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, label, ignore, smoothing, z_loss, out_y, saved.m, saved.Z_, saved.log_Z,
    rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// p = exp_shifted/Z
// dx = where(index() == label, where(label == ignore, 0, where(smoothing > 0, smoothing*dy, 0) - dy), 0) + where(label == ignore, 0, dy*p*(1 + 2*z_loss*(m + log_Z)) + where(smoothing > 0, -smoothing*dy/D, 0))
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Integer* label, const Row* dy,
    const OneInteger* ignore, Computed smoothing, Computed z_loss, Row* out_dx, const Saved& saved, long long rows)
    {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, label, dy, saved.m, saved.Z_, saved.log_Z, ignore, smoothing, z_loss,
    out_dx, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// p = exp_shifted/Z
// y_dot = where(label == ignore, 0, sum(p*x_dot)*(1 + 2*z_loss*(m + log_Z)) + where(smoothing > 0, smoothing*sum(where(index() == label, x_dot, 0)) - smoothing*mean(x_dot), 0) - sum(where(index() == label, x_dot, 0)))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Integer* label, const Row* x_dot,
    const OneInteger* ignore, Computed smoothing, Computed z_loss, Row* out_y_dot, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, label, x_dot, saved.m, saved.Z_, saved.log_Z, ignore, smoothing, z_loss,
    out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// d2x = where(label == ignore, 0, exp_shifted*(dy*ddx*(1 + 2*z_loss*(m + log_Z))/Z + 2*z_loss*dy*sum(ddx*exp_shifted)/Z**2 - dy*sum(ddx*exp_shifted)*(1 + 2*z_loss*(m + log_Z))/Z**2))
// p = exp_shifted/Z
// ddy = sum(where(index() == label, where(label == ignore, 0, where(smoothing > 0, smoothing*ddx, 0) - ddx), 0)) + where(label == ignore, 0, where(smoothing > 0, -smoothing*mean(ddx), 0) + sum(ddx*p)*(1 + 2*z_loss*(m + log_Z)))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Integer* label, const Row* dy,
    const Row* ddx, const OneInteger* ignore, Computed smoothing, Computed z_loss, Row* out_dx, Row* out_ddy,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, label, dy, ddx, saved.m, saved.Z_, saved.log_Z, ignore,
    smoothing, z_loss, out_dx, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// Cross entropy of a label with the softmax of a capped row, weighted by class; a label `ignore` counts nothing.
// Made by lngen 0.1.0 from the definition of softcap_cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit softcap_cross_entropy.py and run: lngen derive softcap_cross_entropy.py
// definition sha256:d010fe640748d9eca5d1baa233d0a8218fad8c6aeec03dd12a012fcb2dc30c1c
//
// The layer for programs of CUDA C++: functions in the namespace softcap_cross_entropy, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER softcap_cross_entropy
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
  Computed* sum_where_class_weight;
};

#ifdef LNGEN_FORWARD
// u_2 = x/cap
// tanh_u_2 = tanh(u_2)
// u = cap*tanh_u_2
// m = max(u)
// exp_shifted = exp(u - m)
// Z = sum(exp_shifted)
// log_Z = log(Z)
// sum_where_u = sum(where(index() == label, u, 0))
// sum_where_class_weight = sum(where(index() == label, class_weight, 0))
// y = where(label == ignore, 0, z_loss*(m + log_Z)**2 + sum_where_class_weight*(m + log_Z - sum_where_u))
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Integer* label, const Parameter* class_weight,
    const OneInteger* ignore, Computed cap, Computed z_loss, Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, label, class_weight, ignore, cap, z_loss, out_y, saved.m, saved.Z_,
    saved.log_Z, saved.sum_where_class_weight, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// p = exp_shifted/Z
// dx = (1 - tanh_u_2)*(1 + tanh_u_2)*(where(index() == label, where(label == ignore, 0, -dy*sum_where_class_weight), 0) + where(label == ignore, 0, dy*p*(sum_where_class_weight + 2*z_loss*(m + log_Z))))
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Integer* label, const Row* dy,
    const OneInteger* ignore, Computed cap, Computed z_loss, Row* out_dx, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, label, dy, saved.m, saved.Z_, saved.log_Z, saved.sum_where_class_weight,
    ignore, cap, z_loss, out_dx, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// tanh_u_2_dot = x_dot*(1 - tanh_u_2)*(1 + tanh_u_2)/cap
// p = exp_shifted/Z
// y_dot = where(label == ignore, 0, cap*sum(p*tanh_u_2_dot)*(sum_where_class_weight + 2*z_loss*(m + log_Z)) - sum_where_class_weight*sum(where(index() == label, cap*tanh_u_2_dot, 0)))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Integer* label, const Row* x_dot,
    const OneInteger* ignore, Computed cap, Computed z_loss, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, label, x_dot, saved.m, saved.Z_, saved.log_Z, saved.sum_where_class_weight,
    ignore, cap, z_loss, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// d2x = (1 - tanh_u_2)*(1 + tanh_u_2)*(where(index() == label, where(label == ignore, 0, 2*dy*sum_where_class_weight*ddx*tanh_u_2), 0) + where(label == ignore, 0, cap*exp_shifted*(dy*ddx*(sum_where_class_weight + 2*z_loss*(m + log_Z))*(1 - tanh_u_2)*(1 + tanh_u_2)/Z + 2*z_loss*dy*sum(ddx*exp_shifted*(1 - tanh_u_2)*(1 + tanh_u_2))/Z**2 - dy*sum(ddx*exp_shifted*(1 - tanh_u_2)*(1 + tanh_u_2))*(sum_where_class_weight + 2*z_loss*(m + log_Z))/Z**2) - 2*dy*ddx*exp_shifted*tanh_u_2*(sum_where_class_weight + 2*z_loss*(m + log_Z))/Z))/cap
// p = exp_shifted/Z
// ddy = sum(where(index() == label, where(label == ignore, 0, -sum_where_class_weight*ddx*(1 - tanh_u_2)*(1 + tanh_u_2)), 0)) + where(label == ignore, 0, sum(ddx*p*(1 - tanh_u_2)*(1 + tanh_u_2))*(sum_where_class_weight + 2*z_loss*(m + log_Z)))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Integer* label, const Row* dy,
    const Row* ddx, const OneInteger* ignore, Computed cap, Computed z_loss, Row* out_dx, Row* out_ddy,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, label, dy, ddx, saved.m, saved.Z_, saved.log_Z,
    saved.sum_where_class_weight, ignore, cap, z_loss, out_dx, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.
// Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
// Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
// definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
//
// The layer for programs of CUDA C++: functions in the namespace focal_loss, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER focal_loss
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
  Computed* logpt;
  Computed* expm1_logpt;
  Computed* power_expm1_logpt;
};

#ifdef LNGEN_FORWARD
// m = max(x)
// exp_shifted = exp(x - m)
// Z = sum(exp_shifted)
// log_Z = log(Z)
// logp = x - m - log_Z
// logpt = sum(where(index() == label, logp, 0))
// expm1_logpt = expm1(logpt)
// power_expm1_logpt = (-expm1_logpt)**gamma
// y = -logpt*power_expm1_logpt
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Integer* label, Computed gamma, Row* out_y,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, label, gamma, out_y, saved.m, saved.Z_, saved.logpt, saved.expm1_logpt,
    saved.power_expm1_logpt, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// p = exp_shifted/Z
// dx = where(index() == label, where(gamma == 0, 0, gamma*dy*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1)) - dy*power_expm1_logpt, 0) + where(label >= 0, where(label < D, dy*power_expm1_logpt*p + where(gamma == 0, 0, -gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)), 0), 0)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Integer* label, const Row* dy, Computed gamma,
    Row* out_dx, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, label, dy, saved.m, saved.Z_, saved.logpt, saved.expm1_logpt,
    saved.power_expm1_logpt, gamma, out_dx, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// p = exp_shifted/Z
// log_Z_dot = sum(p*x_dot)
// y_dot = where(gamma == 0, 0, gamma*logpt*(-expm1_logpt)**(gamma - 1)*sum(where(index() == label, exp(logpt)*(x_dot - log_Z_dot), 0))) - power_expm1_logpt*sum(where(index() == label, x_dot - log_Z_dot, 0))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Integer* label, const Row* x_dot, Computed gamma,
    Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, label, x_dot, saved.m, saved.Z_, saved.logpt, saved.expm1_logpt,
    saved.power_expm1_logpt, gamma, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// p = exp_shifted/Z
// d2logpt = sum(where(index() == label, where(gamma == 0, 0, where(gamma - 1 == 0, 0, -gamma*dy*logpt*ddx*exp(2*logpt)*(-expm1_logpt)**(gamma - 2)*(gamma - 1))), 0)) + sum(where(index() == label, where(gamma == 0, 0, ddx*(gamma*dy*exp(logpt)*(-expm1_logpt)**(gamma - 1) + gamma*dy*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1))), 0)) + where(gamma == 0, 0, where(label >= 0, where(label < D, -gamma*dy*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p), 0), 0) - gamma*(-expm1_logpt)**(gamma - 1)*sum(where(index() == label, -dy*ddx*exp(logpt), 0))) + where(label >= 0, where(label < D, where(gamma == 0, 0, where(gamma - 1 == 0, 0, gamma*dy*logpt*exp(2*logpt)*(-expm1_logpt)**(gamma - 2)*sum(ddx*p)*(gamma - 1))) + where(gamma == 0, 0, sum(-ddx*(gamma*dy*p*exp(logpt)*(-expm1_logpt)**(gamma - 1) + gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)))), 0), 0)
// d2x = where(index() == label, d2logpt, 0) + where(label >= 0, where(label < D, dy*power_expm1_logpt*ddx*p + where(gamma == 0, 0, -gamma*dy*logpt*ddx*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)) + where(gamma == 0, 0, gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p)) - d2logpt*p - dy*power_expm1_logpt*p*sum(ddx*p), 0), 0)
// ddy = sum(where(index() == label, where(gamma == 0, 0, gamma*logpt*ddx*exp(logpt)*(-expm1_logpt)**(gamma - 1)) - power_expm1_logpt*ddx, 0)) + where(label >= 0, where(label < D, power_expm1_logpt*sum(ddx*p) + where(gamma == 0, 0, -gamma*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p)), 0), 0)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Integer* label, const Row* dy,
    const Row* ddx, Computed gamma, Row* out_dx, Row* out_ddy, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, label, dy, ddx, saved.m, saved.Z_, saved.logpt,
    saved.expm1_logpt, saved.power_expm1_logpt, gamma, out_dx, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

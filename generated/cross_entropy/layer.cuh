// Cross entropy of soft targets with the softmax of a row, one number a row.
// Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
// definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
//
// The layer for programs of CUDA C++: functions in the namespace cross_entropy, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER cross_entropy
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
// logp = x - m - log_Z
// sum_logp_target = sum(logp*target)
// y = -sum_logp_target
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* target, Row* out_y, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, target, out_y, saved.m, saved.Z_, saved.log_Z, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// p = exp_shifted/Z
// dx = dy*(p*sum(target) - target)
// dtarget = -dy*logp
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* target, const Row* dy, Row* out_dx,
    Row* out_dtarget, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, target, dy, saved.m, saved.Z_, saved.log_Z, out_dx, out_dtarget, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// p = exp_shifted/Z
// log_Z_dot = sum(p*x_dot)
// y_dot = -sum(logp*target_dot + target*(x_dot - log_Z_dot))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* target, const Row* x_dot,
    const Row* target_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, target, x_dot, target_dot, saved.m, saved.Z_, saved.log_Z, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// mean_target = mean(target)
// p = exp_shifted/Z
// d2x = dy*(D*p*(mean(ddtarget) + mean_target*(ddx - sum(ddx*p))) - ddtarget)
// d2target = dy*(sum(ddx*p) - ddx)
// ddy = D*(mean(ddx*(D*mean_target*p - target)) - mean(ddtarget*logp))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* target, const Row* dy,
    const Row* ddx, const Row* ddtarget, Row* out_dx, Row* out_dtarget, Row* out_ddy, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, target, dy, ddx, ddtarget, saved.m, saved.Z_, saved.log_Z,
    out_dx, out_dtarget, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.
// Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
// definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
//
// The layer for programs of CUDA C++: functions in the namespace alibi_softmax, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER alibi_softmax
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
// z = x + slope*(index() - position)
// m = max(where(index() <= position, z, -1e38))
// u = where(index() <= position, z - m, 0)
// exp_u = exp(u)
// e_shifted = where(index() <= position, exp_u, 0)
// sum_e_shifted = sum(e_shifted)
// inv_sum_e_shifted = 1/sum_e_shifted
// y = inv_sum_e_shifted*e_shifted
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* slope, const Integer* position, Row* out_y,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, slope, position, out_y, saved.m, saved.inv_sum_e_shifted, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dx = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - sum(dy*y)), 0)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* slope, const Integer* position,
    const Row* dy, Row* out_dx, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, slope, position, dy, saved.m, saved.inv_sum_e_shifted, out_dx, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// e_shifted_dot = where(index() <= position, exp_u*x_dot, 0)
// y_dot = inv_sum_e_shifted*(e_shifted_dot - y*sum(e_shifted_dot))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* slope, const Integer* position,
    const Row* x_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, slope, position, x_dot, saved.m, saved.inv_sum_e_shifted, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// mean_dy_y = mean(dy*y)
// d2x = where(index() <= position, exp_u*(inv_sum_e_shifted*ddx*(dy - D*mean_dy_y) + inv_sum_e_shifted*(mean(where(index() <= position, -D*inv_sum_e_shifted*ddx*exp_u, 0))*(dy - D*mean_dy_y) - inv_sum_e_shifted*sum(where(index() <= position, ddx*exp_u*(dy - D*mean_dy_y), 0)))), 0)
// ddy = where(index() <= position, inv_sum_e_shifted*ddx*exp_u, 0) + y*mean(where(index() <= position, -D*inv_sum_e_shifted*ddx*exp_u, 0))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* slope, const Integer* position,
    const Row* dy, const Row* ddx, Row* out_dx, Row* out_ddy, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, slope, position, dy, ddx, saved.m, saved.inv_sum_e_shifted,
    out_dx, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

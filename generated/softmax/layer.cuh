// Softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit softmax.py and run: lngen derive softmax.py
// definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
//
// The layer for programs of CUDA C++: functions in the namespace softmax, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER softmax
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

#ifdef LNGEN_FORWARD
// m = max(x)
// e_shifted = exp(x - m)
// Z = sum(e_shifted)
// inv_Z = 1/Z
// y = inv_Z*e_shifted
inline cudaError_t forward(cudaStream_t stream, const Row* x, Row* out_y, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, out_y, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dx = y*(dy - sum(dy*y))
inline cudaError_t backward(cudaStream_t stream, const Row* y, const Row* dy, Row* out_dx, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, y, dy, out_dx, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = y*(x_dot - sum(x_dot*y))
inline cudaError_t jvp(cudaStream_t stream, const Row* y, const Row* x_dot, Row* out_y_dot, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, y, x_dot, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// mean_dy_y = mean(dy*y)
// d2y_part = ddx*(dy - D*mean_dy_y)
// d2x = y*(d2y_part + D*(mean(ddx*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
// ddy = y*(ddx - sum(ddx*y))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* y, const Row* dy, const Row* ddx, Row* out_dx,
    Row* out_ddy, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, y, dy, ddx, out_dx, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

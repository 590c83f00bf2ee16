// Rotary position embedding: both halves of a row are turned by the angle of their position.
// Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
// Do not edit; edit rotary.py and run: lngen derive rotary.py
// definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
//
// The layer for programs of CUDA C++: functions in the namespace rotary, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rotary
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
// a = at(x, s=0)
// b = at(x, s=1)
// y_0 = a*cosine - b*sine
// y_1 = a*sine + b*cosine
// y = join(y_0, y_1)
inline cudaError_t forward(cudaStream_t stream, const Row* a, const Row* b, const Row* cosine, const Row* sine,
    Row* out_y_0, Row* out_y_1, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, a, b, cosine, sine, out_y_0, out_y_1, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dy_0 = at(dy, s=0)
// dy_1 = at(dy, s=1)
// da = cosine*dy_0 + dy_1*sine
// db = cosine*dy_1 - dy_0*sine
// dx = join(da, db)
inline cudaError_t backward(cudaStream_t stream, const Row* cosine, const Row* sine, const Row* dy_0,
    const Row* dy_1, Row* out_da, Row* out_db, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, cosine, sine, dy_0, dy_1, out_da, out_db, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// a_dot = at(x_dot, s=0)
// b_dot = at(x_dot, s=1)
// y_0_dot = a_dot*cosine - b_dot*sine
// y_1_dot = b_dot*cosine + a_dot*sine
// y_dot = join(y_0_dot, y_1_dot)
inline cudaError_t jvp(cudaStream_t stream, const Row* cosine, const Row* sine, const Row* a_dot, const Row* b_dot,
    Row* out_y_0_dot, Row* out_y_1_dot, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, cosine, sine, a_dot, b_dot, out_y_0_dot, out_y_1_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// dy_0 = at(dy, s=0)
// dy_1 = at(dy, s=1)
// dda = at(ddx, s=0)
// ddb = at(ddx, s=1)
// d2a = 0
// d2b = 0
// ddy_0 = cosine*dda - ddb*sine
// ddy_1 = cosine*ddb + dda*sine
// d2x = join(d2a, d2b)
// ddy = join(ddy_0, ddy_1)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* cosine, const Row* sine, const Row* dy_0,
    const Row* dy_1, const Row* dda, const Row* ddb, Row* out_da, Row* out_db, Row* out_ddy_0, Row* out_ddy_1,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, cosine, sine, dy_0, dy_1, dda, ddb, out_da, out_db, out_ddy_0,
    out_ddy_1, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

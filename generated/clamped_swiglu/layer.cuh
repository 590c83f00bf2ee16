// SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.
// Made by lngen 0.1.0 from the definition of clamped_swiglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit clamped_swiglu.py and run: lngen derive clamped_swiglu.py
// definition sha256:a1eeafff1ca861c41d2291655187f6c840acb032a1cf459ebfed94cf35e2d959
//
// The layer for programs of CUDA C++: functions in the namespace clamped_swiglu, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER clamped_swiglu
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
// x_0 = at(x, s=0)
// x_1 = at(x, s=1)
// gate = where(x_0 >= limit, limit, x_0)
// value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit, where(x_1 <= -limit, -limit, x_1))
// u = alpha*gate
// sigmoid_u = sigmoid(u)
// y = gate*sigmoid_u*(1 + value)
inline cudaError_t forward(cudaStream_t stream, const Row* x_0, const Row* x_1, Computed alpha, Computed limit,
    Row* out_y, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x_0, x_1, alpha, limit, out_y, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dx_0 = where(x_0 >= limit, 0, dy*sigmoid_u*(1 + value)*(1 + alpha*gate*(1 - sigmoid_u)))
// dx_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, dy*gate*sigmoid_u))
// dx = join(dx_0, dx_1)
inline cudaError_t backward(cudaStream_t stream, const Row* x_0, const Row* x_1, const Row* dy, Computed alpha,
    Computed limit, Row* out_dx_0, Row* out_dx_1, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x_0, x_1, dy, alpha, limit, out_dx_0, out_dx_1, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// x_0_dot = at(x_dot, s=0)
// x_1_dot = at(x_dot, s=1)
// gate_dot = where(x_0 >= limit, 0, x_0_dot)
// y_dot = sigmoid_u*(gate_dot*(1 + value) + alpha*gate*gate_dot*(1 - sigmoid_u)*(1 + value) + where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, gate*x_1_dot)))
inline cudaError_t jvp(cudaStream_t stream, const Row* x_0, const Row* x_1, const Row* x_0_dot, const Row* x_1_dot,
    Computed alpha, Computed limit, Row* out_y_dot, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x_0, x_1, x_0_dot, x_1_dot, alpha, limit, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ddx_0 = at(ddx, s=0)
// ddx_1 = at(ddx, s=1)
// d2x_0 = where(x_0 >= limit, 0, alpha*ddx_0*dy*sigmoid_u*(1 - sigmoid_u)*(1 + value) + where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, ddx_1*dy*sigmoid_u)) + alpha*sigmoid_u*(1 - sigmoid_u)*(where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, ddx_1*dy*gate)) + ddx_0*(dy*(1 + value)*(1 + alpha*gate*(1 - sigmoid_u)) - alpha*dy*gate*sigmoid_u*(1 + value))))
// d2x_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, where(x_0 >= limit, 0, ddx_0*dy*sigmoid_u*(1 + alpha*gate*(1 - sigmoid_u)))))
// ddy = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, ddx_1*gate*sigmoid_u)) + where(x_0 >= limit, 0, ddx_0*sigmoid_u*(1 + value)*(1 + alpha*gate*(1 - sigmoid_u)))
// d2x = join(d2x_0, d2x_1)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x_0, const Row* x_1, const Row* dy,
    const Row* ddx_0, const Row* ddx_1, Computed alpha, Computed limit, Row* out_dx_0, Row* out_dx_1, Row* out_ddy,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x_0, x_1, dy, ddx_0, ddx_1, alpha, limit, out_dx_0, out_dx_1,
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

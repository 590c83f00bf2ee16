// SwiGLU of a gate and a value that lie side by side in one array.
// Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
// definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
//
// The layer for programs of CUDA C++: functions in the namespace packed_swiglu, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER packed_swiglu
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
// gate = at(x, s=0)
// value = at(x, s=1)
// sigmoid_gate = sigmoid(gate)
// silu_gate = gate*sigmoid_gate
// y = silu_gate*value
inline cudaError_t forward(cudaStream_t stream, const Row* gate, const Row* value, Row* out_y, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, gate, value, out_y, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dgate = dy*sigmoid_gate*value*(1 + gate*(1 - sigmoid_gate))
// dvalue = dy*silu_gate
// dx = join(dgate, dvalue)
inline cudaError_t backward(cudaStream_t stream, const Row* gate, const Row* value, const Row* dy, Row* out_dgate,
    Row* out_dvalue, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, gate, value, dy, out_dgate, out_dvalue, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// gate_dot = at(x_dot, s=0)
// value_dot = at(x_dot, s=1)
// y_dot = silu_gate*value_dot + gate_dot*sigmoid_gate*value*(1 + gate*(1 - sigmoid_gate))
inline cudaError_t jvp(cudaStream_t stream, const Row* gate, const Row* value, const Row* gate_dot,
    const Row* value_dot, Row* out_y_dot, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, gate, value, gate_dot, value_dot, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ddgate = at(ddx, s=0)
// ddvalue = at(ddx, s=1)
// d2silu_gate = ddvalue*dy
// d2gate = sigmoid_gate*(d2silu_gate + ddgate*dy*value*(1 - sigmoid_gate) + (1 - sigmoid_gate)*(d2silu_gate*gate + ddgate*dy*value*(1 + gate*(1 - sigmoid_gate) - silu_gate)))
// d2value = ddgate*dy*sigmoid_gate*(1 + gate*(1 - sigmoid_gate))
// ddy = ddvalue*silu_gate + ddgate*sigmoid_gate*value*(1 + gate*(1 - sigmoid_gate))
// d2x = join(d2gate, d2value)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* gate, const Row* value, const Row* dy,
    const Row* ddgate, const Row* ddvalue, Row* out_dgate, Row* out_dvalue, Row* out_ddy, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, gate, value, dy, ddgate, ddvalue, out_dgate, out_dvalue, out_ddy,
    rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

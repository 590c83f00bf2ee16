// Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value.
// Made by lngen 0.1.0 from the definition of situ_glu; derivation.md has its steps, cost and evidence.
// Do not edit; edit situ_glu.py and run: lngen derive situ_glu.py
// definition sha256:e6e65e1eea5303aa376f708491047896a0aec30266bcb6dd83c239585502f41f
//
// The layer for programs of CUDA C++: functions in the namespace situ_glu, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER situ_glu
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
// u = value/linear_beta
// tanh_u = tanh(u)
// sigmoid_gate = sigmoid(gate)
// u_2 = gate/beta
// tanh_u_2 = tanh(u_2)
// y = beta*linear_beta*sigmoid_gate*tanh_u*tanh_u_2
inline cudaError_t forward(cudaStream_t stream, const Row* gate, const Row* value, Computed beta,
    Computed linear_beta, Row* out_y, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, gate, value, beta, linear_beta, out_y, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dgate = linear_beta*dy*sigmoid_gate*tanh_u*(beta*tanh_u_2*(1 - sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2))
// dvalue = beta*dy*sigmoid_gate*tanh_u_2*(1 - tanh_u)*(1 + tanh_u)
// dx = join(dgate, dvalue)
inline cudaError_t backward(cudaStream_t stream, const Row* gate, const Row* value, const Row* dy, Computed beta,
    Computed linear_beta, Row* out_dgate, Row* out_dvalue, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, gate, value, dy, beta, linear_beta, out_dgate, out_dvalue, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// gate_dot = at(x_dot, s=0)
// value_dot = at(x_dot, s=1)
// y_dot = sigmoid_gate*(beta*tanh_u_2*value_dot*(1 - tanh_u)*(1 + tanh_u) + linear_beta*gate_dot*tanh_u*(beta*tanh_u_2*(1 - sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2)))
inline cudaError_t jvp(cudaStream_t stream, const Row* gate, const Row* value, const Row* gate_dot,
    const Row* value_dot, Computed beta, Computed linear_beta, Row* out_y_dot, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, gate, value, gate_dot, value_dot, beta, linear_beta, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ddgate = at(ddx, s=0)
// ddvalue = at(ddx, s=1)
// sigmoid_gate_complement = 1 - sigmoid_gate
// d2gate = dy*sigmoid_gate*((1 - tanh_u_2)*(1 + tanh_u_2)*(beta*ddvalue*(1 - tanh_u)*(1 + tanh_u) + linear_beta*ddgate*tanh_u*(beta*sigmoid_gate_complement - 2*tanh_u_2))/beta + sigmoid_gate_complement*(beta*ddvalue*tanh_u_2*(1 - tanh_u)*(1 + tanh_u) + linear_beta*ddgate*tanh_u*(beta*tanh_u_2*(sigmoid_gate_complement - sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2))))
// d2value = dy*sigmoid_gate*(1 - tanh_u)*(1 + tanh_u)*(ddgate*(1 - tanh_u_2)*(1 + tanh_u_2) + beta*tanh_u_2*(ddgate*sigmoid_gate_complement - 2*ddvalue*tanh_u/linear_beta))
// ddy = sigmoid_gate*(beta*ddvalue*tanh_u_2*(1 - tanh_u)*(1 + tanh_u) + linear_beta*ddgate*tanh_u*(beta*sigmoid_gate_complement*tanh_u_2 + (1 - tanh_u_2)*(1 + tanh_u_2)))
// d2x = join(d2gate, d2value)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* gate, const Row* value, const Row* dy,
    const Row* ddgate, const Row* ddvalue, Computed beta, Computed linear_beta, Row* out_dgate, Row* out_dvalue,
    Row* out_ddy, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, gate, value, dy, ddgate, ddvalue, beta, linear_beta, out_dgate,
    out_dvalue, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

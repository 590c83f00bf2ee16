// Gated linear unit whose gate grows by a falling power: x**(power/(sqrt(x) + 1))*sigmoid(x) for x > 0, else silu(x).
// Made by lngen 0.1.0 from the definition of pow_glu; derivation.md has its steps, cost and evidence.
// Do not edit; edit pow_glu.py and run: lngen derive pow_glu.py
// Open: exp overflows where power*log_base/(1 + root_base) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:67e102f3ac5fc0c5a92bfffdb1e3643a14746399b46a13e192fda8178dee8863
//
// The layer for programs of CUDA C++: functions in the namespace pow_glu, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER pow_glu
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
// base = where(gate > 0, gate, 1)
// root_base = sqrt(base)
// log_base = log(base)
// u = power*log_base/(1 + root_base)
// grown = exp(u)
// sigmoid_gate = sigmoid(gate)
// silu_gate = gate*sigmoid_gate
// y = value*where(gate > 0, grown*sigmoid_gate, silu_gate)
inline cudaError_t forward(cudaStream_t stream, const Row* gate, const Row* value, Computed power, Row* out_y,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, gate, value, power, out_y, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dsilu_gate = where(gate > 0, 0, dy*value)
// du = where(gate > 0, dy*grown*sigmoid_gate*value, 0)
// dgate = dsilu_gate*sigmoid_gate + sigmoid_gate*(1 - sigmoid_gate)*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0)) + where(gate > 0, power*du/(base*(1 + root_base)) - du*u/(2*root_base*(1 + root_base)), 0)
// dvalue = where(gate > 0, dy*grown*sigmoid_gate, dy*silu_gate)
// dx = join(dgate, dvalue)
inline cudaError_t backward(cudaStream_t stream, const Row* gate, const Row* value, const Row* dy, Computed power,
    Row* out_dgate, Row* out_dvalue, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, gate, value, dy, power, out_dgate, out_dvalue, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// gate_dot = at(x_dot, s=0)
// value_dot = at(x_dot, s=1)
// sigmoid_gate_dot = gate_dot*sigmoid_gate*sigmoid(-gate)
// y_dot = where(gate > 0, grown*sigmoid_gate_dot*value + grown*sigmoid_gate*value_dot + power*grown*sigmoid_gate*value*(2*gate_dot/base - gate_dot*log_base/(root_base*(1 + root_base)))/(2*(1 + root_base)), silu_gate*value_dot + value*(gate*sigmoid_gate_dot + gate_dot*sigmoid_gate))
inline cudaError_t jvp(cudaStream_t stream, const Row* gate, const Row* value, const Row* gate_dot,
    const Row* value_dot, Computed power, Row* out_y_dot, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, gate, value, gate_dot, value_dot, power, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ddgate = at(ddx, s=0)
// ddvalue = at(ddx, s=1)
// dsilu_gate = where(gate > 0, 0, dy*value)
// du = where(gate > 0, dy*grown*sigmoid_gate*value, 0)
// ddu = where(gate > 0, ddgate*(2*power/(base*(1 + root_base)) - u/(root_base*(1 + root_base)))/2, 0)
// ddsilu_gate = ddgate*sigmoid_gate*(1 + gate*(1 - sigmoid_gate))
// d2silu_gate = where(gate > 0, 0, ddvalue*dy)
// d2u = where(gate > 0, grown*(ddvalue*dy*sigmoid_gate + ddu*dy*sigmoid_gate*value + ddgate*dy*sigmoid_gate*value*(1 - sigmoid_gate)) - ddgate*du/(2*root_base*(1 + root_base)), 0)
// d2base = where(gate > 0, power*d2u/(base*(1 + root_base)) + (ddgate*(du*u/(root_base*(1 + root_base)**2) + du*u/(root_base**2*(1 + root_base)) - 2*power*du/(base*(1 + root_base)**2))/2 - d2u*u/(1 + root_base))/(2*root_base) - power*ddgate*du/(base**2*(1 + root_base)), 0)
// d2gate = where(gate > 0, d2base, 0) + d2silu_gate*sigmoid_gate + ddgate*dsilu_gate*sigmoid_gate*(1 - sigmoid_gate) + sigmoid_gate*(1 - sigmoid_gate)*(d2silu_gate*gate + where(gate > 0, ddvalue*dy*grown + ddu*dy*grown*value, 0) + ddgate*(dsilu_gate + (1 - sigmoid_gate)*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0)) - sigmoid_gate*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0))))
// d2value = where(gate > 0, ddu*dy*grown*sigmoid_gate + ddgate*dy*grown*sigmoid_gate*(1 - sigmoid_gate), ddsilu_gate*dy)
// ddy = where(gate > 0, ddvalue*grown*sigmoid_gate + ddu*grown*sigmoid_gate*value + ddgate*grown*sigmoid_gate*value*(1 - sigmoid_gate), ddsilu_gate*value + ddvalue*silu_gate)
// d2x = join(d2gate, d2value)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* gate, const Row* value, const Row* dy,
    const Row* ddgate, const Row* ddvalue, Computed power, Row* out_dgate, Row* out_dvalue, Row* out_ddy,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, gate, value, dy, ddgate, ddvalue, power, out_dgate, out_dvalue,
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

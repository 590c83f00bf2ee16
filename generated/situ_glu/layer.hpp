// Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value.
// Made by lngen 0.1.0 from the definition of situ_glu; derivation.md has its steps, cost and evidence.
// Do not edit; edit situ_glu.py and run: lngen derive situ_glu.py
// definition sha256:e6e65e1eea5303aa376f708491047896a0aec30266bcb6dd83c239585502f41f
//
// The layer for programs of C++ on the processor: functions in the namespace situ_glu, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER situ_glu
#endif
#define LNGEN_TYPED
#include "kernels.cpp"
#include "second_order.cpp"
#include "../_runtime/native/typed.h"

namespace LNGEN_LAYER {

using lngen::LNGEN_SPACE::Computed;
using lngen::LNGEN_SPACE::Integer;
using lngen::LNGEN_SPACE::OneInteger;
using lngen::LNGEN_SPACE::Parameter;
using lngen::LNGEN_SPACE::Row;

// gate = at(x, s=0)
// value = at(x, s=1)
// u = value/linear_beta
// tanh_u = tanh(u)
// sigmoid_gate = sigmoid(gate)
// u_2 = gate/beta
// tanh_u_2 = tanh(u_2)
// y = beta*linear_beta*sigmoid_gate*tanh_u*tanh_u_2
inline void forward(const Row* gate, const Row* value, Computed beta, Computed linear_beta, Row* out_y,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({gate, value, out_y}, {beta, linear_beta}, {}, rows, D, threads);
}

// dgate = linear_beta*dy*sigmoid_gate*tanh_u*(beta*tanh_u_2*(1 - sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2))
// dvalue = beta*dy*sigmoid_gate*tanh_u_2*(1 - tanh_u)*(1 + tanh_u)
// dx = join(dgate, dvalue)
inline void backward(const Row* gate, const Row* value, const Row* dy, Computed beta, Computed linear_beta,
    Row* out_dgate, Row* out_dvalue, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({gate, value, dy, out_dgate, out_dvalue}, {beta, linear_beta}, {}, rows, D, threads);
}

// gate_dot = at(x_dot, s=0)
// value_dot = at(x_dot, s=1)
// y_dot = sigmoid_gate*(beta*tanh_u_2*value_dot*(1 - tanh_u)*(1 + tanh_u) + linear_beta*gate_dot*tanh_u*(beta*tanh_u_2*(1 - sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2)))
inline void jvp(const Row* gate, const Row* value, const Row* gate_dot, const Row* value_dot, Computed beta,
    Computed linear_beta, Row* out_y_dot, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({gate, value, gate_dot, value_dot, out_y_dot}, {beta, linear_beta}, {}, rows, D, threads);
}

// ddgate = at(ddx, s=0)
// ddvalue = at(ddx, s=1)
// sigmoid_gate_complement = 1 - sigmoid_gate
// d2gate = dy*sigmoid_gate*((1 - tanh_u_2)*(1 + tanh_u_2)*(beta*ddvalue*(1 - tanh_u)*(1 + tanh_u) + linear_beta*ddgate*tanh_u*(beta*sigmoid_gate_complement - 2*tanh_u_2))/beta + sigmoid_gate_complement*(beta*ddvalue*tanh_u_2*(1 - tanh_u)*(1 + tanh_u) + linear_beta*ddgate*tanh_u*(beta*tanh_u_2*(sigmoid_gate_complement - sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2))))
// d2value = dy*sigmoid_gate*(1 - tanh_u)*(1 + tanh_u)*(ddgate*(1 - tanh_u_2)*(1 + tanh_u_2) + beta*tanh_u_2*(ddgate*sigmoid_gate_complement - 2*ddvalue*tanh_u/linear_beta))
// ddy = sigmoid_gate*(beta*ddvalue*tanh_u_2*(1 - tanh_u)*(1 + tanh_u) + linear_beta*ddgate*tanh_u*(beta*sigmoid_gate_complement*tanh_u_2 + (1 - tanh_u_2)*(1 + tanh_u_2)))
// d2x = join(d2gate, d2value)
inline void backward_backward(const Row* gate, const Row* value, const Row* dy, const Row* ddgate,
    const Row* ddvalue, Computed beta, Computed linear_beta, Row* out_dgate, Row* out_dvalue, Row* out_ddy,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({gate, value, dy, ddgate, ddvalue, out_dgate, out_dvalue, out_ddy}, {beta, linear_beta}, {}, rows, D,
    threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// SwiGLU of a gate and a value that lie side by side in one array.
// Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
// definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
//
// The layer for programs of C++ on the processor: functions in the namespace packed_swiglu, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER packed_swiglu
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
// sigmoid_gate = sigmoid(gate)
// silu_gate = gate*sigmoid_gate
// y = silu_gate*value
inline void forward(const Row* gate, const Row* value, Row* out_y, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({gate, value, out_y}, {}, {}, rows, D, threads);
}

// dgate = dy*sigmoid_gate*value*(1 + gate*(1 - sigmoid_gate))
// dvalue = dy*silu_gate
// dx = join(dgate, dvalue)
inline void backward(const Row* gate, const Row* value, const Row* dy, Row* out_dgate, Row* out_dvalue,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({gate, value, dy, out_dgate, out_dvalue}, {}, {}, rows, D, threads);
}

// gate_dot = at(x_dot, s=0)
// value_dot = at(x_dot, s=1)
// y_dot = silu_gate*value_dot + gate_dot*sigmoid_gate*value*(1 + gate*(1 - sigmoid_gate))
inline void jvp(const Row* gate, const Row* value, const Row* gate_dot, const Row* value_dot, Row* out_y_dot,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({gate, value, gate_dot, value_dot, out_y_dot}, {}, {}, rows, D, threads);
}

// ddgate = at(ddx, s=0)
// ddvalue = at(ddx, s=1)
// d2silu_gate = ddvalue*dy
// d2gate = sigmoid_gate*(d2silu_gate + ddgate*dy*value*(1 - sigmoid_gate) + (1 - sigmoid_gate)*(d2silu_gate*gate + ddgate*dy*value*(1 + gate*(1 - sigmoid_gate) - silu_gate)))
// d2value = ddgate*dy*sigmoid_gate*(1 + gate*(1 - sigmoid_gate))
// ddy = ddvalue*silu_gate + ddgate*sigmoid_gate*value*(1 + gate*(1 - sigmoid_gate))
// d2x = join(d2gate, d2value)
inline void backward_backward(const Row* gate, const Row* value, const Row* dy, const Row* ddgate,
    const Row* ddvalue, Row* out_dgate, Row* out_dvalue, Row* out_ddy, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({gate, value, dy, ddgate, ddvalue, out_dgate, out_dvalue, out_ddy}, {}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

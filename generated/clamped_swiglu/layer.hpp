// SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.
// Made by lngen 0.1.0 from the definition of clamped_swiglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit clamped_swiglu.py and run: lngen derive clamped_swiglu.py
// definition sha256:a1eeafff1ca861c41d2291655187f6c840acb032a1cf459ebfed94cf35e2d959
//
// The layer for programs of C++ on the processor: functions in the namespace clamped_swiglu, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER clamped_swiglu
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

// x_0 = at(x, s=0)
// x_1 = at(x, s=1)
// gate = where(x_0 >= limit, limit, x_0)
// value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit, where(x_1 <= -limit, -limit, x_1))
// u = alpha*gate
// sigmoid_u = sigmoid(u)
// y = gate*sigmoid_u*(1 + value)
inline void forward(const Row* x_0, const Row* x_1, Computed alpha, Computed limit, Row* out_y, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x_0, x_1, out_y}, {alpha, limit}, {}, rows, D, threads);
}

// dx_0 = where(x_0 >= limit, 0, dy*sigmoid_u*(1 + value)*(1 + alpha*gate*(1 - sigmoid_u)))
// dx_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, dy*gate*sigmoid_u))
// dx = join(dx_0, dx_1)
inline void backward(const Row* x_0, const Row* x_1, const Row* dy, Computed alpha, Computed limit, Row* out_dx_0,
    Row* out_dx_1, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x_0, x_1, dy, out_dx_0, out_dx_1}, {alpha, limit}, {}, rows, D, threads);
}

// x_0_dot = at(x_dot, s=0)
// x_1_dot = at(x_dot, s=1)
// gate_dot = where(x_0 >= limit, 0, x_0_dot)
// y_dot = sigmoid_u*(gate_dot*(1 + value) + alpha*gate*gate_dot*(1 - sigmoid_u)*(1 + value) + where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, gate*x_1_dot)))
inline void jvp(const Row* x_0, const Row* x_1, const Row* x_0_dot, const Row* x_1_dot, Computed alpha,
    Computed limit, Row* out_y_dot, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x_0, x_1, x_0_dot, x_1_dot, out_y_dot}, {alpha, limit}, {}, rows, D, threads);
}

// ddx_0 = at(ddx, s=0)
// ddx_1 = at(ddx, s=1)
// d2x_0 = where(x_0 >= limit, 0, alpha*ddx_0*dy*sigmoid_u*(1 - sigmoid_u)*(1 + value) + where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, ddx_1*dy*sigmoid_u)) + alpha*sigmoid_u*(1 - sigmoid_u)*(where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, ddx_1*dy*gate)) + ddx_0*(dy*(1 + value)*(1 + alpha*gate*(1 - sigmoid_u)) - alpha*dy*gate*sigmoid_u*(1 + value))))
// d2x_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, where(x_0 >= limit, 0, ddx_0*dy*sigmoid_u*(1 + alpha*gate*(1 - sigmoid_u)))))
// ddy = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, ddx_1*gate*sigmoid_u)) + where(x_0 >= limit, 0, ddx_0*sigmoid_u*(1 + value)*(1 + alpha*gate*(1 - sigmoid_u)))
// d2x = join(d2x_0, d2x_1)
inline void backward_backward(const Row* x_0, const Row* x_1, const Row* dy, const Row* ddx_0, const Row* ddx_1,
    Computed alpha, Computed limit, Row* out_dx_0, Row* out_dx_1, Row* out_ddy, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x_0, x_1, dy, ddx_0, ddx_1, out_dx_0, out_dx_1, out_ddy}, {alpha, limit}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

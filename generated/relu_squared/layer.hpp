// Square of the positive part.
// Made by lngen 0.1.0 from the definition of relu_squared; derivation.md has its steps, cost and evidence.
// Do not edit; edit relu_squared.py and run: lngen derive relu_squared.py
// definition sha256:1f4d0bba06106d2d5bde084978ce875d350faebb4f3e03c44c88b41f8d56b117
//
// The layer for programs of C++ on the processor: functions in the namespace relu_squared, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER relu_squared
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

// y = where(x <= 0, 0, x)**2
inline void forward(const Row* x, Row* out_y, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, out_y}, {}, {}, rows, D, threads);
}

// dx = where(x <= 0, 0, 2*dy*x)
inline void backward(const Row* x, const Row* dy, Row* out_dx, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, dy, out_dx}, {}, {}, rows, D, threads);
}

// y_dot = where(x <= 0, 0, 2*x*x_dot)
inline void jvp(const Row* x, const Row* x_dot, Row* out_y_dot, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, x_dot, out_y_dot}, {}, {}, rows, D, threads);
}

// d2x = where(x <= 0, 0, 2*ddx*dy)
// ddy = where(x <= 0, 0, 2*ddx*x)
inline void backward_backward(const Row* x, const Row* dy, const Row* ddx, Row* out_dx, Row* out_ddy,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, dy, ddx, out_dx, out_ddy}, {}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

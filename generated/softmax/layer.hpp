// Softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit softmax.py and run: lngen derive softmax.py
// definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
//
// The layer for programs of C++ on the processor: functions in the namespace softmax, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER softmax
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

// m = max(x)
// e_shifted = exp(x - m)
// Z = sum(e_shifted)
// inv_Z = 1/Z
// y = inv_Z*e_shifted
inline void forward(const Row* x, Row* out_y, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, out_y}, {}, {}, rows, D, threads);
}

// dx = y*(dy - sum(dy*y))
inline void backward(const Row* y, const Row* dy, Row* out_dx, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({y, dy, out_dx}, {}, {}, rows, D, threads);
}

// y_dot = y*(x_dot - sum(x_dot*y))
inline void jvp(const Row* y, const Row* x_dot, Row* out_y_dot, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({y, x_dot, out_y_dot}, {}, {}, rows, D, threads);
}

// mean_dy_y = mean(dy*y)
// d2y_part = ddx*(dy - D*mean_dy_y)
// d2x = y*(d2y_part + D*(mean(ddx*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
// ddy = y*(ddx - sum(ddx*y))
inline void backward_backward(const Row* y, const Row* dy, const Row* ddx, Row* out_dx, Row* out_ddy,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({y, dy, ddx, out_dx, out_ddy}, {}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// Rotary position embedding: both halves of a row are turned by the angle of their position.
// Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
// Do not edit; edit rotary.py and run: lngen derive rotary.py
// definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
//
// The layer for programs of C++ on the processor: functions in the namespace rotary, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rotary
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

// a = at(x, s=0)
// b = at(x, s=1)
// y_0 = a*cosine - b*sine
// y_1 = a*sine + b*cosine
// y = join(y_0, y_1)
inline void forward(const Row* a, const Row* b, const Row* cosine, const Row* sine, Row* out_y_0, Row* out_y_1,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({a, b, cosine, sine, out_y_0, out_y_1}, {}, {}, rows, D, threads);
}

// dy_0 = at(dy, s=0)
// dy_1 = at(dy, s=1)
// da = cosine*dy_0 + dy_1*sine
// db = cosine*dy_1 - dy_0*sine
// dx = join(da, db)
inline void backward(const Row* cosine, const Row* sine, const Row* dy_0, const Row* dy_1, Row* out_da, Row* out_db,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({cosine, sine, dy_0, dy_1, out_da, out_db}, {}, {}, rows, D, threads);
}

// a_dot = at(x_dot, s=0)
// b_dot = at(x_dot, s=1)
// y_0_dot = a_dot*cosine - b_dot*sine
// y_1_dot = b_dot*cosine + a_dot*sine
// y_dot = join(y_0_dot, y_1_dot)
inline void jvp(const Row* cosine, const Row* sine, const Row* a_dot, const Row* b_dot, Row* out_y_0_dot,
    Row* out_y_1_dot, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({cosine, sine, a_dot, b_dot, out_y_0_dot, out_y_1_dot}, {}, {}, rows, D, threads);
}

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
inline void backward_backward(const Row* cosine, const Row* sine, const Row* dy_0, const Row* dy_1, const Row* dda,
    const Row* ddb, Row* out_da, Row* out_db, Row* out_ddy_0, Row* out_ddy_1, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({cosine, sine, dy_0, dy_1, dda, ddb, out_da, out_db, out_ddy_0, out_ddy_1}, {}, {}, rows, D,
    threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

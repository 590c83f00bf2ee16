// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
//
// The layer for programs of C++ on the processor: functions in the namespace scaled_softmax, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER scaled_softmax
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

// What forward saves for the other directions: a number for each row.
struct Saved {
  Computed* m;
  Computed* inv_Z;
};

// m = max(scale*x)
// e_shifted = exp(scale*x - m)
// Z = sum(e_shifted)
// inv_Z = 1/Z
// y = inv_Z*e_shifted
inline void forward(const Row* x, const Parameter* scale, Row* out_y, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, scale, out_y, saved.m, saved.inv_Z}, {}, {}, rows, D, threads);
}

// du = y*(dy - sum(dy*y))
// dx = scale*du
// dscale = sum_rows(sum(du*x))
inline void backward(const Row* x, const Row* dy, const Parameter* scale, Row* out_dx, Parameter* out_dscale,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 0, 1};
  kernels.call({x, dy, saved.m, saved.inv_Z, scale, out_dx}, {}, {scale, out_dscale}, rows, D, threads);
}

// u_dot = scale_dot*x + scale*x_dot
// y_dot = y*(u_dot - sum(u_dot*y))
inline void jvp(const Row* x, const Row* x_dot, const Parameter* scale, const Parameter* scale_dot, Row* out_y_dot,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, x_dot, saved.m, saved.inv_Z, scale, scale_dot, out_y_dot}, {}, {}, rows, D, threads);
}

// mean_dy_y = mean(dy*y)
// du = y*(dy - D*mean_dy_y)
// ddu = ddscale*x + scale*ddx
// d2y_part = ddu*(dy - D*mean_dy_y)
// d2u = y*(d2y_part + D*(mean(ddu*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
// d2x = scale*d2u + ddscale*du
// d2scale = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
// ddy = y*(ddu - sum(ddu*y))
inline void backward_backward(const Row* x, const Row* dy, const Row* ddx, const Parameter* scale,
    const Parameter* ddscale, Row* out_dx, Row* out_ddy, Parameter* out_dscale, const Saved& saved, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 0, 1};
  kernels.call({x, dy, ddx, saved.m, saved.inv_Z, scale, ddscale, out_dx, out_ddy}, {},
    {scale, ddscale, out_dscale}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

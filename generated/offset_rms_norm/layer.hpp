// Root-mean-square normalization with a weight that is learned as its distance from one.
// Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
// definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
//
// The layer for programs of C++ on the processor: functions in the namespace offset_rms_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER offset_rms_norm
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
  Computed* rstd;
};

// ms = mean(x**2)
// rstd = 1/sqrt(ms + eps)
// xhat = rstd*x
// y = xhat*(1 + w)
inline void forward(const Row* x, const Parameter* w, Computed eps, Row* out_y, const Saved& saved, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, w, out_y, saved.rstd}, {eps}, {}, rows, D, threads);
}

// g = dy*(1 + w)
// dx = rstd*(g - xhat*mean(g*xhat))
// dw = sum_rows(dy*xhat)
inline void backward(const Row* x, const Row* dy, const Parameter* w, Row* out_dx, Parameter* out_dw,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 1, 0};
  kernels.call({x, dy, saved.rstd, w, out_dx}, {}, {w, out_dw}, rows, D, threads);
}

// y_dot = w_dot*xhat + rstd*(1 + w)*(x_dot - xhat*mean(x_dot*xhat))
inline void jvp(const Row* x, const Row* x_dot, const Parameter* w, const Parameter* w_dot, Row* out_y_dot,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, x_dot, saved.rstd, w, w_dot, out_y_dot}, {}, {}, rows, D, threads);
}

// g = dy*(1 + w)
// mean_g_xhat = mean(g*xhat)
// dg = rstd*(ddx - xhat*mean(ddx*xhat))
// d2x = rstd*(ddw*dy + rstd*(mean(ddx*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddx - xhat*mean(ddx*g)) - xhat*mean(ddw*dy*xhat))
// d2w = sum_rows(dg*dy)
// ddy = ddw*xhat + dg*(1 + w)
inline void backward_backward(const Row* x, const Row* dy, const Row* ddx, const Parameter* w, const Parameter* ddw,
    Row* out_dx, Row* out_ddy, Parameter* out_dw, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 1, 0};
  kernels.call({x, dy, ddx, saved.rstd, w, ddw, out_dx, out_ddy}, {}, {w, ddw, out_dw}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// Root-mean-square normalization with a scale and a shift for each sample.
// Made by lngen 0.1.0 from the definition of modulated_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit modulated_rms_norm.py and run: lngen derive modulated_rms_norm.py
// definition sha256:342278b39697d6ed8c84343b4cb320510fe1cfedc146884253a1a433517afb26
//
// The layer for programs of C++ on the processor: functions in the namespace modulated_rms_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER modulated_rms_norm
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
// y = shift + xhat*(1 + scale)
inline void forward(const Row* x, const Row* scale, const Row* shift, Computed eps, Row* out_y, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, scale, shift, out_y, saved.rstd}, {eps}, {}, rows, D, threads);
}

// g = dy*(1 + scale)
// dx = rstd*(g - xhat*mean(g*xhat))
// dscale = sum(dy*xhat, "...")
// dshift = sum(dy, "...")
inline void backward(const Row* x, const Row* scale, const Row* dy, Row* out_dx, Row* out_dscale, Row* out_dshift,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, scale, dy, saved.rstd, out_dx, out_dscale, out_dshift}, {}, {}, rows, D, threads);
}

// y_dot = shift_dot + scale_dot*xhat + rstd*(1 + scale)*(x_dot - xhat*mean(x_dot*xhat))
inline void jvp(const Row* x, const Row* scale, const Row* x_dot, const Row* scale_dot, const Row* shift_dot,
    Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, scale, x_dot, scale_dot, shift_dot, saved.rstd, out_y_dot}, {}, {}, rows, D, threads);
}

// g = dy*(1 + scale)
// mean_g_xhat = mean(g*xhat)
// dg = rstd*(ddx - xhat*mean(ddx*xhat))
// d2xhat_part = ddscale*dy - mean_g_xhat*rstd*ddx
// d2x = rstd*(d2xhat_part + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat))
// d2scale = sum(dg*dy, "...")
// d2shift = sum(0, "...")
// ddy = ddshift + ddscale*xhat + dg*(1 + scale)
inline void backward_backward(const Row* x, const Row* scale, const Row* dy, const Row* ddx, const Row* ddscale,
    const Row* ddshift, Row* out_dx, Row* out_dscale, Row* out_dshift, Row* out_ddy, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, scale, dy, ddx, ddscale, ddshift, saved.rstd, out_dx, out_dscale, out_dshift, out_ddy}, {}, {},
    rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

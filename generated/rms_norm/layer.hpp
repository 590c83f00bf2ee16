// Root-mean-square normalization over the feature axis.
// Made by lngen 0.1.0 from the definition of rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit rms_norm.py and run: lngen derive rms_norm.py
// definition sha256:fbe79f042b4f7f6642779b5176a8891a01608e00528becbbdfa94ec03cc65c9b
//
// The layer for programs of C++ on the processor: functions in the namespace rms_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rms_norm
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
// y = gamma*xhat
inline void forward(const Row* x, const Parameter* gamma, Computed eps, Row* out_y, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, gamma, out_y, saved.rstd}, {eps}, {}, rows, D, threads);
}

// g = gamma*dy
// dx = rstd*(g - xhat*mean(g*xhat))
// dgamma = sum_rows(dy*xhat)
inline void backward(const Row* x, const Row* dy, const Parameter* gamma, Row* out_dx, Parameter* out_dgamma,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 1, 0};
  kernels.call({x, dy, saved.rstd, gamma, out_dx}, {}, {gamma, out_dgamma}, rows, D, threads);
}

// y_dot = gamma_dot*xhat + rstd*gamma*(x_dot - xhat*mean(x_dot*xhat))
inline void jvp(const Row* x, const Row* x_dot, const Parameter* gamma, const Parameter* gamma_dot, Row* out_y_dot,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, x_dot, saved.rstd, gamma, gamma_dot, out_y_dot}, {}, {}, rows, D, threads);
}

// g = gamma*dy
// mean_g_xhat = mean(g*xhat)
// dg = rstd*(ddx - xhat*mean(ddx*xhat))
// d2x = rstd*(ddgamma*dy + rstd*(mean(ddx*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddx - xhat*mean(ddx*g)) - xhat*mean(ddgamma*dy*xhat))
// d2gamma = sum_rows(dg*dy)
// ddy = gamma*dg + ddgamma*xhat
inline void backward_backward(const Row* x, const Row* dy, const Row* ddx, const Parameter* gamma,
    const Parameter* ddgamma, Row* out_dx, Row* out_ddy, Parameter* out_dgamma, const Saved& saved, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 1, 0};
  kernels.call({x, dy, ddx, saved.rstd, gamma, ddgamma, out_dx, out_ddy}, {}, {gamma, ddgamma, out_dgamma}, rows, D,
    threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

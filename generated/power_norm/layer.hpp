// Each row divided by its mean fourth power, to the power 1/4.
// Made by lngen 0.1.0 from the definition of power_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit power_norm.py and run: lngen derive power_norm.py
// definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
//
// The layer for programs of C++ on the processor: functions in the namespace power_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER power_norm
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
  Computed* scale;
};

// mean_x4 = mean(x**4)
// scale = 1/(mean_x4 + eps)**(1/4)
// xhat = scale*x
// y = gamma*xhat
inline void forward(const Row* x, const Parameter* gamma, Computed eps, Row* out_y, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, gamma, out_y, saved.scale}, {eps}, {}, rows, D, threads);
}

// g = gamma*dy
// dx = scale*(g - xhat**3*mean(g*xhat))
// dgamma = sum_rows(dy*xhat)
inline void backward(const Row* x, const Row* dy, const Parameter* gamma, Row* out_dx, Parameter* out_dgamma,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 1, 0};
  kernels.call({x, dy, saved.scale, gamma, out_dx}, {}, {gamma, out_dgamma}, rows, D, threads);
}

// y_dot = gamma_dot*xhat + scale*gamma*(x_dot - xhat*mean(x_dot*xhat**3))
inline void jvp(const Row* x, const Row* x_dot, const Parameter* gamma, const Parameter* gamma_dot, Row* out_y_dot,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, x_dot, saved.scale, gamma, gamma_dot, out_y_dot}, {}, {}, rows, D, threads);
}

// g = gamma*dy
// mean_g_xhat = mean(g*xhat)
// dmean_g_xhat = sum(-scale*ddx*xhat**3)
// dg = scale*ddx + dmean_g_xhat*xhat/D
// d2xhat = ddgamma*dy + dmean_g_xhat*g/D - 3*mean_g_xhat*scale*ddx*xhat**2
// d2scale = sum(d2xhat*x) + sum(ddx*(g - mean_g_xhat*xhat**3))
// d2mean_x4 = -d2scale*scale**5/4
// d2x = scale*d2xhat + 4*d2mean_x4*x**3/D
// d2gamma = sum_rows(dg*dy)
// ddy = gamma*dg + ddgamma*xhat
inline void backward_backward(const Row* x, const Row* dy, const Row* ddx, const Parameter* gamma,
    const Parameter* ddgamma, Row* out_dx, Row* out_ddy, Parameter* out_dgamma, const Saved& saved, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 1, 0};
  kernels.call({x, dy, ddx, saved.scale, gamma, ddgamma, out_dx, out_ddy}, {}, {gamma, ddgamma, out_dgamma}, rows,
    D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// A gate, silu of another row, then root-mean-square normalization.
// Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
// Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
// definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
//
// The layer for programs of C++ on the processor: functions in the namespace rms_norm_gated, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rms_norm_gated
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

// sigmoid_z = sigmoid(z)
// silu_z = sigmoid_z*z
// h = silu_z*x
// ms = mean(h**2)
// rstd = 1/sqrt(ms + eps)
// hhat = rstd*h
// y = gamma*hhat
inline void forward(const Row* x, const Row* z, const Parameter* gamma, Computed eps, Row* out_y,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, z, gamma, out_y, saved.rstd}, {eps}, {}, rows, D, threads);
}

// g = gamma*dy
// dh = rstd*(g - hhat*mean(g*hhat))
// dx = dh*silu_z
// dz = dh*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
// dgamma = sum_rows(dy*hhat)
inline void backward(const Row* x, const Row* z, const Row* dy, const Parameter* gamma, Row* out_dx, Row* out_dz,
    Parameter* out_dgamma, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 1, 0};
  kernels.call({x, z, dy, saved.rstd, gamma, out_dx, out_dz}, {}, {gamma, out_dgamma}, rows, D, threads);
}

// h_dot = silu_z*x_dot + sigmoid_z*x*z_dot*(1 + z*(1 - sigmoid_z))
// y_dot = gamma_dot*hhat + rstd*gamma*(h_dot - hhat*mean(h_dot*hhat))
inline void jvp(const Row* x, const Row* z, const Row* x_dot, const Row* z_dot, const Parameter* gamma,
    const Parameter* gamma_dot, Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, z, x_dot, z_dot, saved.rstd, gamma, gamma_dot, out_y_dot}, {}, {}, rows, D, threads);
}

// g = gamma*dy
// mean_g_hhat = mean(g*hhat)
// dh = rstd*(g - mean_g_hhat*hhat)
// ddh = ddx*silu_z + ddz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
// dg = rstd*(ddh - hhat*mean(ddh*hhat))
// d2h = rstd*(ddgamma*dy + rstd*(mean(ddh*hhat)*(3*mean_g_hhat*hhat - g) - mean_g_hhat*ddh - hhat*mean(ddh*g)) - hhat*mean(ddgamma*dy*hhat))
// d2silu_z = d2h*x + ddx*dh
// d2x = d2h*silu_z + ddz*dh*sigmoid_z*(1 + z*(1 - sigmoid_z))
// d2z = sigmoid_z*(d2silu_z + ddz*dh*x*(1 - sigmoid_z) + (1 - sigmoid_z)*(d2silu_z*z + ddz*dh*x*(1 + z*(1 - sigmoid_z) - silu_z)))
// d2gamma = sum_rows(dg*dy)
// ddy = gamma*dg + ddgamma*hhat
inline void backward_backward(const Row* x, const Row* z, const Row* dy, const Row* ddx, const Row* ddz,
    const Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row* out_dz, Row* out_ddy, Parameter* out_dgamma,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 1, 0};
  kernels.call({x, z, dy, ddx, ddz, saved.rstd, gamma, ddgamma, out_dx, out_dz, out_ddy}, {},
    {gamma, ddgamma, out_dgamma}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

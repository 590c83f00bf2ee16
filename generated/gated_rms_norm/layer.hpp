// Root-mean-square normalization, then a gate: silu of another row.
// Made by lngen 0.1.0 from the definition of gated_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
// definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
//
// The layer for programs of C++ on the processor: functions in the namespace gated_rms_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER gated_rms_norm
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
// sigmoid_z = sigmoid(z)
// silu_z = sigmoid_z*z
// y = gamma*silu_z*xhat
inline void forward(const Row* x, const Row* z, const Parameter* gamma, Computed eps, Row* out_y,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, z, gamma, out_y, saved.rstd}, {eps}, {}, rows, D, threads);
}

// g = gamma*dy*silu_z
// dx = rstd*(g - xhat*mean(g*xhat))
// dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
// dgamma = sum_rows(dy*silu_z*xhat)
inline void backward(const Row* x, const Row* z, const Row* dy, const Parameter* gamma, Row* out_dx, Row* out_dz,
    Parameter* out_dgamma, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 1, 0};
  kernels.call({x, z, dy, saved.rstd, gamma, out_dx, out_dz}, {}, {gamma, out_dgamma}, rows, D, threads);
}

// y_dot = gamma_dot*silu_z*xhat + gamma*sigmoid_z*xhat*z_dot*(1 + z*(1 - sigmoid_z)) + rstd*gamma*silu_z*(x_dot - xhat*mean(x_dot*xhat))
inline void jvp(const Row* x, const Row* z, const Row* x_dot, const Row* z_dot, const Parameter* gamma,
    const Parameter* gamma_dot, Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, z, x_dot, z_dot, saved.rstd, gamma, gamma_dot, out_y_dot}, {}, {}, rows, D, threads);
}

// g = gamma*dy*silu_z
// mean_g_xhat = mean(g*xhat)
// dg = rstd*(ddx - xhat*mean(ddx*xhat))
// d2silu_z = dy*(gamma*dg + ddgamma*xhat)
// d2xhat_part = gamma*ddz*dy*sigmoid_z*(1 + z*(1 - sigmoid_z)) - mean_g_xhat*rstd*ddx
// d2x = rstd*(d2xhat_part + ddgamma*dy*silu_z + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat) - xhat*mean(ddgamma*dy*silu_z*xhat))
// d2z = sigmoid_z*(d2silu_z + gamma*ddz*dy*xhat*(1 - sigmoid_z) + (1 - sigmoid_z)*(d2silu_z*z + gamma*ddz*dy*xhat*(1 + z*(1 - sigmoid_z) - silu_z)))
// d2gamma = sum_rows(dy*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))))
// ddy = ddgamma*silu_z*xhat + gamma*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z)))
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

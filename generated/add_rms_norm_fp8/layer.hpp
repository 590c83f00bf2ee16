// Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.
// Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has its steps, cost and evidence.
// Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
// definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
//
// The layer for programs of C++ on the processor: functions in the namespace add_rms_norm_fp8, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER add_rms_norm_fp8
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

// h = x + residual
// ms = mean(h**2)
// rstd = 1/sqrt(ms + eps)
// xhat = rstd*h
// y = gamma*xhat/scale
inline void forward(const Row* x, const Row* residual, const Parameter* gamma, const Parameter* scale, Computed eps,
    lngen::cast::float8_e4m3fn* out_y, Row* out_h, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, residual, gamma, scale, out_y, out_h, saved.rstd}, {eps}, {}, rows, D, threads);
}

// g = gamma*dy/scale
// dx = dh + rstd*(g - xhat*mean(g*xhat))
// dresidual = dx
// dgamma = sum_rows(dy*xhat)/scale
// dscale = -sum_rows(sum(gamma*dy*xhat))/scale**2
inline void backward(const Row* h, const Row* dy, const Row* dh, const Parameter* gamma, const Parameter* scale,
    Row* out_dx, Row* out_dresidual, Parameter* out_dgamma, Parameter* out_dscale, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 1, 1};
  kernels.call({h, dy, dh, saved.rstd, gamma, scale, out_dx, out_dresidual}, {},
    {gamma, scale, out_dgamma, out_dscale}, rows, D, threads);
}

// h_dot = residual_dot + x_dot
// y_dot = (gamma_dot*xhat + rstd*gamma*(h_dot - xhat*mean(h_dot*xhat)) - scale_dot*gamma*xhat/scale)/scale
inline void jvp(const Row* h, const Row* x_dot, const Row* residual_dot, const Parameter* gamma,
    const Parameter* scale, const Parameter* gamma_dot, const Parameter* scale_dot, Row* out_y_dot, Row* out_h_dot,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({h, x_dot, residual_dot, saved.rstd, gamma, scale, gamma_dot, scale_dot, out_y_dot, out_h_dot}, {},
    {}, rows, D, threads);
}

// g = gamma*dy/scale
// mean_g_xhat = mean(g*xhat)
// sum_rows_dy_xhat = sum_rows(dy*xhat)
// mean_dy_gamma_xhat = mean(gamma*dy*xhat)
// sum_rows_product = sum_rows(D*mean_dy_gamma_xhat)
// ddh = ddresidual + ddx
// dg = rstd*(ddh - xhat*mean(ddh*xhat))
// d2x = rstd*(ddgamma*dy/scale + ddscale*mean_dy_gamma_xhat*xhat/scale**2 + rstd*(mean(ddh*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddh - xhat*mean(ddh*g)) - ddscale*gamma*dy/scale**2 - xhat*mean(ddgamma*dy*xhat)/scale)
// d2residual = d2x
// d2gamma = sum_rows(dy*(dg - ddscale*xhat/scale))/scale
// d2scale = (2*ddscale*sum_rows_product/scale - sum(ddgamma*sum_rows_dy_xhat) - sum_rows(sum(gamma*dg*dy)))/scale**2
// ddy = (gamma*dg + ddgamma*xhat - ddscale*gamma*xhat/scale)/scale
inline void backward_backward(const Row* h, const Row* dy, const Row* dh, const Row* ddx, const Row* ddresidual,
    const Parameter* gamma, const Parameter* scale, const Parameter* ddgamma, const Parameter* ddscale, Row* out_dx,
    Row* out_dresidual, Row* out_ddy, Row* out_ddh, Parameter* out_dgamma, Parameter* out_dscale,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 2, 2};
kernels.call({h, dy, dh, ddx, ddresidual, saved.rstd, gamma, scale, ddgamma, ddscale, out_dx, out_dresidual, out_ddy, out_ddh},
    {}, {gamma, scale, ddgamma, ddscale, out_dgamma, out_dscale}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

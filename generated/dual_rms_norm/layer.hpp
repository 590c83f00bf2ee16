// A norm after a block, its residual added, and the norm before the next block, in one pass.
// Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
// definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
//
// The layer for programs of C++ on the processor: functions in the namespace dual_rms_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dual_rms_norm
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
  Computed* rstd_2;
};

// ms = mean(x**2)
// rstd = 1/sqrt(ms + eps)
// xhat = rstd*x
// r = residual + after*xhat
// var = mean(r**2)
// rstd_2 = 1/sqrt(var + eps)
// rhat = rstd_2*r
// y = before*rhat
inline void forward(const Row* x, const Row* residual, const Parameter* after, const Parameter* before,
    Computed eps, Row* out_y, Row* out_r, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, residual, after, before, out_y, out_r, saved.rstd, saved.rstd_2}, {eps}, {}, rows, D, threads);
}

// g = before*dy
// dresidual = dr + rstd_2*(g - rhat*mean(g*rhat))
// g_2 = after*dresidual
// dx = rstd*(g_2 - xhat*mean(g_2*xhat))
// dafter = sum_rows(dresidual*xhat)
// dbefore = sum_rows(dy*rhat)
inline void backward(const Row* x, const Row* residual, const Row* dy, const Row* dr, const Parameter* after,
    const Parameter* before, Row* out_dx, Row* out_dresidual, Parameter* out_dafter, Parameter* out_dbefore,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 2, 0};
  kernels.call({x, residual, dy, dr, saved.rstd, saved.rstd_2, after, before, out_dx, out_dresidual}, {},
    {after, before, out_dafter, out_dbefore}, rows, D, threads);
}

// r_dot = residual_dot + after_dot*xhat + rstd*after*(x_dot - xhat*mean(x_dot*xhat))
// y_dot = before_dot*rhat + rstd_2*before*(r_dot - rhat*mean(r_dot*rhat))
inline void jvp(const Row* x, const Row* residual, const Row* x_dot, const Row* residual_dot,
    const Parameter* after, const Parameter* before, const Parameter* after_dot, const Parameter* before_dot,
    Row* out_y_dot, Row* out_r_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
kernels.call({x, residual, x_dot, residual_dot, saved.rstd, saved.rstd_2, after, before, after_dot, before_dot, out_y_dot, out_r_dot},
    {}, {}, rows, D, threads);
}

// g = before*dy
// mean_g_rhat = mean(g*rhat)
// dresidual = dr + rstd_2*(g - mean_g_rhat*rhat)
// g_2 = after*dresidual
// mean_g_2_xhat = mean(g_2*xhat)
// dg_2 = rstd*(ddx - xhat*mean(ddx*xhat))
// ddr = ddresidual + after*dg_2 + ddafter*xhat
// dg = rstd_2*(ddr - rhat*mean(ddr*rhat))
// d2residual = rstd_2*(ddbefore*dy + rstd_2*(mean(ddr*rhat)*(3*mean_g_rhat*rhat - g) - mean_g_rhat*ddr - rhat*mean(ddr*g)) - rhat*mean(ddbefore*dy*rhat))
// d2xhat_part = after*d2residual - mean_g_2_xhat*rstd*ddx
// d2x = rstd*(d2xhat_part + ddafter*dresidual + rstd*(mean(ddx*xhat)*(2*mean_g_2_xhat*xhat - g_2) - xhat*mean(ddx*g_2)) - xhat*mean(d2xhat_part*xhat) - xhat*mean(ddafter*dresidual*xhat))
// d2after = sum_rows(d2residual*xhat + dg_2*dresidual)
// d2before = sum_rows(dg*dy)
// ddy = before*dg + ddbefore*rhat
inline void backward_backward(const Row* x, const Row* residual, const Row* dy, const Row* dr, const Row* ddx,
    const Row* ddresidual, const Parameter* after, const Parameter* before, const Parameter* ddafter,
    const Parameter* ddbefore, Row* out_dx, Row* out_dresidual, Row* out_ddy, Row* out_ddr, Parameter* out_dafter,
    Parameter* out_dbefore, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 2, 0};
kernels.call({x, residual, dy, dr, ddx, ddresidual, saved.rstd, saved.rstd_2, after, before, ddafter, ddbefore, out_dx, out_dresidual, out_ddy, out_ddr},
    {}, {after, before, ddafter, ddbefore, out_dafter, out_dbefore}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

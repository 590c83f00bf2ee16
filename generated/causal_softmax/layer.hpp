// Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.
// Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
// definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
//
// The layer for programs of C++ on the processor: functions in the namespace causal_softmax, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER causal_softmax
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
  Computed* inv_sum_e_shifted;
};

// m = max(where(index() <= position, scale*x, -1e38))
// u = where(index() <= position, scale*x - m, 0)
// exp_u = exp(u)
// e_shifted = where(index() <= position, exp_u, 0)
// sum_e_shifted = sum(e_shifted)
// inv_sum_e_shifted = 1/sum_e_shifted
// y = inv_sum_e_shifted*e_shifted
inline void forward(const Row* x, const Integer* position, const Parameter* scale, Row* out_y, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, position, scale, out_y, saved.m, saved.inv_sum_e_shifted}, {}, {}, rows, D, threads);
}

// du = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - sum(dy*y)), 0)
// dx = where(index() <= position, scale*du, 0)
// dscale = sum_rows(sum(where(index() <= position, du*x, 0)))
inline void backward(const Row* x, const Integer* position, const Row* dy, const Parameter* scale, Row* out_dx,
    Parameter* out_dscale, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), LNGEN_OWN(backward_columns), 0, 1};
  kernels.call({x, position, dy, saved.m, saved.inv_sum_e_shifted, scale, out_dx}, {}, {scale, out_dscale}, rows, D,
    threads);
}

// e_shifted_dot = where(index() <= position, exp_u*(scale_dot*x + scale*x_dot), 0)
// y_dot = inv_sum_e_shifted*(e_shifted_dot - y*sum(e_shifted_dot))
inline void jvp(const Row* x, const Integer* position, const Row* x_dot, const Parameter* scale,
    const Parameter* scale_dot, Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, position, x_dot, saved.m, saved.inv_sum_e_shifted, scale, scale_dot, out_y_dot}, {}, {}, rows, D,
    threads);
}

// mean_dy_y = mean(dy*y)
// du = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - D*mean_dy_y), 0)
// ddu = where(index() <= position, ddscale*x + scale*ddx, 0)
// d2u = where(index() <= position, exp_u*(inv_sum_e_shifted*ddu*(dy - D*mean_dy_y) + inv_sum_e_shifted*(mean(where(index() <= position, -D*inv_sum_e_shifted*ddu*exp_u, 0))*(dy - D*mean_dy_y) - inv_sum_e_shifted*sum(where(index() <= position, ddu*exp_u*(dy - D*mean_dy_y), 0)))), 0)
// d2x = where(index() <= position, scale*d2u + ddscale*du, 0)
// d2scale = sum_rows(D*(mean(where(index() <= position, d2u*x, 0)) + mean(where(index() <= position, ddx*du, 0))))
// ddy = where(index() <= position, inv_sum_e_shifted*ddu*exp_u, 0) + y*mean(where(index() <= position, -D*inv_sum_e_shifted*ddu*exp_u, 0))
inline void backward_backward(const Row* x, const Integer* position, const Row* dy, const Row* ddx,
    const Parameter* scale, const Parameter* ddscale, Row* out_dx, Row* out_ddy, Parameter* out_dscale,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), LNGEN_OWN(backward_backward_columns), 0, 1};
  kernels.call({x, position, dy, ddx, saved.m, saved.inv_sum_e_shifted, scale, ddscale, out_dx, out_ddy}, {},
    {scale, ddscale, out_dscale}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.
// Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
// definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
//
// The layer for programs of C++ on the processor: functions in the namespace alibi_softmax, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER alibi_softmax
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

// z = x + slope*(index() - position)
// m = max(where(index() <= position, z, -1e38))
// u = where(index() <= position, z - m, 0)
// exp_u = exp(u)
// e_shifted = where(index() <= position, exp_u, 0)
// sum_e_shifted = sum(e_shifted)
// inv_sum_e_shifted = 1/sum_e_shifted
// y = inv_sum_e_shifted*e_shifted
inline void forward(const Row* x, const Row* slope, const Integer* position, Row* out_y, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, slope, position, out_y, saved.m, saved.inv_sum_e_shifted}, {}, {}, rows, D, threads);
}

// dx = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - sum(dy*y)), 0)
inline void backward(const Row* x, const Row* slope, const Integer* position, const Row* dy, Row* out_dx,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, slope, position, dy, saved.m, saved.inv_sum_e_shifted, out_dx}, {}, {}, rows, D, threads);
}

// e_shifted_dot = where(index() <= position, exp_u*x_dot, 0)
// y_dot = inv_sum_e_shifted*(e_shifted_dot - y*sum(e_shifted_dot))
inline void jvp(const Row* x, const Row* slope, const Integer* position, const Row* x_dot, Row* out_y_dot,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, slope, position, x_dot, saved.m, saved.inv_sum_e_shifted, out_y_dot}, {}, {}, rows, D, threads);
}

// mean_dy_y = mean(dy*y)
// d2x = where(index() <= position, exp_u*(inv_sum_e_shifted*ddx*(dy - D*mean_dy_y) + inv_sum_e_shifted*(mean(where(index() <= position, -D*inv_sum_e_shifted*ddx*exp_u, 0))*(dy - D*mean_dy_y) - inv_sum_e_shifted*sum(where(index() <= position, ddx*exp_u*(dy - D*mean_dy_y), 0)))), 0)
// ddy = where(index() <= position, inv_sum_e_shifted*ddx*exp_u, 0) + y*mean(where(index() <= position, -D*inv_sum_e_shifted*ddx*exp_u, 0))
inline void backward_backward(const Row* x, const Row* slope, const Integer* position, const Row* dy,
    const Row* ddx, Row* out_dx, Row* out_ddy, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, slope, position, dy, ddx, saved.m, saved.inv_sum_e_shifted, out_dx, out_ddy}, {}, {}, rows, D,
    threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

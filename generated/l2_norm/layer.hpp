// Each row divided by its Euclidean length.
// Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
// definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
//
// The layer for programs of C++ on the processor: functions in the namespace l2_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER l2_norm
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

// sum_x2 = sum(x**2)
// rstd = 1/sqrt(sum_x2 + eps)
// y = rstd*x
inline void forward(const Row* x, Computed eps, Row* out_y, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, out_y, saved.rstd}, {eps}, {}, rows, D, threads);
}

// dx = rstd*(dy - y*sum(dy*y))
inline void backward(const Row* x, const Row* dy, Row* out_dx, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, dy, saved.rstd, out_dx}, {}, {}, rows, D, threads);
}

// y_dot = rstd*(x_dot - y*sum(x_dot*y))
inline void jvp(const Row* x, const Row* x_dot, Row* out_y_dot, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, x_dot, saved.rstd, out_y_dot}, {}, {}, rows, D, threads);
}

// mean_dy_y = mean(dy*y)
// d2x = D*rstd**2*(mean(ddx*y)*(3*D*mean_dy_y*y - dy) - mean_dy_y*ddx - y*mean(ddx*dy))
// ddy = rstd*(ddx - y*sum(ddx*y))
inline void backward_backward(const Row* x, const Row* dy, const Row* ddx, Row* out_dx, Row* out_ddy,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, dy, ddx, saved.rstd, out_dx, out_ddy}, {}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

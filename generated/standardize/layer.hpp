// Rows of mean zero and unbiased variance one, without parameters.
// Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
// Do not edit; edit standardize.py and run: lngen derive standardize.py
// definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
//
// The layer for programs of C++ on the processor: functions in the namespace standardize, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER standardize
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
  Computed* mu;
  Computed* mu_residual;
  Computed* rstd;
};

// mu = mean(x)
// sum_x2 = sum((x - mu)**2)
// rstd = 1/sqrt(sum_x2/(D - 1) + eps)
// y = rstd*(x - mu)
inline void forward(const Row* x, Computed eps, Row* out_y, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, out_y, saved.mu, saved.mu_residual, saved.rstd}, {eps}, {}, rows, D, threads);
}

// dx = rstd*(dy - mean(dy) - y*sum(dy*y)/(D - 1))
inline void backward(const Row* x, const Row* dy, Row* out_dx, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, dy, saved.mu, saved.mu_residual, saved.rstd, out_dx}, {}, {}, rows, D, threads);
}

// y_dot = rstd*(x_dot - mean(x_dot) - y*sum(x_dot*y)/(D - 1))
inline void jvp(const Row* x, const Row* x_dot, Row* out_y_dot, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, x_dot, saved.mu, saved.mu_residual, saved.rstd, out_y_dot}, {}, {}, rows, D, threads);
}

// mean_dy = mean(dy)
// mean_dy_y = mean(dy*y)
// d2x = D*rstd**2*(mean_dy*y*mean(ddx) + mean(ddx*y)*(3*D*mean_dy_y*y/(D - 1) + mean_dy - dy) - y*mean(ddx*dy) - mean_dy_y*(ddx - mean(ddx)))/(D - 1)
// ddy = rstd*(ddx - mean(ddx) - y*sum(ddx*y)/(D - 1))
inline void backward_backward(const Row* x, const Row* dy, const Row* ddx, Row* out_dx, Row* out_ddy,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, dy, ddx, saved.mu, saved.mu_residual, saved.rstd, out_dx, out_ddy}, {}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

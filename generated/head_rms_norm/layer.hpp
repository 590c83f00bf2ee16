// Root-mean-square normalization of queries or keys, with a weight for each head.
// Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
// definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
//
// The layer for programs of C++ on the processor: functions in the namespace head_rms_norm, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER head_rms_norm
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
// y = weight*xhat
inline void forward(const Row* x, const Row* weight, Computed eps, Row* out_y, const Saved& saved, long long rows,
    int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, weight, out_y, saved.rstd}, {eps}, {}, rows, D, threads);
}

// g = dy*weight
// dx = rstd*(g - xhat*mean(g*xhat))
// dweight = sum(dy*xhat, "b t")
inline void backward(const Row* x, const Row* weight, const Row* dy, Row* out_dx, Row* out_dweight,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, weight, dy, saved.rstd, out_dx, out_dweight}, {}, {}, rows, D, threads);
}

// y_dot = weight_dot*xhat + rstd*weight*(x_dot - xhat*mean(x_dot*xhat))
inline void jvp(const Row* x, const Row* weight, const Row* x_dot, const Row* weight_dot, Row* out_y_dot,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, weight, x_dot, weight_dot, saved.rstd, out_y_dot}, {}, {}, rows, D, threads);
}

// g = dy*weight
// mean_g_xhat = mean(g*xhat)
// dg = rstd*(ddx - xhat*mean(ddx*xhat))
// d2xhat_part = ddweight*dy - mean_g_xhat*rstd*ddx
// d2x = rstd*(d2xhat_part + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat))
// d2weight = sum(dg*dy, "b t")
// ddy = dg*weight + ddweight*xhat
inline void backward_backward(const Row* x, const Row* weight, const Row* dy, const Row* ddx, const Row* ddweight,
    Row* out_dx, Row* out_dweight, Row* out_ddy, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, weight, dy, ddx, ddweight, saved.rstd, out_dx, out_dweight, out_ddy}, {}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.
// Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
// definition sha256:54d0d10a361e544b04d125946902774985e4cfbc3c6a48abadaca8002ccda43b
//
// The layer for programs of C++ on the processor: functions in the namespace label_cross_entropy, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER label_cross_entropy
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
  Computed* Z_;
  Computed* log_Z;
};

// m = max(x)
// exp_shifted = exp(x - m)
// Z = sum(exp_shifted)
// log_Z = log(Z)
// target = sum(where(index() == label, x, 0))
// mu = mean(x)
// y = where(label == ignore, 0, m + log_Z + where(smoothing > 0, smoothing*(target - mu), 0) + z_loss*(m + log_Z)**2 - target)
inline void forward(const Row* x, const Integer* label, const OneInteger* ignore, Computed smoothing,
    Computed z_loss, Row* out_y, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, label, ignore, out_y, saved.m, saved.Z_, saved.log_Z}, {smoothing, z_loss}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// dx = where(index() == label, where(label == ignore, 0, where(smoothing > 0, smoothing*dy, 0) - dy), 0) + where(label == ignore, 0, dy*p*(1 + 2*z_loss*(m + log_Z)) + where(smoothing > 0, -smoothing*dy/D, 0))
inline void backward(const Row* x, const Integer* label, const Row* dy, const OneInteger* ignore,
    Computed smoothing, Computed z_loss, Row* out_dx, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, label, dy, saved.m, saved.Z_, saved.log_Z, ignore, out_dx}, {smoothing, z_loss}, {}, rows, D,
    threads);
}

// p = exp_shifted/Z
// y_dot = where(label == ignore, 0, sum(p*x_dot)*(1 + 2*z_loss*(m + log_Z)) + where(smoothing > 0, smoothing*sum(where(index() == label, x_dot, 0)) - smoothing*mean(x_dot), 0) - sum(where(index() == label, x_dot, 0)))
inline void jvp(const Row* x, const Integer* label, const Row* x_dot, const OneInteger* ignore, Computed smoothing,
    Computed z_loss, Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, label, x_dot, saved.m, saved.Z_, saved.log_Z, ignore, out_y_dot}, {smoothing, z_loss}, {}, rows,
    D, threads);
}

// d2x = where(label == ignore, 0, exp_shifted*(dy*ddx*(1 + 2*z_loss*(m + log_Z))/Z + 2*z_loss*dy*sum(ddx*exp_shifted)/Z**2 - dy*sum(ddx*exp_shifted)*(1 + 2*z_loss*(m + log_Z))/Z**2))
// p = exp_shifted/Z
// ddy = sum(where(index() == label, where(label == ignore, 0, where(smoothing > 0, smoothing*ddx, 0) - ddx), 0)) + where(label == ignore, 0, where(smoothing > 0, -smoothing*mean(ddx), 0) + sum(ddx*p)*(1 + 2*z_loss*(m + log_Z)))
inline void backward_backward(const Row* x, const Integer* label, const Row* dy, const Row* ddx,
    const OneInteger* ignore, Computed smoothing, Computed z_loss, Row* out_dx, Row* out_ddy, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, label, dy, ddx, saved.m, saved.Z_, saved.log_Z, ignore, out_dx, out_ddy}, {smoothing, z_loss}, {},
    rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

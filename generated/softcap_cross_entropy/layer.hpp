// Cross entropy of a label with the softmax of a capped row, weighted by class; a label `ignore` counts nothing.
// Made by lngen 0.1.0 from the definition of softcap_cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit softcap_cross_entropy.py and run: lngen derive softcap_cross_entropy.py
// definition sha256:d010fe640748d9eca5d1baa233d0a8218fad8c6aeec03dd12a012fcb2dc30c1c
//
// The layer for programs of C++ on the processor: functions in the namespace softcap_cross_entropy, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER softcap_cross_entropy
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
  Computed* sum_where_class_weight;
};

// u_2 = x/cap
// tanh_u_2 = tanh(u_2)
// u = cap*tanh_u_2
// m = max(u)
// exp_shifted = exp(u - m)
// Z = sum(exp_shifted)
// log_Z = log(Z)
// sum_where_u = sum(where(index() == label, u, 0))
// sum_where_class_weight = sum(where(index() == label, class_weight, 0))
// y = where(label == ignore, 0, z_loss*(m + log_Z)**2 + sum_where_class_weight*(m + log_Z - sum_where_u))
inline void forward(const Row* x, const Integer* label, const Parameter* class_weight, const OneInteger* ignore,
    Computed cap, Computed z_loss, Row* out_y, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, label, class_weight, ignore, out_y, saved.m, saved.Z_, saved.log_Z, saved.sum_where_class_weight},
    {cap, z_loss}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// dx = (1 - tanh_u_2)*(1 + tanh_u_2)*(where(index() == label, where(label == ignore, 0, -dy*sum_where_class_weight), 0) + where(label == ignore, 0, dy*p*(sum_where_class_weight + 2*z_loss*(m + log_Z))))
inline void backward(const Row* x, const Integer* label, const Row* dy, const OneInteger* ignore, Computed cap,
    Computed z_loss, Row* out_dx, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, label, dy, saved.m, saved.Z_, saved.log_Z, saved.sum_where_class_weight, ignore, out_dx},
    {cap, z_loss}, {}, rows, D, threads);
}

// tanh_u_2_dot = x_dot*(1 - tanh_u_2)*(1 + tanh_u_2)/cap
// p = exp_shifted/Z
// y_dot = where(label == ignore, 0, cap*sum(p*tanh_u_2_dot)*(sum_where_class_weight + 2*z_loss*(m + log_Z)) - sum_where_class_weight*sum(where(index() == label, cap*tanh_u_2_dot, 0)))
inline void jvp(const Row* x, const Integer* label, const Row* x_dot, const OneInteger* ignore, Computed cap,
    Computed z_loss, Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, label, x_dot, saved.m, saved.Z_, saved.log_Z, saved.sum_where_class_weight, ignore, out_y_dot},
    {cap, z_loss}, {}, rows, D, threads);
}

// d2x = (1 - tanh_u_2)*(1 + tanh_u_2)*(where(index() == label, where(label == ignore, 0, 2*dy*sum_where_class_weight*ddx*tanh_u_2), 0) + where(label == ignore, 0, cap*exp_shifted*(dy*ddx*(sum_where_class_weight + 2*z_loss*(m + log_Z))*(1 - tanh_u_2)*(1 + tanh_u_2)/Z + 2*z_loss*dy*sum(ddx*exp_shifted*(1 - tanh_u_2)*(1 + tanh_u_2))/Z**2 - dy*sum(ddx*exp_shifted*(1 - tanh_u_2)*(1 + tanh_u_2))*(sum_where_class_weight + 2*z_loss*(m + log_Z))/Z**2) - 2*dy*ddx*exp_shifted*tanh_u_2*(sum_where_class_weight + 2*z_loss*(m + log_Z))/Z))/cap
// p = exp_shifted/Z
// ddy = sum(where(index() == label, where(label == ignore, 0, -sum_where_class_weight*ddx*(1 - tanh_u_2)*(1 + tanh_u_2)), 0)) + where(label == ignore, 0, sum(ddx*p*(1 - tanh_u_2)*(1 + tanh_u_2))*(sum_where_class_weight + 2*z_loss*(m + log_Z)))
inline void backward_backward(const Row* x, const Integer* label, const Row* dy, const Row* ddx,
    const OneInteger* ignore, Computed cap, Computed z_loss, Row* out_dx, Row* out_ddy, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
kernels.call({x, label, dy, ddx, saved.m, saved.Z_, saved.log_Z, saved.sum_where_class_weight, ignore, out_dx, out_ddy},
    {cap, z_loss}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

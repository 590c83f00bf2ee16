// Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.
// Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
// Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
// definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
//
// The layer for programs of C++ on the processor: functions in the namespace focal_loss, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER focal_loss
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
  Computed* logpt;
  Computed* expm1_logpt;
  Computed* power_expm1_logpt;
};

// m = max(x)
// exp_shifted = exp(x - m)
// Z = sum(exp_shifted)
// log_Z = log(Z)
// logp = x - m - log_Z
// logpt = sum(where(index() == label, logp, 0))
// expm1_logpt = expm1(logpt)
// power_expm1_logpt = (-expm1_logpt)**gamma
// y = -logpt*power_expm1_logpt
inline void forward(const Row* x, const Integer* label, Computed gamma, Row* out_y, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, label, out_y, saved.m, saved.Z_, saved.logpt, saved.expm1_logpt, saved.power_expm1_logpt},
    {gamma}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// dx = where(index() == label, where(gamma == 0, 0, gamma*dy*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1)) - dy*power_expm1_logpt, 0) + where(label >= 0, where(label < D, dy*power_expm1_logpt*p + where(gamma == 0, 0, -gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)), 0), 0)
inline void backward(const Row* x, const Integer* label, const Row* dy, Computed gamma, Row* out_dx,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, label, dy, saved.m, saved.Z_, saved.logpt, saved.expm1_logpt, saved.power_expm1_logpt, out_dx},
    {gamma}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// log_Z_dot = sum(p*x_dot)
// y_dot = where(gamma == 0, 0, gamma*logpt*(-expm1_logpt)**(gamma - 1)*sum(where(index() == label, exp(logpt)*(x_dot - log_Z_dot), 0))) - power_expm1_logpt*sum(where(index() == label, x_dot - log_Z_dot, 0))
inline void jvp(const Row* x, const Integer* label, const Row* x_dot, Computed gamma, Row* out_y_dot,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
kernels.call({x, label, x_dot, saved.m, saved.Z_, saved.logpt, saved.expm1_logpt, saved.power_expm1_logpt, out_y_dot},
    {gamma}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// d2logpt = sum(where(index() == label, where(gamma == 0, 0, where(gamma - 1 == 0, 0, -gamma*dy*logpt*ddx*exp(2*logpt)*(-expm1_logpt)**(gamma - 2)*(gamma - 1))), 0)) + sum(where(index() == label, where(gamma == 0, 0, ddx*(gamma*dy*exp(logpt)*(-expm1_logpt)**(gamma - 1) + gamma*dy*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1))), 0)) + where(gamma == 0, 0, where(label >= 0, where(label < D, -gamma*dy*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p), 0), 0) - gamma*(-expm1_logpt)**(gamma - 1)*sum(where(index() == label, -dy*ddx*exp(logpt), 0))) + where(label >= 0, where(label < D, where(gamma == 0, 0, where(gamma - 1 == 0, 0, gamma*dy*logpt*exp(2*logpt)*(-expm1_logpt)**(gamma - 2)*sum(ddx*p)*(gamma - 1))) + where(gamma == 0, 0, sum(-ddx*(gamma*dy*p*exp(logpt)*(-expm1_logpt)**(gamma - 1) + gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)))), 0), 0)
// d2x = where(index() == label, d2logpt, 0) + where(label >= 0, where(label < D, dy*power_expm1_logpt*ddx*p + where(gamma == 0, 0, -gamma*dy*logpt*ddx*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)) + where(gamma == 0, 0, gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p)) - d2logpt*p - dy*power_expm1_logpt*p*sum(ddx*p), 0), 0)
// ddy = sum(where(index() == label, where(gamma == 0, 0, gamma*logpt*ddx*exp(logpt)*(-expm1_logpt)**(gamma - 1)) - power_expm1_logpt*ddx, 0)) + where(label >= 0, where(label < D, power_expm1_logpt*sum(ddx*p) + where(gamma == 0, 0, -gamma*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p)), 0), 0)
inline void backward_backward(const Row* x, const Integer* label, const Row* dy, const Row* ddx, Computed gamma,
    Row* out_dx, Row* out_ddy, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
kernels.call({x, label, dy, ddx, saved.m, saved.Z_, saved.logpt, saved.expm1_logpt, saved.power_expm1_logpt, out_dx, out_ddy},
    {gamma}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

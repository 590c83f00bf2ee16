// Cross entropy of soft targets with the softmax of a row, one number a row.
// Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
// definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
//
// The layer for programs of C++ on the processor: functions in the namespace cross_entropy, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER cross_entropy
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
// logp = x - m - log_Z
// sum_logp_target = sum(logp*target)
// y = -sum_logp_target
inline void forward(const Row* x, const Row* target, Row* out_y, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, target, out_y, saved.m, saved.Z_, saved.log_Z}, {}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// dx = dy*(p*sum(target) - target)
// dtarget = -dy*logp
inline void backward(const Row* x, const Row* target, const Row* dy, Row* out_dx, Row* out_dtarget,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, target, dy, saved.m, saved.Z_, saved.log_Z, out_dx, out_dtarget}, {}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// log_Z_dot = sum(p*x_dot)
// y_dot = -sum(logp*target_dot + target*(x_dot - log_Z_dot))
inline void jvp(const Row* x, const Row* target, const Row* x_dot, const Row* target_dot, Row* out_y_dot,
    const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, target, x_dot, target_dot, saved.m, saved.Z_, saved.log_Z, out_y_dot}, {}, {}, rows, D, threads);
}

// mean_target = mean(target)
// p = exp_shifted/Z
// d2x = dy*(D*p*(mean(ddtarget) + mean_target*(ddx - sum(ddx*p))) - ddtarget)
// d2target = dy*(sum(ddx*p) - ddx)
// ddy = D*(mean(ddx*(D*mean_target*p - target)) - mean(ddtarget*logp))
inline void backward_backward(const Row* x, const Row* target, const Row* dy, const Row* ddx, const Row* ddtarget,
    Row* out_dx, Row* out_dtarget, Row* out_ddy, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, target, dy, ddx, ddtarget, saved.m, saved.Z_, saved.log_Z, out_dx, out_dtarget, out_ddy}, {}, {},
    rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

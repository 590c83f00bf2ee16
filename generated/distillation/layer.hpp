// Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.
// Made by lngen 0.1.0 from the definition of distillation; derivation.md has its steps, cost and evidence.
// Do not edit; edit distillation.py and run: lngen derive distillation.py
// definition sha256:605c03732e301937a46144ac717739a27c6327286eedf29e8b15c84beaabe5d7
//
// The layer for programs of C++ on the processor: functions in the namespace distillation, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER distillation
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
  Computed* m_3;
  Computed* Z_;
  Computed* m;
  Computed* Z_2_;
  Computed* m_2;
  Computed* inv_Z_3;
};

// sum_where_x = sum(where(index() == label, x, 0))
// m_3 = max(x)
// exp_shifted = exp(x - m_3)
// Z = sum(exp_shifted)
// log_Z = log(Z)
// u = x/temperature
// v = teacher/temperature
// m = max(u)
// exp_shifted_2 = exp(u - m)
// Z_2 = sum(exp_shifted_2)
// log_Z_2 = log(Z_2)
// logq = u - m - log_Z_2
// m_2 = max(v)
// exp_shifted_3 = exp(v - m_2)
// Z_3 = sum(exp_shifted_3)
// log_Z_3 = log(Z_3)
// logp = v - m_2 - log_Z_3
// inv_Z_3 = 1/Z_3
// exp_shifted_3_scaled = inv_Z_3*exp_shifted_3
// soft = sum(exp_shifted_3_scaled*(logp - logq))
// y = share*temperature**2*soft + (1 - share)*(m_3 + log_Z - sum_where_x)
inline void forward(const Row* x, const Row* teacher, const Integer* label, Computed temperature, Computed share,
    Row* out_y, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, teacher, label, out_y, saved.m_3, saved.Z_, saved.m, saved.Z_2_, saved.m_2, saved.inv_Z_3},
    {temperature, share}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// p_2 = exp_shifted_2/Z_2
// dx = where(index() == label, dy*(share - 1), 0) + dy*(p + share*(temperature*(p_2 - exp_shifted_3_scaled) - p))
inline void backward(const Row* x, const Row* teacher, const Integer* label, const Row* dy, Computed temperature,
    Computed share, Row* out_dx, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, teacher, label, dy, saved.m_3, saved.Z_, saved.m, saved.Z_2_, saved.m_2, saved.inv_Z_3, out_dx},
    {temperature, share}, {}, rows, D, threads);
}

// p_2 = exp_shifted_2/Z_2
// log_Z_2_dot = sum(p_2*x_dot)/temperature
// p = exp_shifted/Z
// y_dot = D*(mean(where(index() == label, x_dot, 0))*(share - 1) + mean(p*x_dot)*(1 - share) - share*temperature**2*mean(exp_shifted_3_scaled*(x_dot/temperature - log_Z_2_dot)))
inline void jvp(const Row* x, const Row* teacher, const Integer* label, const Row* x_dot, Computed temperature,
    Computed share, Row* out_y_dot, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
kernels.call({x, teacher, label, x_dot, saved.m_3, saved.Z_, saved.m, saved.Z_2_, saved.m_2, saved.inv_Z_3, out_y_dot},
    {temperature, share}, {}, rows, D, threads);
}

// p = exp_shifted/Z
// p_2 = exp_shifted_2/Z_2
// d2x = dy*(share*p_2*(ddx - sum(ddx*p_2)) + p*(ddx + sum(ddx*p)*(share - 1) - share*ddx))
// ddy = sum(ddx*p) + sum(where(index() == label, ddx*(share - 1), 0)) + share*sum(ddx*(temperature*(p_2 - exp_shifted_3_scaled) - p))
inline void backward_backward(const Row* x, const Row* teacher, const Integer* label, const Row* dy, const Row* ddx,
    Computed temperature, Computed share, Row* out_dx, Row* out_ddy, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
kernels.call({x, teacher, label, dy, ddx, saved.m_3, saved.Z_, saved.m, saved.Z_2_, saved.m_2, saved.inv_Z_3, out_dx, out_ddy},
    {temperature, share}, {}, rows, D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

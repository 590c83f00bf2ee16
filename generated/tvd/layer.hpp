// Total variation distance of a teacher's and a student's softmax, one number a row.
// Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
// Do not edit; edit tvd.py and run: lngen derive tvd.py
// definition sha256:19ac4ec7bf4f3132606617eab619a4775839151a35595d1e2e232bc8d3477cbe
//
// The layer for programs of C++ on the processor: functions in the namespace tvd, on dense arrays of rows of D
// entries. `threads` share the rows; results do not depend on their number. No array overlaps another.
//
// Macros that may be defined before: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16); LNGEN_COMPUTED, that of
// arithmetic (f32, f64), and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose
// argument is then ignored. For further types include the file again, with another name for LNGEN_LAYER. It and the types
// are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER tvd
#endif
#define LNGEN_TYPED
#include "../_runtime/native/typed.h"
#include "kernels.cpp"
#include "second_order.cpp"

namespace LNGEN_LAYER {

using lngen::LNGEN_SPACE::Computed;
using lngen::LNGEN_SPACE::Integer;
using lngen::LNGEN_SPACE::OneInteger;
using lngen::LNGEN_SPACE::Parameter;
using lngen::LNGEN_SPACE::Row;

// What forward saves for the other directions: a number for each row.
struct Saved {
  Computed* m_2;
  Computed* m;
  Computed* inv_Z_2;
  Computed* inv_Z;
};

// m_2 = max(x)
// e_shifted = exp(x - m_2)
// m = max(teacher)
// t_shifted = exp(teacher - m)
// Z = sum(e_shifted)
// Z_2 = sum(t_shifted)
// inv_Z_2 = 1/Z_2
// exp_shifted_2_scaled = inv_Z_2*t_shifted
// inv_Z = 1/Z
// exp_shifted_scaled = inv_Z*e_shifted
// sum_abs = sum(abs(exp_shifted_2_scaled - exp_shifted_scaled))
// y = sum_abs/2
inline void forward(const Row* x, const Row* teacher, Row* out_y, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::Kernels<Computed> kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, teacher, out_y, saved.m_2, saved.m, saved.inv_Z_2, saved.inv_Z}, {}, rows, D, threads);
}

// dx = dy*exp_shifted_scaled*(sum(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled)) - sign(exp_shifted_2_scaled - exp_shifted_scaled))/2
inline void backward(const Row* x, const Row* teacher, const Row* dy, Row* out_dx, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::Kernels<Computed> kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, teacher, dy, saved.m_2, saved.m, saved.inv_Z_2, saved.inv_Z, out_dx}, {}, rows, D, threads);
}

// y_dot = D*(sum(exp_shifted_scaled*x_dot)*mean(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled)) - mean(exp_shifted_scaled*x_dot*sign(exp_shifted_2_scaled - exp_shifted_scaled)))/2
inline void jvp(const Row* x, const Row* teacher, const Row* x_dot, Row* out_y_dot, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::Kernels<Computed> kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, teacher, x_dot, saved.m_2, saved.m, saved.inv_Z_2, saved.inv_Z, out_y_dot}, {}, rows, D,
    threads);
}

// mean_exp_shifted_scaled_sign = mean(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled))
// d2exp_shifted_scaled_part = dy*ddx*(D*mean_exp_shifted_scaled_sign - sign(exp_shifted_2_scaled - exp_shifted_scaled))/2
// d2x = exp_shifted_scaled*(d2exp_shifted_scaled_part + dy*sum(ddx*exp_shifted_scaled)*(sign(exp_shifted_2_scaled - exp_shifted_scaled) - D*mean_exp_shifted_scaled_sign)/2 - sum(d2exp_shifted_scaled_part*exp_shifted_scaled))
// ddy = sum(ddx*exp_shifted_scaled*(D*mean_exp_shifted_scaled_sign - sign(exp_shifted_2_scaled - exp_shifted_scaled))/2)
inline void backward_backward(const Row* x, const Row* teacher, const Row* dy, const Row* ddx, Row* out_dx,
    Row* out_ddy, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::Kernels<Computed> kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, teacher, dy, ddx, saved.m_2, saved.m, saved.inv_Z_2, saved.inv_Z, out_dx, out_ddy}, {}, rows, D,
    threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

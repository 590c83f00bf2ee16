// Total variation distance of a teacher's and a student's softmax, one number a row.
// Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
// Do not edit; edit tvd.py and run: lngen derive tvd.py
// definition sha256:531a69e0531c8d084bce4e7dc397809639b91913c16cd826b7e28806ee2c4e04
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
  Computed* m_2;
  Computed* m;
  Computed* inv_Z;
  Computed* inv_Z_2;
};

// m_2 = max(x)
// e_shifted = exp(x - m_2)
// m = max(teacher)
// t_shifted = exp(teacher - m)
// Z = sum(e_shifted)
// inv_Z = 1/Z
// q = inv_Z*e_shifted
// Z_2 = sum(t_shifted)
// inv_Z_2 = 1/Z_2
// p = inv_Z_2*t_shifted
// sum_abs = sum(abs(p - q))
// y = sum_abs/2
inline void forward(const Row* x, const Row* teacher, Row* out_y, const Saved& saved, long long rows, int D,
    int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(forward), nullptr, 0, 0};
  kernels.call({x, teacher, out_y, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2}, {}, {}, rows, D, threads);
}

// dx = dy*q*(sum(q*sign(p - q)) - sign(p - q))/2
inline void backward(const Row* x, const Row* teacher, const Row* dy, Row* out_dx, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward), nullptr, 0, 0};
  kernels.call({x, teacher, dy, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2, out_dx}, {}, {}, rows, D, threads);
}

// y_dot = D*(sum(q*x_dot)*mean(q*sign(p - q)) - mean(q*x_dot*sign(p - q)))/2
inline void jvp(const Row* x, const Row* teacher, const Row* x_dot, Row* out_y_dot, const Saved& saved,
    long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(jvp), nullptr, 0, 0};
  kernels.call({x, teacher, x_dot, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2, out_y_dot}, {}, {}, rows, D,
    threads);
}

// mean_q_sign = mean(q*sign(p - q))
// d2q_part = dy*ddx*(D*mean_q_sign - sign(p - q))/2
// d2x = q*(d2q_part + D*(dy*mean(ddx*q)*(sign(p - q) - D*mean_q_sign)/2 - mean(d2q_part*q)))
// ddy = sum(ddx*q*(D*mean_q_sign - sign(p - q))/2)
inline void backward_backward(const Row* x, const Row* teacher, const Row* dy, const Row* ddx, Row* out_dx,
    Row* out_ddy, const Saved& saved, long long rows, int D, int threads = 1) {
  const lngen::LNGEN_SPACE::Kernels kernels{LNGEN_OWN(backward_backward), nullptr, 0, 0};
  kernels.call({x, teacher, dy, ddx, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2, out_dx, out_ddy}, {}, {}, rows,
    D, threads);
}

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_ROWS
#undef LNGEN_COMPUTED
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

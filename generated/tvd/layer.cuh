// Total variation distance of a teacher's and a student's softmax, one number a row.
// Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
// Do not edit; edit tvd.py and run: lngen derive tvd.py
// definition sha256:531a69e0531c8d084bce4e7dc397809639b91913c16cd826b7e28806ee2c4e04
//
// The layer for programs of CUDA C++: functions in the namespace tvd, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER tvd
#endif
#ifndef LNGEN_ROWS
#define LNGEN_ROWS f32
#endif
#define LNGEN_TYPED
#include "kernels.cu"
#include "second_order.cu"
#include "../_runtime/cuda/typed.cuh"

namespace LNGEN_LAYER {

using Row = lngen::LNGEN_ROWS;
using Parameter = lngen::LNGEN_SPACE::Parameter<Row>;
using Computed = lngen::LNGEN_SPACE::Computed<Row>;
using lngen::LNGEN_SPACE::Integer;
using lngen::LNGEN_SPACE::OneInteger;

// What forward saves for the other directions: a number for each row.
struct Saved {
  Computed* m_2;
  Computed* m;
  Computed* inv_Z;
  Computed* inv_Z_2;
};

#ifdef LNGEN_FORWARD
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
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* teacher, Row* out_y, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, teacher, out_y, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dx = dy*q*(sum(q*sign(p - q)) - sign(p - q))/2
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* teacher, const Row* dy, Row* out_dx,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, teacher, dy, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2, out_dx,
    rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = D*(sum(q*x_dot)*mean(q*sign(p - q)) - mean(q*x_dot*sign(p - q)))/2
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* teacher, const Row* x_dot, Row* out_y_dot,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, teacher, x_dot, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2, out_y_dot,
    rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// mean_q_sign = mean(q*sign(p - q))
// d2q_part = dy*ddx*(D*mean_q_sign - sign(p - q))/2
// d2x = q*(d2q_part + D*(dy*mean(ddx*q)*(sign(p - q) - D*mean_q_sign)/2 - mean(d2q_part*q)))
// ddy = sum(ddx*q*(D*mean_q_sign - sign(p - q))/2)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* teacher, const Row* dy,
    const Row* ddx, Row* out_dx, Row* out_ddy, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, teacher, dy, ddx, saved.m_2, saved.m, saved.inv_Z,
    saved.inv_Z_2, out_dx, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

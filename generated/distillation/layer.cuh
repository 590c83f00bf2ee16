// Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.
// Made by lngen 0.1.0 from the definition of distillation; derivation.md has its steps, cost and evidence.
// Do not edit; edit distillation.py and run: lngen derive distillation.py
// definition sha256:605c03732e301937a46144ac717739a27c6327286eedf29e8b15c84beaabe5d7
//
// The layer for programs of CUDA C++: functions in the namespace distillation, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER distillation
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
  Computed* m_3;
  Computed* Z_;
  Computed* m;
  Computed* Z_2_;
  Computed* m_2;
  Computed* inv_Z_3;
};

#ifdef LNGEN_FORWARD
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
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* teacher, const Integer* label,
    Computed temperature, Computed share, Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, teacher, label, temperature, share, out_y, saved.m_3, saved.Z_, saved.m,
    saved.Z_2_, saved.m_2, saved.inv_Z_3, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// p = exp_shifted/Z
// p_2 = exp_shifted_2/Z_2
// dx = where(index() == label, dy*(share - 1), 0) + dy*(p + share*(temperature*(p_2 - exp_shifted_3_scaled) - p))
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* teacher, const Integer* label,
    const Row* dy, Computed temperature, Computed share, Row* out_dx, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, teacher, label, dy, saved.m_3, saved.Z_, saved.m, saved.Z_2_, saved.m_2,
    saved.inv_Z_3, temperature, share, out_dx, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// p_2 = exp_shifted_2/Z_2
// log_Z_2_dot = sum(p_2*x_dot)/temperature
// p = exp_shifted/Z
// y_dot = D*(mean(where(index() == label, x_dot, 0))*(share - 1) + mean(p*x_dot)*(1 - share) - share*temperature**2*mean(exp_shifted_3_scaled*(x_dot/temperature - log_Z_2_dot)))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* teacher, const Integer* label,
    const Row* x_dot, Computed temperature, Computed share, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, teacher, label, x_dot, saved.m_3, saved.Z_, saved.m, saved.Z_2_, saved.m_2,
    saved.inv_Z_3, temperature, share, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// p = exp_shifted/Z
// p_2 = exp_shifted_2/Z_2
// d2x = dy*(share*p_2*(ddx - sum(ddx*p_2)) + p*(ddx + sum(ddx*p)*(share - 1) - share*ddx))
// ddy = sum(ddx*p) + sum(where(index() == label, ddx*(share - 1), 0)) + share*sum(ddx*(temperature*(p_2 - exp_shifted_3_scaled) - p))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* teacher, const Integer* label,
    const Row* dy, const Row* ddx, Computed temperature, Computed share, Row* out_dx, Row* out_ddy,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, teacher, label, dy, ddx, saved.m_3, saved.Z_, saved.m, saved.Z_2_,
    saved.m_2, saved.inv_Z_3, temperature, share, out_dx, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

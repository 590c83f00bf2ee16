// Generalized Jensen-Shannon divergence of a teacher's and a student's softmax, one number a row.
// Made by lngen 0.1.0 from the definition of jsd; derivation.md has its steps, cost and evidence.
// Do not edit; edit jsd.py and run: lngen derive jsd.py
// definition sha256:b28d007ce999de73cc9db154c53ebf5b3ccf610eafe7fdebb5114df4ab0d0ea6
//
// The layer for programs of CUDA C++: functions in the namespace jsd, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER jsd
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
  Computed* log_Z;
  Computed* m;
  Computed* inv_Z;
  Computed* inv_Z_2;
};

#ifdef LNGEN_FORWARD
// m_2 = max(x)
// exp_shifted = exp(x - m_2)
// Z = sum(exp_shifted)
// log_Z = log(Z)
// logq = x - m_2 - log_Z
// m = max(teacher)
// exp_shifted_2 = exp(teacher - m)
// Z_2 = sum(exp_shifted_2)
// log_Z_2 = log(Z_2)
// logp = teacher - m - log_Z_2
// inv_Z = 1/Z
// q = inv_Z*exp_shifted
// inv_Z_2 = 1/Z_2
// p = inv_Z_2*exp_shifted_2
// u = beta*p + q*(1 - beta)
// logm = log(u)
// y = sum(beta*p*(logp - logm) + q*(1 - beta)*(logq - logm))
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* teacher, Computed beta, Row* out_y,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, teacher, beta, out_y, saved.m_2, saved.log_Z, saved.m, saved.inv_Z,
    saved.inv_Z_2, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// g = dy*(1 - beta)*(logq + (beta*(q - p) - q)/u - logm)
// dx = q*(g - sum(g*q))
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* teacher, const Row* dy, Computed beta,
    Row* out_dx, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, teacher, dy, saved.m_2, saved.log_Z, saved.m, saved.inv_Z, saved.inv_Z_2,
    beta, out_dx, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// exp_shifted_dot = exp_shifted*x_dot
// Z_dot = sum(exp_shifted_dot)
// log_Z_dot = Z_dot*inv_Z
// logq_dot = x_dot - log_Z_dot
// inv_Z_dot = -Z_dot*inv_Z**2
// q_dot = inv_Z_dot*exp_shifted + inv_Z*exp_shifted_dot
// u_dot = q_dot*(1 - beta)
// logm_dot = u_dot/u
// total_dot = logq_dot*q*(1 - beta) + q_dot*(1 - beta)*(logq - logm) + (-logm_dot*(beta*p + q*(1 - beta)))
// y_dot = sum(total_dot)
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* teacher, const Row* x_dot, Computed beta,
    Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, teacher, x_dot, saved.m_2, saved.log_Z, saved.m, saved.inv_Z, saved.inv_Z_2,
    beta, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// g = dy*(1 - beta)*(logq + (beta*(q - p) - q)/u - logm)
// mean_g_q = mean(g*q)
// dmean_g_q = sum(-D*ddx*q)
// dg = ddx*q + dmean_g_q*q/D
// d2logm = -dy*dg*(1 - beta)
// d2u = d2logm/u - dy*dg*(1 - beta)*(beta*(q - p) - q)/u**2
// d2q = d2u*(1 - beta) + dmean_g_q*g/D + ddx*(g - D*mean_g_q) + dy*dg*(1 - beta)*(beta - 1)/u
// d2inv_Z = sum(d2q*exp_shifted)
// d2logq = dy*dg*(1 - beta)
// d2log_Z = sum(-d2logq)
// d2Z = d2log_Z*inv_Z - d2inv_Z*inv_Z**2
// d2exp_shifted = inv_Z*d2q + d2Z
// d2x = d2logq + d2exp_shifted*exp_shifted
// ddy = sum(dg*(1 - beta)*(logq + (beta*(q - p) - q)/u - logm))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* teacher, const Row* dy,
    const Row* ddx, Computed beta, Row* out_dx, Row* out_ddy, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, teacher, dy, ddx, saved.m_2, saved.log_Z, saved.m, saved.inv_Z,
    saved.inv_Z_2, beta, out_dx, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

// Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.
// Made by lngen 0.1.0 from the definition of cispo; derivation.md has its steps, cost and evidence.
// Do not edit; edit cispo.py and run: lngen derive cispo.py
// Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:a21bee54b07909b1e1df488422d8fc3f4932d92800acfe716b79aec1320057a1
//
// The layer for programs of CUDA C++: functions in the namespace cispo, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER cispo
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
  Computed* Z_;
  Computed* ratio;
};

#ifdef LNGEN_FORWARD
// m_2 = max(x)
// exp_shifted = exp(x - m_2)
// Z = sum(exp_shifted)
// sum_where_x = sum(where(index() == label, x, 0))
// log_Z = log(Z)
// exp_log_Z_m_2 = exp(sum_where_x - old - m_2 - log_Z)
// ratio = stop_gradient(where(exp_log_Z_m_2 >= high, high, exp_log_Z_m_2))
// y = -advantage*ratio*(sum_where_x - m_2 - log_Z)
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Integer* label, const Row* advantage,
    const Row* old, Computed high, Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, label, advantage, old, high, out_y, saved.m_2, saved.Z_, saved.ratio, rows,
    D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// p = exp_shifted/Z
// dx = advantage*dy*ratio*p + where(index() == label, -advantage*dy*ratio, 0)
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Integer* label, const Row* advantage,
    const Row* dy, Row* out_dx, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, label, advantage, dy, saved.m_2, saved.Z_, saved.ratio, out_dx, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// p = exp_shifted/Z
// y_dot = D*advantage*ratio*(mean(p*x_dot) - mean(where(index() == label, x_dot, 0)))
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Integer* label, const Row* advantage,
    const Row* x_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, label, advantage, x_dot, saved.m_2, saved.Z_, saved.ratio, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// p = exp_shifted/Z
// d2x = advantage*dy*ratio*p*(ddx - sum(ddx*p))
// ddy = advantage*ratio*sum(ddx*p) + sum(where(index() == label, -advantage*ratio*ddx, 0))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Integer* label, const Row* advantage,
    const Row* dy, const Row* ddx, Row* out_dx, Row* out_ddy, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, label, advantage, dy, ddx, saved.m_2, saved.Z_, saved.ratio,
    out_dx, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

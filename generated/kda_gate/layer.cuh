// Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.
// Made by lngen 0.1.0 from the definition of kda_gate; derivation.md has its steps, cost and evidence.
// Do not edit; edit kda_gate.py and run: lngen derive kda_gate.py
// Open: exp overflows where rate is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:828e82ed6a2def8150a7add1c29579ffcf6ccf2277e91b493d839c2c2a8629f8
//
// The layer for programs of CUDA C++: functions in the namespace kda_gate, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER kda_gate
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
  Computed* exp_rate;
};

#ifdef LNGEN_FORWARD
// u = x + bias
// softplus_u = softplus(u)
// exp_rate = exp(rate)
// y = -exp_rate*softplus_u
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* rate, const Row* bias, Row* out_y,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, rate, bias, out_y, saved.exp_rate, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dx = -exp_rate*dy*sigmoid(u)
// drate = sum(sum(dy*y), "b t")
// dbias = sum(dx, "b t")
inline cudaError_t backward(cudaStream_t stream, const Row* x, const Row* bias, const Row* dy, Row* out_dx,
    Row* out_dbias, Row* out_drate, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, x, bias, dy, saved.exp_rate, out_dx, out_dbias, out_drate, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// exp_rate_dot = exp_rate*rate_dot
// y_dot = -exp_rate_dot*softplus_u - exp_rate*sigmoid(u)*(bias_dot + x_dot)
inline cudaError_t jvp(cudaStream_t stream, const Row* x, const Row* bias, const Row* x_dot, const Row* rate_dot,
    const Row* bias_dot, Row* out_y_dot, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, x, bias, x_dot, rate_dot, bias_dot, saved.exp_rate, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ddx_2 = ddbias + ddx
// d2y = ddrate*dy
// d2x = -exp_rate*sigmoid(u)*(d2y + ddx_2*dy*(1 - sigmoid(u)))
// d2rate = sum(D*exp_rate*(mean(-d2y*softplus_u) + mean(-ddx_2*dy*sigmoid(u))), "b t")
// d2bias = sum(d2x, "b t")
// ddy = ddrate*y - exp_rate*ddx_2*sigmoid(u)
inline cudaError_t backward_backward(cudaStream_t stream, const Row* x, const Row* bias, const Row* dy,
    const Row* ddx, const Row* ddrate, const Row* ddbias, Row* out_dx, Row* out_dbias, Row* out_drate, Row* out_ddy,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, x, bias, dy, ddx, ddrate, ddbias, saved.exp_rate, out_dx,
    out_dbias, out_drate, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

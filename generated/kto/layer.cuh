// Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.
// Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
// Do not edit; edit kto.py and run: lngen derive kto.py
// definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
//
// The layer for programs of CUDA C++: functions in the namespace kto, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER kto
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

#ifdef LNGEN_FORWARD
// reward = logp - reference - divergence
// u = -beta*reward
// sigmoid_u = sigmoid(u)
// u_2 = beta*reward
// sigmoid_u_2 = sigmoid(u_2)
// y = where(desirable > 0, gain*sigmoid_u, loss*sigmoid_u_2)
inline cudaError_t forward(cudaStream_t stream, const Row* logp, const Row* reference, const Integer* desirable,
    const Row* divergence, Computed beta, Computed gain, Computed loss, Row* out_y, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, logp, reference, desirable, divergence, beta, gain, loss, out_y, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dlogp = beta*where(desirable > 0, -gain*dy*sigmoid_u*(1 - sigmoid_u), loss*dy*sigmoid_u_2*(1 - sigmoid_u_2))
inline cudaError_t backward(cudaStream_t stream, const Row* logp, const Row* reference, const Integer* desirable,
    const Row* divergence, const Row* dy, Computed beta, Computed gain, Computed loss, Row* out_dlogp,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, logp, reference, desirable, divergence, dy, beta, gain, loss, out_dlogp,
    rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = where(desirable > 0, -beta*gain*logp_dot*sigmoid_u*(1 - sigmoid_u), beta*loss*logp_dot*sigmoid_u_2*(1 - sigmoid_u_2))
inline cudaError_t jvp(cudaStream_t stream, const Row* logp, const Row* reference, const Integer* desirable,
    const Row* divergence, const Row* logp_dot, Computed beta, Computed gain, Computed loss, Row* out_y_dot,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, logp, reference, desirable, divergence, logp_dot, beta, gain, loss, out_y_dot,
    rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// d2logp = beta*where(desirable > 0, -beta*ddlogp*sigmoid_u*(1 - sigmoid_u)*(gain*dy*sigmoid_u - gain*dy*(1 - sigmoid_u)), beta*ddlogp*sigmoid_u_2*(1 - sigmoid_u_2)*(loss*dy*(1 - sigmoid_u_2) - loss*dy*sigmoid_u_2))
// ddy = where(desirable > 0, -beta*gain*ddlogp*sigmoid_u*(1 - sigmoid_u), beta*loss*ddlogp*sigmoid_u_2*(1 - sigmoid_u_2))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* logp, const Row* reference,
    const Integer* desirable, const Row* divergence, const Row* dy, const Row* ddlogp, Computed beta, Computed gain,
    Computed loss, Row* out_dlogp, Row* out_ddy, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, logp, reference, desirable, divergence, dy, ddlogp, beta, gain,
    loss, out_dlogp, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

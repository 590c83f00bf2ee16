// Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.
// Made by lngen 0.1.0 from the definition of dpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit dpo.py and run: lngen derive dpo.py
// definition sha256:10eb91beaf60f0e2cc089be78fb58745ca1f88e23e0686a53b2fedd2504fb169
//
// The layer for programs of CUDA C++: functions in the namespace dpo, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dpo
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
// total_2 = chosen - rejected - reference_chosen
// margin = beta*(reference_rejected + total_2)
// u = -margin
// softplus_u = softplus(u)
// softplus_margin = softplus(margin)
// y = smoothing*softplus_margin + softplus_u*(1 - smoothing)
inline cudaError_t forward(cudaStream_t stream, const Row* chosen, const Row* rejected, const Row* reference_chosen,
    const Row* reference_rejected, Computed beta, Computed smoothing, Row* out_y, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, chosen, rejected, reference_chosen, reference_rejected, beta, smoothing,
    out_y, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dchosen = beta*dy*(smoothing*(sigmoid(margin) + sigmoid(u)) - sigmoid(u))
// drejected = -dchosen
inline cudaError_t backward(cudaStream_t stream, const Row* chosen, const Row* rejected,
    const Row* reference_chosen, const Row* reference_rejected, const Row* dy, Computed beta, Computed smoothing,
    Row* out_dchosen, Row* out_drejected, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, chosen, rejected, reference_chosen, reference_rejected, dy, beta, smoothing,
    out_dchosen, out_drejected, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// margin_dot = beta*(chosen_dot - rejected_dot)
// softplus_u_dot = -margin_dot*sigmoid(u)
// y_dot = softplus_u_dot + smoothing*(margin_dot*sigmoid(margin) - softplus_u_dot)
inline cudaError_t jvp(cudaStream_t stream, const Row* chosen, const Row* rejected, const Row* reference_chosen,
    const Row* reference_rejected, const Row* chosen_dot, const Row* rejected_dot, Computed beta,
    Computed smoothing, Row* out_y_dot, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, chosen, rejected, reference_chosen, reference_rejected, chosen_dot, rejected_dot,
    beta, smoothing, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// ddchosen_2 = ddchosen - ddrejected
// d2chosen = beta**2*ddchosen_2*dy*(smoothing*sigmoid(margin)*(1 - sigmoid(margin)) + sigmoid(u)*(1 - smoothing)*(1 - sigmoid(u)))
// d2rejected = -d2chosen
// ddy = beta*ddchosen_2*(smoothing*(sigmoid(margin) + sigmoid(u)) - sigmoid(u))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* chosen, const Row* rejected,
    const Row* reference_chosen, const Row* reference_rejected, const Row* dy, const Row* ddchosen,
    const Row* ddrejected, Computed beta, Computed smoothing, Row* out_dchosen, Row* out_drejected, Row* out_ddy,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, chosen, rejected, reference_chosen, reference_rejected, dy,
    ddchosen, ddrejected, beta, smoothing, out_dchosen, out_drejected, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

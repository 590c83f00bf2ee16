// Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.
// Made by lngen 0.1.0 from the definition of sink_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit sink_softmax.py and run: lngen derive sink_softmax.py
// definition sha256:85de87b67725f2db6415d52ce8ee109a8b1ab48120c2fc9ba15663e407abd30f
//
// The layer for programs of CUDA C++: functions in the namespace sink_softmax, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER sink_softmax
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
  Computed* exp_largest_sink;
  Computed* scale;
};

#ifdef LNGEN_FORWARD
// m = max(x)
// largest = where(m > sink, m, sink)
// e_shifted = exp(x - largest)
// Z = sum(e_shifted)
// exp_largest_sink = exp(sink - largest)
// scale = 1/(Z + exp_largest_sink)
// y = scale*e_shifted
inline cudaError_t forward(cudaStream_t stream, const Row* x, const Row* sink, Row* out_y, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, x, sink, out_y, saved.exp_largest_sink, saved.scale, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// dx = y*(dy - sum(dy*y))
// dsink = sum(-exp_largest_sink*scale*sum(dy*y), "b q")
inline cudaError_t backward(cudaStream_t stream, const Row* y, const Row* dy, Row* out_dx, Row* out_dsink,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward, blocks, y, dy, saved.exp_largest_sink, saved.scale, out_dx, out_dsink, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// y_dot = y*(x_dot - exp_largest_sink*scale*sink_dot - sum(x_dot*y))
inline cudaError_t jvp(cudaStream_t stream, const Row* y, const Row* x_dot, const Row* sink_dot, Row* out_y_dot,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, y, x_dot, sink_dot, saved.exp_largest_sink, saved.scale, out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// mean_dy_y = mean(dy*y)
// dmean_dy_y = sum(-D*ddx*y) - D*ddsink*exp_largest_sink*scale
// d2y = dmean_dy_y*dy/D + ddx*(dy - D*mean_dy_y)
// d2scale = sum(d2y*e_shifted) - D*ddsink*exp_largest_sink*mean_dy_y
// d2exp_largest_sink = -d2scale*scale**2 - D*ddsink*mean_dy_y*scale
// d2Z = -d2scale*scale**2
// d2e_shifted = scale*d2y + d2Z
// d2x = d2e_shifted*e_shifted
// d2sink = sum(d2exp_largest_sink*exp_largest_sink, "b q")
// ddy = ddx*y + dmean_dy_y*y/D
inline cudaError_t backward_backward(cudaStream_t stream, const Row* sink, const Row* y, const Row* x,
    const Row* dy, const Row* ddx, const Row* ddsink, Row* out_dx, Row* out_dsink, Row* out_ddy, const Saved& saved,
    long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, false);
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, sink, y, x, dy, ddx, ddsink, saved.exp_largest_sink, saved.scale,
    out_dx, out_dsink, out_ddy, rows, D);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

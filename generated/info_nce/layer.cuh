// InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.
// Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
// Do not edit; edit info_nce.py and run: lngen derive info_nce.py
// definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
//
// The layer for programs of CUDA C++: functions in the namespace info_nce, on dense arrays of rows of LNGEN_D entries in
// device memory. A function launches its kernels on a stream, and returns the first error. No array overlaps another.
//
// LNGEN_D is the length of a row. Macros that may be defined besides: LNGEN_ROWS, the type of rows (f32, f64, f16, bf16),
// and LNGEN_PARAMETERS, that of parameters; LNGEN_WITHOUT_name for an input that is left out, whose argument is then
// ignored; and those of rows.cuh, such as LNGEN_FORWARD for this direction alone. For another length or type include the
// file again, with another name for LNGEN_LAYER. It, the length and the types are for one file.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER info_nce
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
  Computed* m;
  Computed* Z_;
};

#ifdef LNGEN_FORWARD
// z = scale*similarity
// sum_where_z = sum(where(index() == positive, z, 0))
// m = max(z)
// exp_shifted = exp(z - m)
// Z = sum(exp_shifted)
// log_Z = log(Z)
// y = m + log_Z - sum_where_z
inline cudaError_t forward(cudaStream_t stream, const Row* similarity, const Integer* positive,
    const Parameter* scale, Row* out_y, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, forward, rows, false);
  LNGEN_LAUNCH_ON(on, forward, blocks, similarity, positive, scale, out_y, saved.m, saved.Z_, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD
// p = exp_shifted/Z
// dz = dy*p + where(index() == positive, -dy, 0)
// dsimilarity = scale*dz
// dscale = sum_rows(sum(dz*similarity))
inline cudaError_t backward(cudaStream_t stream, const Row* similarity, const Integer* positive, const Row* dy,
    const Parameter* scale, Row* out_dsimilarity, Parameter* out_dscale, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (0ll*D + 1));
  LNGEN_LAUNCH_ON(on, backward, blocks, similarity, positive, dy, saved.m, saved.Z_, scale, out_dsimilarity,
    workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_columns, LNGEN_COLUMNS_ON(backward_columns, D), workspace, blocks, scale, out_dscale,
    D);
  on.free(workspace);
  return on.error;
}
#endif

#ifdef LNGEN_JVP
// z_dot = scale_dot*similarity + scale*similarity_dot
// p = exp_shifted/Z
// y_dot = D*(mean(p*z_dot) - mean(where(index() == positive, z_dot, 0)))
inline cudaError_t jvp(cudaStream_t stream, const Row* similarity, const Integer* positive,
    const Row* similarity_dot, const Parameter* scale, const Parameter* scale_dot, Row* out_y_dot,
    const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, jvp, rows, false);
  LNGEN_LAUNCH_ON(on, jvp, blocks, similarity, positive, similarity_dot, saved.m, saved.Z_, scale, scale_dot,
    out_y_dot, rows, D);
  return on.error;
}
#endif

#ifdef LNGEN_BACKWARD_BACKWARD
// p = exp_shifted/Z
// dz = dy*p + where(index() == positive, -dy, 0)
// ddz = ddscale*similarity + scale*ddsimilarity
// d2similarity_shifted = dy*p*(ddz - sum(ddz*p))
// d2similarity = scale*d2similarity_shifted + ddscale*dz
// d2scale = sum_rows(D*(mean(d2similarity_shifted*similarity) + mean(ddsimilarity*dz)))
// ddy = sum(ddz*p) + sum(where(index() == positive, -ddz, 0))
inline cudaError_t backward_backward(cudaStream_t stream, const Row* similarity, const Integer* positive,
    const Row* dy, const Row* ddsimilarity, const Parameter* scale, const Parameter* ddscale, Row* out_dsimilarity,
    Row* out_ddy, Parameter* out_dscale, const Saved& saved, long long rows) {
  constexpr int D = LNGEN_D;
  lngen::OnStream on{stream};
  const int blocks = LNGEN_BLOCKS_ON(on, backward_backward, rows, true);
  Computed* const workspace = on.memory<Computed>(blocks * (0ll*D + 1));
  LNGEN_LAUNCH_ON(on, backward_backward, blocks, similarity, positive, dy, ddsimilarity, saved.m, saved.Z_, scale,
    ddscale, out_dsimilarity, out_ddy, workspace, rows, D);
  LNGEN_LAUNCH_ON(on, backward_backward_columns, LNGEN_COLUMNS_ON(backward_backward_columns, D), workspace, blocks,
    scale, ddscale, out_dscale, D);
  on.free(workspace);
  return on.error;
}
#endif

}  // namespace LNGEN_LAYER

#undef LNGEN_TYPED
#undef LNGEN_D
#undef LNGEN_ROWS
#undef LNGEN_PARAMETERS
#undef LNGEN_LAYER

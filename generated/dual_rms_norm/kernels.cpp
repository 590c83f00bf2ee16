// A norm after a block, its residual added, and the norm before the next block, in one pass.
// Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
// definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
//
// A kernel is passed the pointers of
//
//     dual_rms_norm_forward_<type>(const Row* x, const Row* residual, const Parameter* after, const Parameter*
//         before, Computed eps, Row* out_y, Row* out_r, Computed* save_rstd, Computed* save_rstd_2, long long
//         rows, int D)
//     dual_rms_norm_backward_<type>(const Row* x, const Row* residual, const Row* dy, const Row* dr, const
//         Computed* rstd, const Computed* rstd_2, const Parameter* after, const Parameter* before, Row* out_dx,
//         Row* out_dresidual, Computed* workspace, long long rows, int D)
//     dual_rms_norm_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* after, const
//         Parameter* before, Parameter* out_dafter, Parameter* out_dbefore, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward: chunks * chunk_entries(2, 0, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than dual_rms_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dual_rms_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, forward::Layer)
LNGEN_KERNEL(backward, backward::Layer)
LNGEN_KERNEL(backward_columns, backward::columns::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif

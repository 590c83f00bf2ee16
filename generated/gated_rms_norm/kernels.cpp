// Root-mean-square normalization, then a gate: silu of another row.
// Made by lngen 0.1.0 from the definition of gated_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
// definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
//
// A kernel is passed the pointers of
//
//     gated_rms_norm_forward_<type>(const Row* x, const Row* z, const Parameter* gamma, Computed eps, Row* out_y,
//         Computed* save_rstd, long long rows, int D)
//     gated_rms_norm_backward_<type>(const Row* x, const Row* z, const Row* dy, const Computed* rstd, const
//         Parameter* gamma, Row* out_dx, Row* out_dz, Computed* workspace, long long rows, int D)
//     gated_rms_norm_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter*
//         out_dgamma, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward: chunks * chunk_entries(1, 0, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than gated_rms_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER gated_rms_norm
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

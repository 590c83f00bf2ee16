// Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.
// Made by lngen 0.1.0 from the definition of rms_norm_rotary; derivation.md has its steps, cost and evidence.
// Do not edit; edit rms_norm_rotary.py and run: lngen derive rms_norm_rotary.py
// definition sha256:998fdf59ade695e9f5494b7d0184d1de3a356aa9ffc68ea8a8746fc047134e7a
//
// A kernel is passed the pointers of
//
//     rms_norm_rotary_forward_<type>(const Row* a, const Row* b, const Row* cosine, const Row* sine, const
//         Parameter* weight_0, const Parameter* weight_1, Computed eps, Row* out_y_0, Row* out_y_1, Computed*
//         save_rstd, long long rows, int D)
//     rms_norm_rotary_backward_<type>(const Row* a, const Row* b, const Row* cosine, const Row* sine, const Row*
//         dy_0, const Row* dy_1, const Computed* rstd, const Parameter* weight_0, const Parameter* weight_1, Row*
//         out_da, Row* out_db, Computed* workspace, long long rows, int D)
//     rms_norm_rotary_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* weight_0, const
//         Parameter* weight_1, Parameter* out_dweight_0, Parameter* out_dweight_1, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward: chunks * chunk_entries(2, 0, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than rms_norm_rotary.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rms_norm_rotary
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

// Centred rows divided by their mean absolute deviation.
// Made by lngen 0.1.0 from the definition of mean_abs_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
// definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
//
// A kernel is passed the pointers of
//
//     mean_abs_norm_forward_<type>(const Row* x, const Parameter* gamma, const Parameter* beta, Computed eps, Row*
//         out_y, Computed* save_mu, Computed* save_mu_residual, Computed* save_scale, long long rows, int D)
//     mean_abs_norm_backward_<type>(const Row* x, const Row* dy, const Computed* mu, const Computed* mu_residual,
//         const Computed* scale, const Parameter* gamma, Row* out_dx, Computed* workspace, long long rows, int D)
//     mean_abs_norm_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter*
//         out_dgamma, Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward: chunks * chunk_entries(2, 0, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than mean_abs_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER mean_abs_norm
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

// Residual addition, then layer normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
// definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
//
// A kernel is passed the pointers of
//
//     add_layer_norm_forward_<type>(const Row* x, const Row* residual, const Parameter* gamma, const Parameter*
//         beta, Computed eps, Row* out_y, Row* out_h, Computed* save_mu, Computed* save_mu_residual, Computed*
//         save_rstd, long long rows, int D)
//     add_layer_norm_backward_<type>(const Row* h, const Row* dy, const Row* dh, const Computed* mu, const
//         Computed* mu_residual, const Computed* rstd, const Parameter* gamma, Row* out_dx, Row* out_dresidual,
//         Computed* workspace, long long rows, int D)
//     add_layer_norm_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter*
//         out_dgamma, Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward: chunks * chunk_entries(2, 0, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than add_layer_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER add_layer_norm
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

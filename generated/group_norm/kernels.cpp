// Group normalization: each row is the channels of a group, with all that lies behind them.
// Made by lngen 0.1.0 from the definition of group_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit group_norm.py and run: lngen derive group_norm.py
// definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
//
// A kernel is passed the pointers of
//
//     group_norm_forward_<type>(const Row* x, const Row* gamma, const Row* beta, Computed eps, Row* out_y,
//         Computed* save_mu, Computed* save_mu_residual, Computed* save_rstd, long long rows, int D)
//     group_norm_backward_<type>(const Row* x, const Row* gamma, const Row* dy, const Computed* mu, const
//         Computed* mu_residual, const Computed* rstd, Row* out_dx, Row* out_dgamma, Row* out_dbeta, long long
//         rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than group_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER group_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, forward::Layer)
LNGEN_KERNEL(backward, backward::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif

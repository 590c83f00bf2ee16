// Residual addition, then layer normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
// definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
//
// A kernel is passed the pointers of
//
//     add_layer_norm_jvp_<type>(const Row* h, const Row* x_dot, const Row* residual_dot, const Computed* mu, const
//         Computed* mu_residual, const Computed* rstd, const Parameter* gamma, const Parameter* gamma_dot, const
//         Parameter* beta_dot, Row* out_y_dot, Row* out_h_dot, long long rows, int D)
//     add_layer_norm_backward_backward_<type>(const Row* h, const Row* dy, const Row* dh, const Row* ddx, const
//         Row* ddresidual, const Computed* mu, const Computed* mu_residual, const Computed* rstd, const Parameter*
//         gamma, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_dresidual, Row* out_ddy,
//         Row* out_ddh, Computed* workspace, long long rows, int D)
//     add_layer_norm_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma,
//         const Parameter* ddgamma, const Parameter* ddbeta, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward_backward: chunks * chunk_entries(1, 0, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than add_layer_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER add_layer_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)
LNGEN_KERNEL(backward_backward_columns, backward_backward::columns::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif

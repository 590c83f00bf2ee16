// Layer normalization whose output is gated by one number a row.
// Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
// definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
//
// A kernel is passed the pointers of
//
//     modulated_layer_norm_jvp_<type>(const Row* x, const Row* gate, const Row* x_dot, const Row* gate_dot, const
//         Computed* mu, const Computed* mu_residual, const Computed* rstd, const Parameter* gamma, const
//         Parameter* beta, const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot, long long rows,
//         int D)
//     modulated_layer_norm_backward_backward_<type>(const Row* x, const Row* gate, const Row* dy, const Row* ddx,
//         const Row* ddgate, const Computed* mu, const Computed* mu_residual, const Computed* rstd, const
//         Parameter* gamma, const Parameter* beta, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx,
//         Row* out_dgate, Row* out_ddy, Computed* workspace, long long rows, int D)
//     modulated_layer_norm_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter*
//         gamma, const Parameter* beta, const Parameter* ddgamma, const Parameter* ddbeta, Parameter* out_dgamma,
//         Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward_backward: chunks * chunk_entries(2, 0, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than modulated_layer_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER modulated_layer_norm
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

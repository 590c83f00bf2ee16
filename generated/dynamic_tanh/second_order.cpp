// Dynamic tanh: an elementwise layer in the place of a norm.
// Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
// Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
// definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
//
// A kernel is passed the pointers of
//
//     dynamic_tanh_jvp_<type>(const Row* x, const Row* x_dot, const Parameter* alpha, const Parameter* gamma,
//         const Parameter* alpha_dot, const Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot, long
//         long rows, int D)
//     dynamic_tanh_backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Parameter* alpha,
//         const Parameter* gamma, const Parameter* ddalpha, const Parameter* ddgamma, const Parameter* ddbeta,
//         Row* out_dx, Row* out_ddy, Computed* workspace, long long rows, int D)
//     dynamic_tanh_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* alpha, const
//         Parameter* gamma, const Parameter* ddalpha, const Parameter* ddgamma, const Parameter* ddbeta,
//         Parameter* out_dalpha, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward_backward: chunks * chunk_entries(1, 1, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than dynamic_tanh.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dynamic_tanh
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

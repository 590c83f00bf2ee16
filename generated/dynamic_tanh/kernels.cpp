// Dynamic tanh: an elementwise layer in the place of a norm.
// Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
// Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
// definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
//
// A kernel is passed the pointers of
//
//     dynamic_tanh_forward_<type>(const Row* x, const Parameter* alpha, const Parameter* gamma, const Parameter*
//         beta, Row* out_y, long long rows, int D)
//     dynamic_tanh_backward_<type>(const Row* x, const Row* dy, const Parameter* alpha, const Parameter* gamma,
//         Row* out_dx, Computed* workspace, long long rows, int D)
//     dynamic_tanh_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* alpha, const
//         Parameter* gamma, Parameter* out_dalpha, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward: chunks * chunk_entries(2, 1, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than dynamic_tanh.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER dynamic_tanh
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

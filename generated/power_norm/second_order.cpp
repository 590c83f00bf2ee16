// Each row divided by its mean fourth power, to the power 1/4.
// Made by lngen 0.1.0 from the definition of power_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit power_norm.py and run: lngen derive power_norm.py
// definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
//
// A kernel is passed the pointers of
//
//     power_norm_jvp_<type>(const Row* x, const Row* x_dot, const Computed* scale, const Parameter* gamma, const
//         Parameter* gamma_dot, Row* out_y_dot, long long rows, int D)
//     power_norm_backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* scale,
//         const Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row* out_ddy, Computed* workspace, long
//         long rows, int D)
//     power_norm_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const
//         Parameter* ddgamma, Parameter* out_dgamma, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward_backward: chunks * chunk_entries(1, 0, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than power_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER power_norm
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

// Residual addition, then root-mean-square normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
// definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
//
// A kernel is passed the pointers of
//
//     add_rms_norm_jvp_<type>(const Row* h, const Row* x_dot, const Row* residual_dot, const Computed* rstd, const
//         Parameter* gamma, const Parameter* gamma_dot, Row* out_y_dot, Row* out_h_dot, long long rows, int D)
//     add_rms_norm_backward_backward_<type>(const Row* h, const Row* dy, const Row* dh, const Row* ddx, const Row*
//         ddresidual, const Computed* rstd, const Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row*
//         out_dresidual, Row* out_ddy, Row* out_ddh, Computed* workspace, long long rows, int D)
//     add_rms_norm_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const
//         Parameter* ddgamma, Parameter* out_dgamma, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// The workspace holds chunks * chunk_entries(sums into columns, sums into scalars, D) + LINE entries (host_rows.h):
//     backward_backward: chunks * chunk_entries(1, 0, D) + LINE.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than add_rms_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER add_rms_norm
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

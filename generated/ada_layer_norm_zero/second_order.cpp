// Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.
// Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
// Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
// definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
//
// A kernel is passed the pointers of
//
//     ada_layer_norm_zero_jvp_<type>(const Row* x, const Row* branch, const Row* gate, const Row* scale, const
//         Row* x_dot, const Row* branch_dot, const Row* gate_dot, const Row* scale_dot, const Row* shift_dot,
//         const Computed* mu, const Computed* mu_residual, const Computed* rstd, Row* out_y_dot, Row* out_h_dot,
//         long long rows, int D)
//     ada_layer_norm_zero_backward_backward_<type>(const Row* x, const Row* branch, const Row* gate, const Row*
//         scale, const Row* dy, const Row* dh, const Row* ddx, const Row* ddbranch, const Row* ddgate, const Row*
//         ddscale, const Row* ddshift, const Computed* mu, const Computed* mu_residual, const Computed* rstd, Row*
//         out_dx, Row* out_dbranch, Row* out_dgate, Row* out_dscale, Row* out_dshift, Row* out_ddy, Row* out_ddh,
//         long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than ada_layer_norm_zero.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER ada_layer_norm_zero
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif

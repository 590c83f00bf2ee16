// Root-mean-square normalization, then a gate: silu of another row.
// Made by lngen 0.1.0 from the definition of gated_rms_norm.
// Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
// Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 20 flops per row element.
// Evidence: 1 output, 26 steps, 34 given equations, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
// templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
//
// A kernel is passed the pointers of
//
//     gated_rms_norm_jvp_<type>(const Row* x, const Row* z, const Row* x_dot, const Row* z_dot, const Computed*
//         rstd, const Parameter* gamma, const Parameter* gamma_dot, Row* out_y_dot, long long rows, int D)
//     gated_rms_norm_backward_backward_<type>(const Row* x, const Row* z, const Row* dy, const Row* ddx, const
//         Row* ddz, const Computed* rstd, const Parameter* gamma, const Parameter* ddgamma, Row* out_dx, Row*
//         out_dz, Row* out_ddy, Computed* workspace, long long rows, int D)
//     gated_rms_norm_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma,
//         const Parameter* ddgamma, Parameter* out_dgamma, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than gated_rms_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER gated_rms_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)
LNGEN_KERNEL(backward_backward_columns, backward_backward::columns::Layer)

#undef LNGEN_LAYER

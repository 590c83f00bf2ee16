// Layer normalization with a scale and a shift for every entry, from elsewhere.
// Made by lngen 0.1.0 from the definition of adaptive_layer_norm.
// Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
// Cost: forward 4 row tensors (3 read, 1 written), 10 flops per row element; backward 6 row tensors (3 read, 3 written), 13 flops per row element.
// Evidence: 1 output, 17 steps, 35 given equations, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
// templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
//
// A kernel is passed the pointers of
//
//     adaptive_layer_norm_jvp_<type>(const Row* x, const Row* scale, const Row* x_dot, const Row* scale_dot, const
//         Row* shift_dot, const Computed* mu, const Computed* mu_residual, const Computed* rstd, Row* out_y_dot,
//         long long rows, int D)
//     adaptive_layer_norm_backward_backward_<type>(const Row* x, const Row* scale, const Row* dy, const Row* ddx,
//         const Row* ddscale, const Row* ddshift, const Computed* mu, const Computed* mu_residual, const Computed*
//         rstd, Row* out_dx, Row* out_dscale, Row* out_dshift, Row* out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than adaptive_layer_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER adaptive_layer_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)

#undef LNGEN_LAYER

// Layer normalization with a scale and a shift for every entry, from elsewhere.
// Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
// definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
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
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than adaptive_layer_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER adaptive_layer_norm
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

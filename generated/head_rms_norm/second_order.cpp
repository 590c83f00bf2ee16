// Root-mean-square normalization of queries or keys, with a weight for each head.
// Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
// definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
//
// A kernel is passed the pointers of
//
//     head_rms_norm_jvp_<type>(const Row* x, const Row* weight, const Row* x_dot, const Row* weight_dot, const
//         Computed* rstd, Row* out_y_dot, long long rows, int D)
//     head_rms_norm_backward_backward_<type>(const Row* x, const Row* weight, const Row* dy, const Row* ddx, const
//         Row* ddweight, const Computed* rstd, Row* out_dx, Row* out_dweight, Row* out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than head_rms_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER head_rms_norm
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

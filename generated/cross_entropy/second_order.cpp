// Cross entropy of soft targets with the softmax of a row, one number a row.
// Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
// definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
//
// A kernel is passed the pointers of
//
//     cross_entropy_jvp_<type>(const Row* x, const Row* target, const Row* x_dot, const Row* target_dot, const
//         Computed* m, const Computed* Z_, const Computed* log_Z, Row* out_y_dot, long long rows, int D)
//     cross_entropy_backward_backward_<type>(const Row* x, const Row* target, const Row* dy, const Row* ddx, const
//         Row* ddtarget, const Computed* m, const Computed* Z_, const Computed* log_Z, Row* out_dx, Row*
//         out_dtarget, Row* out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than cross_entropy.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER cross_entropy
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

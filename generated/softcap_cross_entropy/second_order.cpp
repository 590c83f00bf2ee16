// Cross entropy of a label with the softmax of a capped row, weighted by class; a label `ignore` counts nothing.
// Made by lngen 0.1.0 from the definition of softcap_cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit softcap_cross_entropy.py and run: lngen derive softcap_cross_entropy.py
// definition sha256:d010fe640748d9eca5d1baa233d0a8218fad8c6aeec03dd12a012fcb2dc30c1c
//
// A kernel is passed the pointers of
//
//     softcap_cross_entropy_jvp_<type>(const Row* x, const Integer* label, const Row* x_dot, const Computed* m,
//         const Computed* Z_, const Computed* log_Z, const Computed* sum_where_class_weight, const OneInteger*
//         ignore, Computed cap, Computed z_loss, Row* out_y_dot, long long rows, int D)
//     softcap_cross_entropy_backward_backward_<type>(const Row* x, const Integer* label, const Row* dy, const Row*
//         ddx, const Computed* m, const Computed* Z_, const Computed* log_Z, const Computed*
//         sum_where_class_weight, const OneInteger* ignore, Computed cap, Computed z_loss, Row* out_dx, Row*
//         out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than softcap_cross_entropy.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER softcap_cross_entropy
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

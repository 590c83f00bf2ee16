// Cross entropy of soft targets with the softmax of a row, one number a row.
// Made by lngen 0.1.0 from the definition of cross_entropy.
// Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
// Cost: forward 2 row tensors (2 read, 0 written), 7 flops per row element; backward 4 row tensors (2 read, 2 written), 9 flops per row element.
// Evidence: 1 output, 25 steps, 30 given equations, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
// templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
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
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than cross_entropy.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER cross_entropy
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)

#undef LNGEN_LAYER

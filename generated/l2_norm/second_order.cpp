// Each row divided by its Euclidean length.
// Made by lngen 0.1.0 from the definition of l2_norm.
// Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 3 flops per row element; backward 3 row tensors (2 read, 1 written), 6 flops per row element.
// Evidence: 1 output, 12 steps, 15 given equations, 1 identity, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
// templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
//
// A kernel is passed the pointers of
//
//     l2_norm_jvp_<type>(const Row* x, const Row* x_dot, const Computed* rstd, Row* out_y_dot, long long rows, int
//         D)
//     l2_norm_backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* rstd, Row*
//         out_dx, Row* out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than l2_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER l2_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)

#undef LNGEN_LAYER

// Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.
// Made by lngen 0.1.0 from the definition of causal_softmax.
// Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), and 1 smaller array, 13 flops per row element; backward 3 row tensors (2 read, 1 written), and 1 smaller array, 22 flops per row element.
// Evidence: 1 output, 2 gradients, 1 tangent, 3 second-order gradients: to 50 digits; 25 steps: 24 exact at every D, 1 to 50 digits; 31 given equations, 1 identity, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1; derivation.md says of what.
// definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
// templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
//
// A kernel is passed the pointers of
//
//     causal_softmax_jvp_<type>(const Row* x, const Integer* position, const Row* x_dot, const Computed* m, const
//         Computed* inv_sum_e_shifted, const Parameter* scale, const Parameter* scale_dot, Row* out_y_dot, long
//         long rows, int D)
//     causal_softmax_backward_backward_<type>(const Row* x, const Integer* position, const Row* dy, const Row*
//         ddx, const Computed* m, const Computed* inv_sum_e_shifted, const Parameter* scale, const Parameter*
//         ddscale, Row* out_dx, Row* out_ddy, Computed* workspace, long long rows, int D)
//     causal_softmax_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* scale,
//         const Parameter* ddscale, Parameter* out_dscale, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than causal_softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER causal_softmax
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)
LNGEN_KERNEL(backward_backward_columns, backward_backward::columns::Layer)

#undef LNGEN_LAYER

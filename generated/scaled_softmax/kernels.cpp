// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
// Evidence: 1 output, 21 steps, 30 given equations, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
// templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
//
// A kernel is passed the pointers of
//
//     scaled_softmax_forward_<type>(const Row* x, const Parameter* scale, Row* out_y, Computed* save_m, Computed*
//         save_inv_Z, long long rows, int D)
//     scaled_softmax_backward_<type>(const Row* x, const Row* dy, const Computed* m, const Computed* inv_Z, const
//         Parameter* scale, Row* out_dx, Computed* workspace, long long rows, int D)
//     scaled_softmax_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* scale, Parameter*
//         out_dscale, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than scaled_softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER scaled_softmax
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, forward::Layer)
LNGEN_KERNEL(backward, backward::Layer)
LNGEN_KERNEL(backward_columns, backward::columns::Layer)

#undef LNGEN_LAYER

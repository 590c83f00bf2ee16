// Root-mean-square normalization with a weight that is learned as its distance from one.
// Made by lngen 0.1.0 from the definition of offset_rms_norm.
// Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 9 flops per row element.
// Evidence: 1 output, 14 steps, 25 given equations, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
// templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
//
// A kernel is passed the pointers of
//
//     offset_rms_norm_forward_<type>(const Row* x, const Parameter* w, Computed eps, Row* out_y, Computed*
//         save_rstd, long long rows, int D)
//     offset_rms_norm_backward_<type>(const Row* x, const Row* dy, const Computed* rstd, const Parameter* w, Row*
//         out_dx, Computed* workspace, long long rows, int D)
//     offset_rms_norm_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* w, Parameter*
//         out_dw, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than offset_rms_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER offset_rms_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, forward::Layer)
LNGEN_KERNEL(backward, backward::Layer)
LNGEN_KERNEL(backward_columns, backward::columns::Layer)

#undef LNGEN_LAYER

// A gate, silu of another row, then root-mean-square normalization.
// Made by lngen 0.1.0 from the definition of rms_norm_gated.
// Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
// Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 19 flops per row element.
// Evidence: 1 output, 24 steps, 39 given equations, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
// templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
//
// A kernel is passed the pointers of
//
//     rms_norm_gated_forward_<type>(const Row* x, const Row* z, const Parameter* gamma, Computed eps, Row* out_y,
//         Computed* save_rstd, long long rows, int D)
//     rms_norm_gated_backward_<type>(const Row* x, const Row* z, const Row* dy, const Computed* rstd, const
//         Parameter* gamma, Row* out_dx, Row* out_dz, Computed* workspace, long long rows, int D)
//     rms_norm_gated_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter*
//         out_dgamma, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than rms_norm_gated.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rms_norm_gated
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, forward::Layer)
LNGEN_KERNEL(backward, backward::Layer)
LNGEN_KERNEL(backward_columns, backward::columns::Layer)

#undef LNGEN_LAYER

// Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.
// Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
// Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
// definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
//
// A kernel is passed the pointers of
//
//     focal_loss_forward_<type>(const Row* x, const Integer* label, Computed gamma, Row* out_y, Computed* save_m,
//         Computed* save_Z, Computed* save_logpt, Computed* save_expm1_logpt, Computed* save_power_expm1_logpt,
//         long long rows, int D)
//     focal_loss_backward_<type>(const Row* x, const Integer* label, const Row* dy, const Computed* m, const
//         Computed* Z_, const Computed* logpt, const Computed* expm1_logpt, const Computed* power_expm1_logpt,
//         Computed gamma, Row* out_dx, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than focal_loss.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER focal_loss
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, forward::Layer)
LNGEN_KERNEL(backward, backward::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif

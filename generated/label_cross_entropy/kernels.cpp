// Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.
// Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
// definition sha256:54d0d10a361e544b04d125946902774985e4cfbc3c6a48abadaca8002ccda43b
//
// A kernel is passed the pointers of
//
//     label_cross_entropy_forward_<type>(const Row* x, const Integer* label, const OneInteger* ignore, Computed
//         smoothing, Computed z_loss, Row* out_y, Computed* save_m, Computed* save_Z, Computed* save_log_Z, long
//         long rows, int D)
//     label_cross_entropy_backward_<type>(const Row* x, const Integer* label, const Row* dy, const Computed* m,
//         const Computed* Z_, const Computed* log_Z, const OneInteger* ignore, Computed smoothing, Computed z_loss,
//         Row* out_dx, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than label_cross_entropy.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER label_cross_entropy
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

// Cross entropy of soft targets with the softmax of a row, one number a row.
// Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
// Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
// definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
//
// A kernel is passed the pointers of
//
//     cross_entropy_forward_<type>(const Row* x, const Row* target, Row* out_y, Computed* save_m, Computed*
//         save_Z, Computed* save_log_Z, long long rows, int D)
//     cross_entropy_backward_<type>(const Row* x, const Row* target, const Row* dy, const Computed* m, const
//         Computed* Z_, const Computed* log_Z, Row* out_dx, Row* out_dtarget, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than cross_entropy.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER cross_entropy
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

// Each row divided by its Euclidean length.
// Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has its steps, cost and evidence.
// Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
// definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
//
// A kernel is passed the pointers of
//
//     l2_norm_forward_<type>(const Row* x, Computed eps, Row* out_y, Computed* save_rstd, long long rows, int D)
//     l2_norm_backward_<type>(const Row* x, const Row* dy, const Computed* rstd, Row* out_dx, long long rows, int
//         D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than l2_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER l2_norm
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

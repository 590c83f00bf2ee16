// The logarithm of a row's sum of exponentials, one number a row.
// Made by lngen 0.1.0 from the definition of logsumexp; derivation.md has its steps, cost and evidence.
// Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
// definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
//
// A kernel is passed the pointers of
//
//     logsumexp_forward_<type>(const Row* x, Row* out_y, Computed* save_m, Computed* save_Z, long long rows, int
//         D)
//     logsumexp_backward_<type>(const Row* x, const Row* dy, const Computed* m, const Computed* Z_, Row* out_dx,
//         long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than logsumexp.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER logsumexp
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

// Softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit softmax.py and run: lngen derive softmax.py
// definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
//
// A kernel is passed the pointers of
//
//     softmax_forward_<type>(const Row* x, Row* out_y, long long rows, int D)
//     softmax_backward_<type>(const Row* y, const Row* dy, Row* out_dx, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER softmax
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

// The logarithm of softmax over the feature axis.
// Made by lngen 0.1.0 from the definition of log_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
// definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
//
// A kernel is passed the pointers of
//
//     log_softmax_jvp_<type>(const Row* x, const Row* x_dot, const Computed* m, const Computed* Z_, Row* out_y_dot,
//         long long rows, int D)
//     log_softmax_backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* m, const
//         Computed* Z_, Row* out_dx, Row* out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than log_softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER log_softmax
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)

#ifndef LNGEN_TYPED  // layer.hpp, which has functions of these kernels, ends the name
#undef LNGEN_LAYER
#endif

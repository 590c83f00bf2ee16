// Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.
// Made by lngen 0.1.0 from the definition of sink_softmax; derivation.md has its steps, cost and evidence.
// Do not edit; edit sink_softmax.py and run: lngen derive sink_softmax.py
// definition sha256:85de87b67725f2db6415d52ce8ee109a8b1ab48120c2fc9ba15663e407abd30f
//
// A kernel is passed the pointers of
//
//     sink_softmax_jvp_<type>(const Row* y, const Row* x_dot, const Row* sink_dot, const Computed*
//         exp_largest_sink, const Computed* scale, Row* out_y_dot, long long rows, int D)
//     sink_softmax_backward_backward_<type>(const Row* sink, const Row* y, const Row* x, const Row* dy, const Row*
//         ddx, const Row* ddsink, const Computed* exp_largest_sink, const Computed* scale, Row* out_dx, Row*
//         out_dsink, Row* out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than sink_softmax.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER sink_softmax
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

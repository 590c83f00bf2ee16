// SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.
// Made by lngen 0.1.0 from the definition of clamped_swiglu; derivation.md has its steps, cost and evidence.
// Do not edit; edit clamped_swiglu.py and run: lngen derive clamped_swiglu.py
// definition sha256:a1eeafff1ca861c41d2291655187f6c840acb032a1cf459ebfed94cf35e2d959
//
// A kernel is passed the pointers of
//
//     clamped_swiglu_jvp_<type>(const Row* x_0, const Row* x_1, const Row* x_0_dot, const Row* x_1_dot, Computed
//         alpha, Computed limit, Row* out_y_dot, long long rows, int D)
//     clamped_swiglu_backward_backward_<type>(const Row* x_0, const Row* x_1, const Row* dy, const Row* ddx_0,
//         const Row* ddx_1, Computed alpha, Computed limit, Row* out_dx_0, Row* out_dx_1, Row* out_ddy, long long
//         rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than clamped_swiglu.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER clamped_swiglu
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

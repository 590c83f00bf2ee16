// Square of the positive part.
// Made by lngen 0.1.0 from the definition of relu_squared; derivation.md has its steps, cost and evidence.
// Do not edit; edit relu_squared.py and run: lngen derive relu_squared.py
// definition sha256:1f4d0bba06106d2d5bde084978ce875d350faebb4f3e03c44c88b41f8d56b117
//
// A kernel is passed the pointers of
//
//     relu_squared_jvp_<type>(const Row* x, const Row* x_dot, Row* out_y_dot, long long rows, int D)
//     relu_squared_backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, Row* out_dx, Row*
//         out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than relu_squared.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER relu_squared
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

// Rotary position embedding: both halves of a row are turned by the angle of their position.
// Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
// Do not edit; edit rotary.py and run: lngen derive rotary.py
// definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
//
// A kernel is passed the pointers of
//
//     rotary_jvp_<type>(const Row* cosine, const Row* sine, const Row* a_dot, const Row* b_dot, Row* out_y_0_dot,
//         Row* out_y_1_dot, long long rows, int D)
//     rotary_backward_backward_<type>(const Row* cosine, const Row* sine, const Row* dy_0, const Row* dy_1, const
//         Row* dda, const Row* ddb, Row* out_da, Row* out_db, Row* out_ddy_0, Row* out_ddy_1, long long rows, int
//         D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than rotary.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER rotary
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

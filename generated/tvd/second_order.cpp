// Total variation distance of a teacher's and a student's softmax, one number a row.
// Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
// Do not edit; edit tvd.py and run: lngen derive tvd.py
// definition sha256:531a69e0531c8d084bce4e7dc397809639b91913c16cd826b7e28806ee2c4e04
//
// A kernel is passed the pointers of
//
//     tvd_jvp_<type>(const Row* x, const Row* teacher, const Row* x_dot, const Computed* m_2, const Computed* m,
//         const Computed* inv_Z, const Computed* inv_Z_2, Row* out_y_dot, long long rows, int D)
//     tvd_backward_backward_<type>(const Row* x, const Row* teacher, const Row* dy, const Row* ddx, const
//         Computed* m_2, const Computed* m, const Computed* inv_Z, const Computed* inv_Z_2, Row* out_dx, Row*
//         out_ddy, long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than tvd.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER tvd
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

// Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.
// Made by lngen 0.1.0 from the definition of distillation; derivation.md has its steps, cost and evidence.
// Do not edit; edit distillation.py and run: lngen derive distillation.py
// definition sha256:605c03732e301937a46144ac717739a27c6327286eedf29e8b15c84beaabe5d7
//
// A kernel is passed the pointers of
//
//     distillation_jvp_<type>(const Row* x, const Row* teacher, const Integer* label, const Row* x_dot, const
//         Computed* m_3, const Computed* Z_, const Computed* m, const Computed* Z_2_, const Computed* m_2, const
//         Computed* inv_Z_3, Computed temperature, Computed share, Row* out_y_dot, long long rows, int D)
//     distillation_backward_backward_<type>(const Row* x, const Row* teacher, const Integer* label, const Row* dy,
//         const Row* ddx, const Computed* m_3, const Computed* Z_, const Computed* m, const Computed* Z_2_, const
//         Computed* m_2, const Computed* inv_Z_3, Computed temperature, Computed share, Row* out_dx, Row* out_ddy,
//         long long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than distillation.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER distillation
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

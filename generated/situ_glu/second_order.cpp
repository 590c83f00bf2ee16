// Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value.
// Made by lngen 0.1.0 from the definition of situ_glu; derivation.md has its steps, cost and evidence.
// Do not edit; edit situ_glu.py and run: lngen derive situ_glu.py
// definition sha256:e6e65e1eea5303aa376f708491047896a0aec30266bcb6dd83c239585502f41f
//
// A kernel is passed the pointers of
//
//     situ_glu_jvp_<type>(const Row* gate, const Row* value, const Row* gate_dot, const Row* value_dot, Computed
//         beta, Computed linear_beta, Row* out_y_dot, long long rows, int D)
//     situ_glu_backward_backward_<type>(const Row* gate, const Row* value, const Row* dy, const Row* ddgate, const
//         Row* ddvalue, Computed beta, Computed linear_beta, Row* out_dgate, Row* out_dvalue, Row* out_ddy, long
//         long rows, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache.
// Macros: host_rows.h, layer.h. With LNGEN_LAYER, names of kernels begin with something else than situ_glu.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER situ_glu
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

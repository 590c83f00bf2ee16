// Softmax with a learned inverse temperature.
// Made by lngen 0.1.0 from the definition of scaled_softmax.
// Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
// Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
// Evidence: 1 output, 21 steps, 30 given equations, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
// templates sha256:2311dd01572eed9edbbb06a4fb155fa5ce69a60d0f557019d5d91a2f831401fe
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* x, const Row* x_dot, const Computed* m, const Computed* inv_Z, const Parameter* scale,
//         const Parameter* scale_dot, Row* out_y_dot, long long rows, int D)
//     backward_backward_<type>(const Row* x, const Row* dy, const Row* ddx, const Computed* m, const Computed*
//         inv_Z, const Parameter* scale, const Parameter* ddscale, Row* out_dx, Row* out_ddy, Computed* workspace,
//         long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* scale, const Parameter*
//         ddscale, Parameter* out_dscale, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h.

#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, lngen::jvp::Layer)
LNGEN_KERNEL(backward_backward, lngen::backward_backward::Layer)
LNGEN_KERNEL(backward_backward_columns, lngen::backward_backward::columns::Layer)

// Dropout, residual addition, then layer normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of dropout_add_layer_norm.
// Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
// Cost: forward 4 row tensors (2 read, 2 written), 13 flops per row element; backward 5 row tensors (3 read, 2 written), 18 flops per row element.
// Evidence: 2 outputs, 17 steps, 41 given equations, 2 identities, 4 gradients, 2 tangents, 6 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
// templates sha256:2311dd01572eed9edbbb06a4fb155fa5ce69a60d0f557019d5d91a2f831401fe
//
// A kernel is passed the pointers of
//
//     jvp_<type>(const Row* h, const Row* x_dot, const Row* residual_dot, const Computed* mu, const Computed*
//         mu_residual, const Computed* rstd, const OneInteger* seed, const Parameter* gamma, Computed p, const
//         Parameter* gamma_dot, const Parameter* beta_dot, Row* out_y_dot, Row* out_h_dot, long long rows, int D)
//     backward_backward_<type>(const Row* h, const Row* dy, const Row* dh, const Row* ddx, const Row* ddresidual,
//         const Computed* mu, const Computed* mu_residual, const Computed* rstd, const OneInteger* seed, const
//         Parameter* gamma, Computed p, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row*
//         out_dresidual, Row* out_ddy, Row* out_ddh, Computed* workspace, long long rows, int D)
//     backward_backward_columns_<type>(Computed* workspace, int blocks, const OneInteger* seed, const Parameter*
//         gamma, Computed p, const Parameter* ddgamma, const Parameter* ddbeta, Parameter* out_dgamma, Parameter*
//         out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h.

#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, lngen::jvp::Layer)
LNGEN_KERNEL(backward_backward, lngen::backward_backward::Layer)
LNGEN_KERNEL(backward_backward_columns, lngen::backward_backward::columns::Layer)

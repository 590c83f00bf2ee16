// Residual addition, then layer normalization; the sum is the second output.
// Made by lngen 0.1.0 from the definition of add_layer_norm.
// Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
// Cost: forward 4 row tensors (2 read, 2 written), 10 flops per row element; backward 5 row tensors (3 read, 2 written), 15 flops per row element.
// Evidence: 2 outputs, 17 steps, 41 given equations, 2 identities, 4 gradients, 2 tangents, 6 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
// templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
//
// A kernel is passed the pointers of
//
//     add_layer_norm_jvp_<type>(const Row* h, const Row* x_dot, const Row* residual_dot, const Computed* mu, const
//         Computed* mu_residual, const Computed* rstd, const Parameter* gamma, const Parameter* gamma_dot, const
//         Parameter* beta_dot, Row* out_y_dot, Row* out_h_dot, long long rows, int D)
//     add_layer_norm_backward_backward_<type>(const Row* h, const Row* dy, const Row* dh, const Row* ddx, const
//         Row* ddresidual, const Computed* mu, const Computed* mu_residual, const Computed* rstd, const Parameter*
//         gamma, const Parameter* ddgamma, const Parameter* ddbeta, Row* out_dx, Row* out_dresidual, Row* out_ddy,
//         Row* out_ddh, Computed* workspace, long long rows, int D)
//     add_layer_norm_backward_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma,
//         const Parameter* ddgamma, const Parameter* ddbeta, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than add_layer_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER add_layer_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(second_order)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(jvp, jvp::Layer)
LNGEN_KERNEL(backward_backward, backward_backward::Layer)
LNGEN_KERNEL(backward_backward_columns, backward_backward::columns::Layer)

#undef LNGEN_LAYER

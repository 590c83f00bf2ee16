// Layer normalization whose output is gated by one number a row.
// Made by lngen 0.1.0 from the definition of modulated_layer_norm.
// Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
// Cost: forward 2 row tensors (1 read, 1 written), 10 flops per row element; backward 3 row tensors (2 read, 1 written), 21 flops per row element.
// Evidence: 1 output, 14 steps, 36 given equations, 2 identities, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
// templates sha256:fed390c054a6c9490f0ed0f9676a1290aa08d6d340159761f851208839c570de
//
// A kernel is passed the pointers of
//
//     modulated_layer_norm_forward_<type>(const Row* x, const Row* gate, const Parameter* gamma, const Parameter*
//         beta, Computed eps, Row* out_y, Computed* save_mu, Computed* save_mu_residual, Computed* save_rstd, long
//         long rows, int D)
//     modulated_layer_norm_backward_<type>(const Row* x, const Row* gate, const Row* dy, const Computed* mu, const
//         Computed* mu_residual, const Computed* rstd, const Parameter* gamma, const Parameter* beta, Row* out_dx,
//         Row* out_dgate, Computed* workspace, long long rows, int D)
//     modulated_layer_norm_backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, const
//         Parameter* beta, Parameter* out_dgamma, Parameter* out_dbeta, int D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h. With
// LNGEN_LAYER, names of kernels begin with something else than modulated_layer_norm.

#ifndef LNGEN_LAYER
#define LNGEN_LAYER modulated_layer_norm
#endif
#undef LNGEN_SPACE
#define LNGEN_SPACE LNGEN_OWN(kernels)
#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, forward::Layer)
LNGEN_KERNEL(backward, backward::Layer)
LNGEN_KERNEL(backward_columns, backward::columns::Layer)

#undef LNGEN_LAYER

// Root-mean-square normalization, then a gate: silu of another row.
// Made by lngen 0.1.0 from the definition of gated_rms_norm.
// Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
// Cost: forward 3 row tensors (2 read, 1 written), 7 flops per row element; backward 5 row tensors (3 read, 2 written), 20 flops per row element.
// Evidence: 1 output, 26 steps, 34 given equations, 1 identity, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
// definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
// templates sha256:2311dd01572eed9edbbb06a4fb155fa5ce69a60d0f557019d5d91a2f831401fe
//
// A kernel is passed the pointers of
//
//     forward_<type>(const Row* x, const Row* z, const Parameter* gamma, Computed eps, Row* out_y, Computed*
//         save_rstd, long long rows, int D)
//     backward_<type>(const Row* x, const Row* z, const Row* dy, const Computed* rstd, const Parameter* gamma,
//         Row* out_dx, Row* out_dz, Computed* workspace, long long rows, int D)
//     backward_columns_<type>(Computed* workspace, int blocks, const Parameter* gamma, Parameter* out_dgamma, int
//         D)
//
// in this order, then its numbers, then the sizes: rows, D, the chunks that the rows are cut into, the first one to work
// on, the one to stop before, and whether results are to bypass the cache. Macros: host_rows.h, layer.h.

#include "../_runtime/native/host_directions.h"
#include "layer.h"

LNGEN_KERNEL(forward, lngen::forward::Layer)
LNGEN_KERNEL(backward, lngen::backward::Layer)
LNGEN_KERNEL(backward_columns, lngen::backward::columns::Layer)
